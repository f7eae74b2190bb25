/** The edit script between two lists of lines, in bounded time on any input (pins.md, Diffs). Pure. */
import { diffArrays } from 'diff';

/** A stretch of equal, removed or added lines; positions count from 0. */
export interface Stretch {
  readonly kind: 'same' | 'removed' | 'added';
  /** Where it begins in the old list, and in the new one. */
  readonly before: number;
  readonly after: number;
  readonly count: number;
}

/** Edit lengths that are tried exactly: the cost grows with their square. */
const EXACT_EDITS = 400;
const EXACT_EDITS_BETWEEN_ANCHORS = 60;
const GAPS_TRIED_EXACTLY = 300;

/**
 * Same head and tail are set apart; what is between is compared exactly while that is cheap, else by lines that stand
 * once in both lists, else taken as replaced.
 */
export function edits(before: readonly string[], after: readonly string[]): Stretch[] {
  const head = commonHead(before, after);
  const tail = commonTail(before, after, Math.min(before.length, after.length) - head);
  const builder = new Builder();
  builder.add('same', head);
  between(before.slice(head, before.length - tail), after.slice(head, after.length - tail), builder);
  builder.add('same', tail);
  return builder.stretches;
}

class Builder {
  readonly stretches: Stretch[] = [];
  #before = 0;
  #after = 0;

  add(kind: Stretch['kind'], count: number): void {
    if (count === 0) return;
    const last = this.stretches.at(-1);
    if (last?.kind === kind)
      this.stretches[this.stretches.length - 1] = { ...last, count: last.count + count };
    else this.stretches.push({ kind, before: this.#before, after: this.#after, count });
    if (kind !== 'added') this.#before += count;
    if (kind !== 'removed') this.#after += count;
  }
}

export function commonHead(before: ArrayLike<unknown>, after: ArrayLike<unknown>): number {
  const most = Math.min(before.length, after.length);
  let count = 0;
  while (count < most && before[count] === after[count]) count += 1;
  return count;
}

export function commonTail(before: ArrayLike<unknown>, after: ArrayLike<unknown>, most: number): number {
  let count = 0;
  while (count < most && before[before.length - 1 - count] === after[after.length - 1 - count]) count += 1;
  return count;
}

function between(before: readonly string[], after: readonly string[], builder: Builder): void {
  if (exactly(before, after, { builder, most: EXACT_EDITS })) return;
  let gaps = 0;
  let [old, fresh] = [0, 0];
  for (const anchor of [...anchors(before, after), { before: before.length, after: after.length }]) {
    gaps += 1;
    gap(before.slice(old, anchor.before), after.slice(fresh, anchor.after), {
      builder,
      exact: gaps <= GAPS_TRIED_EXACTLY,
    });
    if (anchor.before < before.length) builder.add('same', 1);
    [old, fresh] = [anchor.before + 1, anchor.after + 1];
  }
}

function gap(
  before: readonly string[],
  after: readonly string[],
  how: { readonly builder: Builder; readonly exact: boolean },
): void {
  const { builder } = how;
  if (how.exact && exactly(before, after, { builder, most: EXACT_EDITS_BETWEEN_ANCHORS })) return;
  builder.add('removed', before.length);
  builder.add('added', after.length);
}

/** False where more than `most` edits would be needed. */
function exactly(
  before: readonly string[],
  after: readonly string[],
  how: { readonly builder: Builder; readonly most: number },
): boolean {
  const { builder } = how;
  if (before.length === 0 || after.length === 0) {
    builder.add('removed', before.length);
    builder.add('added', after.length);
    return true;
  }
  if (Math.abs(before.length - after.length) > how.most) return false;
  const changes = diffArrays([...before], [...after], { maxEditLength: how.most });
  if (changes === undefined) return false;
  for (const change of changes) {
    builder.add(change.added ? 'added' : change.removed ? 'removed' : 'same', change.count);
  }
  return true;
}

interface Anchor {
  readonly before: number;
  readonly after: number;
}

/** Lines that stand exactly once in each list, as many as keep their order in both. */
function anchors(before: readonly string[], after: readonly string[]): Anchor[] {
  const inAfter = once(after);
  const candidates = [...once(before)].flatMap(([line, at]) => {
    const other = inAfter.get(line);
    return other === undefined ? [] : [{ before: at, after: other }];
  });
  return longestRising(candidates.sort((a, b) => a.before - b.before));
}

function once(lines: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  const twice = new Set<string>();
  lines.forEach((line, at) => {
    if (places.has(line)) twice.add(line);
    else places.set(line, at);
  });
  for (const line of twice) places.delete(line);
  return places;
}

/** Patience sorting: the longest part of the list in which `after` rises. */
function longestRising(list: readonly Anchor[]): Anchor[] {
  interface Card {
    readonly anchor: Anchor;
    readonly previous: Card | null;
  }
  const piles: Card[] = [];
  for (const anchor of list) {
    let [low, high] = [0, piles.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const top = piles[middle];
      if (top !== undefined && top.anchor.after < anchor.after) low = middle + 1;
      else high = middle;
    }
    piles[low] = { anchor, previous: piles[low - 1] ?? null };
  }
  const rising: Anchor[] = [];
  for (let card: Card | null = piles.at(-1) ?? null; card !== null; card = card.previous)
    rising.push(card.anchor);
  return rising.reverse();
}
