/** The changed words of one line, marked with brackets; long lines cut to the surroundings of the change. Pure. */
import { diffArrays } from 'diff';
import { commonHead, commonTail } from './edits.ts';

export interface MarkedPair {
  readonly removed: string;
  readonly added: string;
  /** Changed words, on the side that has more of them. */
  readonly words: number;
}

/** Longer lines are compared by their common head and tail alone. */
const LONGEST_BY_WORDS = 4_000;
const MOST_WORD_EDITS = 120;
const SURROUNDINGS = 100;
/** What a row shows of a line that has no marks. */
const LONGEST_ROW = 240;

/** Null where the two lines have so little in common that marks would only be noise. */
export function markWords(before: string, after: string): MarkedPair | null {
  if (before.length > LONGEST_BY_WORDS || after.length > LONGEST_BY_WORDS) return markMiddle(before, after);
  const [old, fresh] = [tokens(before), tokens(after)];
  const changes = diffArrays(old, fresh, { maxEditLength: MOST_WORD_EDITS });
  if (changes === undefined) return null;
  const same = changes.filter((change) => !change.added && !change.removed).flatMap(({ value }) => value);
  if (lettersOf(same) * 3 < Math.min(lettersOf(old), lettersOf(fresh))) return null;
  const joined = bridged(changes.map(({ value, added, removed }) => ({ tokens: value, added, removed })));
  const side = (which: 'added' | 'removed'): string =>
    joined
      .filter((change) => change[which] || !(change.added || change.removed))
      .map((change) => (change[which] ? `[${change.tokens.join('')}]` : change.tokens.join('')))
      .join('');
  const count = (which: 'added' | 'removed'): number =>
    wordCount(joined.filter((change) => change[which]).flatMap((change) => change.tokens));
  return {
    removed: side('removed'),
    added: side('added'),
    words: Math.max(count('removed'), count('added')),
  };
}

interface Piece {
  readonly tokens: readonly string[];
  readonly added: boolean;
  readonly removed: boolean;
}

/** One mark instead of two where only blanks stand between two changed words. */
function bridged(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  let [removed, added]: [string[], string[]] = [[], []];
  const flush = (): void => {
    if (removed.length > 0) result.push({ tokens: removed, added: false, removed: true });
    if (added.length > 0) result.push({ tokens: added, added: true, removed: false });
    [removed, added] = [[], []];
  };
  pieces.forEach((piece, index) => {
    if (piece.removed) removed = [...removed, ...piece.tokens];
    else if (piece.added) added = [...added, ...piece.tokens];
    else {
      const next = pieces[index + 1];
      const blank = piece.tokens.every((token) => token.trim() === '');
      if (blank && next !== undefined && removed.length > 0 && added.length > 0) {
        removed = [...removed, ...piece.tokens];
        added = [...added, ...piece.tokens];
      } else {
        flush();
        result.push(piece);
      }
    }
  });
  flush();
  return result;
}

function tokens(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

function lettersOf(list: readonly string[]): number {
  return list.reduce((sum, token) => sum + token.trim().length, 0);
}

function wordCount(list: readonly string[]): number {
  const words = list.filter((token) => /[\p{L}\p{N}]/u.test(token)).length;
  return words === 0 && list.length > 0 ? 1 : words;
}

/** Both sides cut to what stands around the first mark, where they are too long for a row. */
export function around({ removed, added }: MarkedPair): { readonly removed: string; readonly added: string } {
  const differs = commonHead(removed, added);
  const mark = Math.max(removed.lastIndexOf('[', differs), added.lastIndexOf('[', differs));
  const start = Math.max(0, (mark < 0 ? differs : Math.min(mark, differs)) - SURROUNDINGS);
  const side = (text: string): string =>
    text.length <= LONGEST_ROW || start === 0 ? cut(text) : `…${cut(text.slice(start))}`;
  return { removed: side(removed), added: side(added) };
}

function markMiddle(before: string, after: string): MarkedPair | null {
  const head = commonHead(before, after);
  const tail = commonTail(before, after, Math.min(before.length, after.length) - head);
  if (head + tail === 0) return null;
  const side = (line: string): string => {
    const middle = line.slice(head, line.length - tail);
    const start = `${head > SURROUNDINGS ? '…' : ''}${line.slice(Math.max(0, head - SURROUNDINGS), head)}`;
    const end = line.slice(line.length - tail, line.length - tail + SURROUNDINGS);
    return `${start}[${cut(middle)}]${end}${tail > SURROUNDINGS ? '…' : ''}`;
  };
  return { removed: side(before), added: side(after), words: 1 };
}

/** The beginning of a text that is too long for a row, with how much is left out. */
export function cut(text: string): string {
  return text.length <= LONGEST_ROW
    ? text
    : `${text.slice(0, LONGEST_ROW)}… (${text.length - LONGEST_ROW} more characters)`;
}
