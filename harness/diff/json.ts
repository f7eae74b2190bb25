/** Two JSON values compared by pointer, with added, removed, changed, renamed and reordered as separate verbs. Pure. */
import { sortedKeys } from '../observe/canonical.ts';
import type { JsonValue } from '../scenario/scenario.ts';

export type JsonChange = {
  /** RFC 6901; the empty pointer is the whole value. */
  readonly pointer: string;
} & (
  | { readonly verb: 'added'; readonly value: JsonValue }
  | { readonly verb: 'removed'; readonly value: JsonValue }
  | { readonly verb: 'changed'; readonly before: JsonValue; readonly after: JsonValue }
  /** A key of a map with the same value under another name. */
  | { readonly verb: 'renamed'; readonly to: string }
  /** The same items, or the same keys, in another order. */
  | { readonly verb: 'reordered'; readonly before: readonly string[]; readonly after: readonly string[] }
);

type JsonMap = { readonly [key: string]: JsonValue };

/** Every change, in the order of the new value. */
export function jsonChanges(before: JsonValue, after: JsonValue, pointer = ''): JsonChange[] {
  // The order of keys counts: it goes over the wire.
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isList(before) && isList(after)) return listChanges(before, after, pointer);
  if (isMap(before) && isMap(after)) return mapChanges(before, after, pointer);
  return [{ pointer, verb: 'changed', before, after }];
}

export function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function isMap(value: JsonValue): value is JsonMap {
  return typeof value === 'object' && value !== null && !isList(value);
}

/** A key as one step of a pointer. */
export function pointerTo(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function mapChanges(before: JsonMap, after: JsonMap, pointer: string): JsonChange[] {
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const fresh = Object.keys(after).filter((key) => !Object.hasOwn(before, key));
  const renamed = renames(
    gone.map((key) => [key, before[key] ?? null]),
    fresh.map((key) => [key, after[key] ?? null]),
  );
  const changes: JsonChange[] = [...renamed].map(([old, to]) => ({
    pointer: pointerTo(pointer, old),
    verb: 'renamed',
    to,
  }));
  for (const key of gone) {
    const value = before[key];
    if (!renamed.has(key) && value !== undefined)
      changes.push({ pointer: pointerTo(pointer, key), verb: 'removed', value });
  }
  const targets = new Set(renamed.values());
  for (const [key, value] of Object.entries(after)) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    if (old !== undefined) changes.push(...jsonChanges(old, value, pointerTo(pointer, key)));
    else if (!targets.has(key)) changes.push({ pointer: pointerTo(pointer, key), verb: 'added', value });
  }
  const [oldOrder, newOrder] = [
    Object.keys(before).filter((key) => Object.hasOwn(after, key)),
    Object.keys(after).filter((key) => Object.hasOwn(before, key)),
  ];
  return [...changes, ...order(pointer, oldOrder, newOrder)];
}

/** Each name that went, with the first one that came and has the same value, whatever the order of its keys. */
export function renames(
  gone: readonly (readonly [name: string, value: JsonValue])[],
  fresh: readonly (readonly [name: string, value: JsonValue])[],
): Map<string, string> {
  const left = new Map<string, string[]>();
  for (const [name, value] of fresh) {
    const text = JSON.stringify(sortedKeys(value));
    const names = left.get(text);
    if (names === undefined) left.set(text, [name]);
    else names.push(name);
  }
  for (const names of left.values()) names.reverse();
  const found = new Map<string, string>();
  for (const [name, value] of gone) {
    const now = left.get(JSON.stringify(sortedKeys(value)))?.pop();
    if (now !== undefined) found.set(name, now);
  }
  return found;
}

/** A reordering, where the same names stand in another order. */
export function order(pointer: string, before: readonly string[], after: readonly string[]): JsonChange[] {
  return before.join('\n') === after.join('\n') ? [] : [{ pointer, verb: 'reordered', before, after }];
}

/** Items of equal lists of names are matched by content, others by place. */
function listChanges(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  pointer: string,
): JsonChange[] {
  const [old, now] = [before.map((item) => JSON.stringify(item)), after.map((item) => JSON.stringify(item))];
  if ([...old].sort().join('\n') === [...now].sort().join('\n')) return order(pointer, old, now);
  const scalars = [...before, ...after].every((item) => !isList(item) && !isMap(item));
  const [oldItems, newItems] = [new Set(old), new Set(now)];
  if (scalars && oldItems.size === old.length && newItems.size === now.length) {
    return [
      ...old.flatMap((item, at): JsonChange[] =>
        newItems.has(item)
          ? []
          : [{ pointer: pointerTo(pointer, at), verb: 'removed', value: before[at] ?? null }],
      ),
      ...now.flatMap((item, at): JsonChange[] =>
        oldItems.has(item)
          ? []
          : [{ pointer: pointerTo(pointer, at), verb: 'added', value: after[at] ?? null }],
      ),
      ...order(
        pointer,
        old.filter((item) => newItems.has(item)),
        now.filter((item) => oldItems.has(item)),
      ),
    ];
  }
  const changes: JsonChange[] = [];
  for (let at = 0; at < Math.max(before.length, after.length); at += 1) {
    const [was, is] = [before[at], after[at]];
    const place = pointerTo(pointer, at);
    if (was === undefined && is !== undefined) changes.push({ pointer: place, verb: 'added', value: is });
    else if (was !== undefined && is === undefined)
      changes.push({ pointer: place, verb: 'removed', value: was });
    else if (was !== undefined && is !== undefined) changes.push(...jsonChanges(was, is, place));
  }
  return changes;
}
