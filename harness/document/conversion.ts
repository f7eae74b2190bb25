/** YAML nodes -> JSON values with their places. Duplicate keys, aliases and keys that are no text are judged here. */
import { isAlias, isMap, isScalar, isSeq, type Alias, type Node, type Pair, type Scalar } from 'yaml';
import type { JsonValue, Mistake, Position } from './position.ts';

/** A value with where it stands. Offsets count UTF-16 units from the start of the text. */
export interface Entry {
  readonly value: JsonValue;
  readonly keyStart: number;
  readonly start: number;
  readonly end: number;
  /** Null for scalars. */
  readonly children: ReadonlyMap<string, Entry> | null;
  /** Values in it, itself included; an alias counts for all that it stands for. */
  readonly size: number;
}

export interface Converted {
  readonly root: Entry;
  readonly mistakes: readonly Mistake[];
}

/** No hand-written file comes near these; an alias bomb does at once. */
const MOST_VALUES = 200_000;
const DEEPEST = 64;

type Anchored = { readonly entry: Entry } | 'open';

interface Walk {
  readonly anchors: Map<string, Anchored>;
  readonly position: (offset: number) => Position;
  readonly note: (offset: number, message: string) => void;
  bomb: boolean;
}

interface Place {
  readonly keyStart: number | null;
  readonly depth: number;
}

export function convert(contents: unknown, position: (offset: number) => Position): Converted {
  const mistakes: Mistake[] = [];
  const walk: Walk = {
    anchors: new Map(),
    position,
    note: (offset, message) => mistakes.push({ position: position(offset), message, path: '' }),
    bomb: false,
  };
  return { root: entryOf(contents, { keyStart: null, depth: 0 }, walk), mistakes };
}

function entryOf(node: unknown, place: Place, walk: Walk): Entry {
  if (place.depth > DEEPEST) {
    const [start] = rangeOf(node, place);
    walk.note(start, `more than ${String(DEEPEST)} levels of nesting; no part of a file goes that deep`);
    return leaf(null, node, place);
  }
  if (isAlias(node)) return aliasOf(node, place, walk);
  const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
  if (anchor !== undefined) walk.anchors.set(anchor, 'open');
  const entry = isMap(node)
    ? mapOf(node, place, walk)
    : isSeq(node)
      ? listOf(node, place, walk)
      : leaf(isScalar(node) ? scalarOf(node, walk) : null, node, place);
  if (anchor !== undefined) walk.anchors.set(anchor, { entry });
  return entry;
}

function rangeOf(node: unknown, place: Place): readonly [start: number, end: number] {
  const range = (node as Node | null)?.range;
  return range === null || range === undefined
    ? [place.keyStart ?? 0, place.keyStart ?? 0]
    : [range[0], range[1]];
}

function leaf(value: JsonValue, node: unknown, place: Place): Entry {
  const [start, end] = rangeOf(node, place);
  return { value, keyStart: place.keyStart ?? start, start, end, children: null, size: 1 };
}

function scalarOf(node: Scalar, walk: Walk): JsonValue {
  const { value } = node;
  const [start] = rangeOf(node, { keyStart: 0, depth: 0 });
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) {
      walk.note(
        start,
        `${node.source ?? 'this'} is no number that JSON knows; put it in quotes if a text is meant`,
      );
    } else if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      walk.note(
        start,
        `${node.source ?? 'this'} is too large to be kept exactly; put it in quotes if a text is meant`,
      );
    }
    return value;
  }
  if (typeof value !== 'string') {
    walk.note(start, 'this is no text, number, true, false or null');
    return null;
  }
  if (/\p{Surrogate}/u.test(value))
    walk.note(start, 'this text has half a character (a lone surrogate escape)');
  return value;
}

function listOf(node: { readonly items: readonly unknown[] }, place: Place, walk: Walk): Entry {
  const [start, end] = rangeOf(node, place);
  const values: JsonValue[] = [];
  const children = new Map<string, Entry>();
  let size = 1;
  for (const item of node.items) {
    if (walk.bomb) break;
    const entry = entryOf(item, { keyStart: null, depth: place.depth + 1 }, walk);
    children.set(String(values.length), entry);
    values.push(entry.value);
    size += entry.size;
  }
  return checkSize(
    { value: Object.freeze(values), keyStart: place.keyStart ?? start, start, end, children, size },
    walk,
  );
}

function mapOf(node: { readonly items: readonly Pair<unknown, unknown>[] }, place: Place, walk: Walk): Entry {
  const [start, end] = rangeOf(node, place);
  const value: { [key: string]: JsonValue } = {};
  const children = new Map<string, Entry>();
  let size = 1;
  for (const pair of node.items) {
    if (walk.bomb) break;
    const keyStart = rangeOf(pair.key, { keyStart: start, depth: 0 })[0];
    const key = keyOf(pair.key, keyStart, walk);
    if (key === null) continue;
    const first = children.get(key);
    if (first !== undefined) {
      const line = String(walk.position(first.keyStart).line);
      walk.note(
        keyStart,
        `the key "${key}" is here twice: first on line ${line}, again here; keep one of them`,
      );
      continue;
    }
    const entry = entryOf(pair.value, { keyStart, depth: place.depth + 1 }, walk);
    children.set(key, entry);
    value[key] = entry.value;
    size += entry.size;
  }
  return checkSize(
    { value: Object.freeze(value), keyStart: place.keyStart ?? start, start, end, children, size },
    walk,
  );
}

function keyOf(key: unknown, offset: number, walk: Walk): string | null {
  if (isMap(key) || isSeq(key)) {
    walk.note(
      offset,
      isMap(key)
        ? 'braces begin a map here; if a text with braces is meant, such as {{child:NAME}}, put it in quotes'
        : 'a key is a plain word; put it in quotes if it has brackets',
    );
    return null;
  }
  if (isAlias(key)) {
    walk.note(offset, 'a key cannot be an alias (*name); write it out, or put it in quotes');
    return null;
  }
  const value: unknown = isScalar(key) ? key.value : key;
  if (value === null || value === undefined || value === '') {
    walk.note(offset, 'a key is missing before the colon');
    return null;
  }
  if (value === '<<') {
    walk.note(offset, 'merge keys (<<) are not supported; write the keys out');
    return null;
  }
  const text =
    isScalar(key) && typeof value !== 'string' && key.source !== undefined ? key.source : String(value);
  if (text === '__proto__') {
    walk.note(offset, 'the key "__proto__" is not allowed');
    return null;
  }
  return text;
}

function aliasOf(node: Alias, place: Place, walk: Walk): Entry {
  const anchored = walk.anchors.get(node.source);
  if (anchored !== undefined && anchored !== 'open') {
    const own = leaf(null, node, place);
    const { value, children, size } = anchored.entry;
    return checkSize({ ...own, value, children, size }, walk);
  }
  const [start] = rangeOf(node, place);
  walk.note(
    start,
    anchored === 'open'
      ? `the alias *${node.source} stands inside the very value that it names`
      : `no anchor &${node.source} stands before this alias; put the text in quotes if it should begin with an asterisk`,
  );
  return leaf(null, node, place);
}

function checkSize(entry: Entry, walk: Walk): Entry {
  if (entry.size <= MOST_VALUES || walk.bomb) return entry;
  walk.bomb = true;
  walk.note(
    entry.start,
    `the aliases in here stand for ${String(entry.size)} values, more than the ${String(MOST_VALUES)} that a file may have`,
  );
  return { ...entry, value: null, children: null, size: 1 };
}
