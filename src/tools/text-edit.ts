/** Replacing a piece of text within a text. Pure. */

export interface TextEdit {
  readonly old: string;
  readonly new: string;
  /** Replace every occurrence, rather than insist on one. */
  readonly all: boolean;
}

export type EditResult =
  | { readonly kind: 'edited'; readonly text: string; readonly count: number }
  /** `old` is empty. */
  | { readonly kind: 'empty' }
  /** `old` and `new` are the same but for their line ends, which an edit never changes. */
  | { readonly kind: 'same' }
  | { readonly kind: 'absent' }
  /** Several occurrences where one is wanted. Occurrences that overlap count each. */
  | { readonly kind: 'ambiguous'; readonly count: number }
  /** All are wanted, but some overlap, so that replacing one would destroy another. */
  | { readonly kind: 'overlapping'; readonly count: number };

/**
 * Edits `text`. CRLF and LF match each other, and every line end that stays, or that takes the place of another, keeps
 * its kind; new ones are of the kind that is most frequent in `text`. A byte order mark stays where it is.
 */
export function editText(text: string, edit: TextEdit): EditResult {
  const bom = text.startsWith(BOM) ? BOM : '';
  const body = new LineEnds(text.slice(bom.length));
  const [old, replacement] = [plain(edit.old), plain(edit.new)];
  if (old === '') return { kind: 'empty' };
  if (old === replacement) return { kind: 'same' };
  const found = occurrences(body.plain, old);
  const count = found.length;
  if (count === 0) return { kind: 'absent' };
  if (count > 1 && !edit.all) return { kind: 'ambiguous', count };
  if (found.some((at, index) => at < (found[index - 1] ?? -Infinity) + old.length))
    return { kind: 'overlapping', count };
  const pieces: string[] = [bom];
  let done = 0;
  for (const at of found) {
    pieces.push(
      body.slice(done, at),
      body.dress(replacement, { start: at, end: at + old.length, asGiven: withoutBom(edit.new) }),
    );
    done = at + old.length;
  }
  pieces.push(body.slice(done, body.plain.length));
  return { kind: 'edited', text: pieces.join(''), count };
}

const BOM = '\uFEFF';

/** Without byte order mark and with line feeds alone. */
function plain(text: string): string {
  return withoutBom(text).replaceAll('\r\n', '\n');
}

function withoutBom(text: string): string {
  return text.startsWith(BOM) ? text.slice(BOM.length) : text;
}

/** All places, overlapping ones too. */
function occurrences(text: string, piece: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(piece); at !== -1; at = text.indexOf(piece, at + 1)) places.push(at);
  return places;
}

interface Region {
  readonly start: number;
  readonly end: number;
  /** The replacement before its line ends were made plain. */
  readonly asGiven: string;
}

/** A text whose line ends have been made plain, and can be put back. Offsets are of the plain text. */
class LineEnds {
  readonly plain: string;
  readonly #original: string;
  /** Plain offsets of the line feeds that were CRLF, ascending. */
  readonly #crlf: readonly number[];

  constructor(original: string) {
    this.#original = original;
    this.plain = original.replaceAll('\r\n', '\n');
    const crlf: number[] = [];
    for (let at = original.indexOf('\r\n'); at !== -1; at = original.indexOf('\r\n', at + 2))
      crlf.push(at - crlf.length);
    this.#crlf = crlf;
  }

  /** The original text between two plain offsets. */
  slice(start: number, end: number): string {
    return this.#original.slice(start + this.#crlfBefore(start), end + this.#crlfBefore(end));
  }

  /** Gives each line end of `replacement` the kind of the one whose place in the region it takes. */
  dress(replacement: string, { start, end, asGiven }: Region): string {
    const there = this.slice(start, end).match(/\r?\n/g) ?? [];
    const usual = there.at(-1) ?? this.#usual();
    if (usual === null) return asGiven;
    let place = 0;
    return replacement.replaceAll('\n', () => there[place++] ?? usual);
  }

  /** The most frequent kind; null in a text of one line. */
  #usual(): '\n' | '\r\n' | null {
    const all = this.plain.split('\n').length - 1;
    if (all === 0) return null;
    return this.#crlf.length * 2 > all ? '\r\n' : '\n';
  }

  /** How many line ends before the plain offset were CRLF. */
  #crlfBefore(offset: number): number {
    let [low, high] = [0, this.#crlf.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#crlf[middle] ?? Infinity) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
