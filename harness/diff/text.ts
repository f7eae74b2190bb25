/** Two texts compared by lines, as rows to show: changed words marked, headings, folds, moves (pins.md, Diffs). Pure. */
import { edits, type Stretch } from './edits.ts';
import { around, cut, markWords } from './words.ts';

export type Row =
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'fold'; readonly count: number }
  | { readonly kind: 'note'; readonly text: string }
  | {
      readonly kind: 'same' | 'removed' | 'added';
      /** 1-based; of the old text where it is removed, else of the new one. */
      readonly line: number;
      readonly text: string;
    };

export interface TextDiff {
  readonly rows: readonly Row[];
  /** `1 line of 221, 3 words`. */
  readonly summary: string;
}

const CONTEXT = 2;
/** Characters of changed lines in which words are marked; those of later lines are not. */
const MOST_MARKED_CHARACTERS = 200_000;
/** Beyond this a diff is cut, with what is left out counted. */
const MOST_CHANGED_ROWS = 1_000;

/** Null where the texts are equal. */
export function textDiff(before: string, after: string): TextDiff | null {
  if (before === after) return null;
  const [old, fresh] = [linesOf(before), linesOf(after)];
  if (before.replaceAll('\r\n', '\n') === after.replaceAll('\r\n', '\n')) return lineEndsOnly(old, fresh);
  const stretches = edits(old, fresh);
  const moved = moves(stretches, old, fresh);
  const painter = new Painter({ old, fresh, moved });
  stretches.forEach((stretch, index) => painter.add(stretch, stretches[index + 1], stretches[index - 1]));
  return { rows: painter.rows, summary: painter.summary(old.length) };
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function lineEndsOnly(old: readonly string[], fresh: readonly string[]): TextDiff {
  const count = old.filter((line, at) => line !== fresh[at]).length;
  const summary = `line ends only, in ${count} of ${old.length} lines`;
  return {
    summary,
    rows: [{ kind: 'note', text: `Line ends only: CRLF against LF in ${count} of ${old.length} lines.` }],
  };
}

interface Moves {
  /** Old line -> new line, both from 0. */
  readonly to: ReadonlyMap<number, number>;
  readonly from: ReadonlyMap<number, number>;
}

/** A line with some content that was removed once and added once elsewhere. */
function moves(stretches: readonly Stretch[], old: readonly string[], fresh: readonly string[]): Moves {
  const collect = (kind: 'removed' | 'added'): Map<string, number | null> => {
    const places = new Map<string, number | null>();
    for (const stretch of stretches) {
      if (stretch.kind !== kind) continue;
      for (let at = 0; at < stretch.count; at += 1) {
        const place = (kind === 'removed' ? stretch.before : stretch.after) + at;
        const line = ((kind === 'removed' ? old : fresh)[place] ?? '').trim();
        if (line.length >= 8) places.set(line, places.has(line) ? null : place);
      }
    }
    return places;
  };
  const [removed, added] = [collect('removed'), collect('added')];
  const to = new Map<number, number>();
  for (const [line, place] of removed) {
    const target = added.get(line);
    if (place !== null && target !== null && target !== undefined && old[place] === fresh[target])
      to.set(place, target);
  }
  return { to, from: new Map([...to].map(([place, target]) => [target, place])) };
}

class Painter {
  readonly rows: Row[] = [];
  readonly #old: readonly string[];
  readonly #fresh: readonly string[];
  readonly #moved: Moves;
  readonly #count = {
    changed: 0,
    removed: 0,
    added: 0,
    words: 0,
    moved: 0,
    blank: 0,
    painted: 0,
    marked: 0,
    left: 0,
  };
  /** Index of the next removed line whose partner in the following added stretch is known. */
  #pairs = new Map<number, { readonly text: string }>();

  constructor(facts: {
    readonly old: readonly string[];
    readonly fresh: readonly string[];
    readonly moved: Moves;
  }) {
    this.#old = facts.old;
    this.#fresh = facts.fresh;
    this.#moved = facts.moved;
  }

  add(stretch: Stretch, next: Stretch | undefined, previous: Stretch | undefined): void {
    switch (stretch.kind) {
      case 'same':
        return this.#same(stretch, { first: previous === undefined, last: next === undefined });
      case 'removed':
        return this.#removed(stretch, next?.kind === 'added' ? next : undefined);
      case 'added':
        return this.#added(stretch);
    }
  }

  summary(total: number): string {
    const { changed, removed, added, words, moved, blank } = this.#count;
    const parts = [
      ...(changed > 0
        ? [
            `${count(changed, 'line')} of ${total}`,
            blank === changed ? 'whitespace only' : count(words, 'word'),
          ]
        : []),
      ...(removed > 0 ? [`${count(removed, 'line')} removed`] : []),
      ...(added > 0 ? [`${count(added, 'line')} added`] : []),
      ...(moved > 0 ? [`${count(moved, 'line')} moved`] : []),
    ];
    return changed > 0 ? parts.join(', ') : `${parts.join(', ')} of ${total}`;
  }

  #same(stretch: Stretch, edge: { readonly first: boolean; readonly last: boolean }): void {
    const lead = edge.first ? 0 : Math.min(CONTEXT, stretch.count);
    const trail = edge.last ? 0 : Math.min(CONTEXT, stretch.count - lead);
    const hidden = stretch.count - lead - trail;
    for (let at = 0; at < lead; at += 1) this.#context(stretch.after + at);
    if (hidden === 1) this.#context(stretch.after + lead);
    else if (hidden > 1) this.#put({ kind: 'fold', count: hidden });
    if (trail > 0 && (hidden > 1 || edge.first)) this.#heading(stretch.after + stretch.count - trail);
    for (let at = stretch.count - trail; at < stretch.count; at += 1) this.#context(stretch.after + at);
  }

  /** The nearest markdown heading above a place, where it isn't shown anyway. */
  #heading(place: number): void {
    for (let at = place; at >= 0; at -= 1) {
      const line = this.#fresh[at] ?? '';
      if (!/^#{1,6} /u.test(line)) continue;
      if (at < place) this.#put({ kind: 'heading', text: cut(line) });
      return;
    }
  }

  #context(place: number): void {
    this.#put({ kind: 'same', line: place + 1, text: cut(this.#fresh[place] ?? '') });
  }

  #removed(stretch: Stretch, partner: Stretch | undefined): void {
    const pairs = Math.min(stretch.count, partner?.count ?? 0);
    this.#pairs = new Map();
    for (let at = 0; at < stretch.count; at += 1) {
      const place = stretch.before + at;
      const line = this.#old[place] ?? '';
      const target = this.#moved.to.get(place);
      if (target !== undefined) this.#change('removed', place, `${cut(line)}  (moved to line ${target + 1})`);
      else if (at < pairs && partner !== undefined)
        this.#change('removed', place, this.#pair(line, partner.after + at));
      else {
        this.#count.removed += 1;
        this.#change('removed', place, cut(line));
      }
    }
  }

  /** Marks what differs, and remembers the other side for the stretch that follows. */
  #pair(line: string, place: number): string {
    const other = this.#fresh[place] ?? '';
    if (this.#moved.from.has(place)) {
      this.#count.removed += 1;
      return cut(line);
    }
    this.#count.changed += 1;
    if (squeezed(line) === squeezed(other)) {
      this.#count.blank += 1;
      this.#pairs.set(place, { text: `${visible(other)}  (whitespace only)` });
      return `${visible(line)}  (whitespace only)`;
    }
    const marked = this.#isWorthMarking(line, other) ? markWords(line, other) : null;
    this.#count.words += marked?.words ?? Math.max(roughWords(line), roughWords(other));
    const shown = marked === null ? { removed: cut(line), added: cut(other) } : around(marked);
    this.#pairs.set(place, { text: shown.added });
    return shown.removed;
  }

  /** A single endless line is compared by its ends, which costs little. */
  #isWorthMarking(line: string, other: string): boolean {
    const { painted, marked } = this.#count;
    this.#count.marked += Math.min(line.length + other.length, MOST_MARKED_CHARACTERS / 2);
    return painted < MOST_CHANGED_ROWS && marked < MOST_MARKED_CHARACTERS;
  }

  #added(stretch: Stretch): void {
    for (let at = 0; at < stretch.count; at += 1) {
      const place = stretch.after + at;
      const line = this.#fresh[place] ?? '';
      const source = this.#moved.from.get(place);
      const pair = this.#pairs.get(place);
      if (source !== undefined) {
        this.#count.moved += 1;
        this.#change('added', place, `${cut(line)}  (moved from line ${source + 1})`);
      } else if (pair !== undefined) this.#change('added', place, pair.text);
      else {
        this.#count.added += 1;
        this.#change('added', place, cut(line));
      }
    }
    this.#pairs = new Map();
  }

  #change(kind: 'removed' | 'added', place: number, text: string): void {
    if (this.#count.painted >= MOST_CHANGED_ROWS) this.#leaveOut(1);
    else {
      this.#count.painted += 1;
      this.#put({ kind, line: place + 1, text });
    }
  }

  #put(row: Row): void {
    if (this.#count.left === 0) this.rows.push(row);
  }

  /** Everything after the cut is one note, kept up to date. */
  #leaveOut(changed: number): void {
    if (this.#count.left > 0) this.rows.pop();
    this.#count.left += changed;
    this.rows.push({ kind: 'note', text: `… cut here: ${this.#count.left} more changed lines` });
  }
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function squeezed(line: string): string {
  return line.replace(/\s+/gu, '');
}

function roughWords(line: string): number {
  return line.length > 4_000 ? 1 : (line.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0);
}

/** Blanks at the ends, runs of blanks and tabs made visible. */
function visible(line: string): string {
  return cut(line)
    .replace(/\t/gu, '→')
    .replace(/\r/gu, '␍')
    .replace(/^ +| +$|(?<= ) +/gu, (blanks) => '·'.repeat(blanks.length));
}
