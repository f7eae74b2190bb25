/** Expectations that list only what matters, held against what was found. */
import type { JsonValue, TextMatch } from '../scenario/scenario.ts';
import { isList, isObject } from '../subject/event-view.ts';

/** The first place where a partial value does not fit. `path` is empty for the value itself. */
export interface Mismatch {
  readonly path: string;
  readonly expected: JsonValue;
  readonly found: JsonValue | undefined;
}

/** "contains", unless `{is: text}`. */
export function textFits(expected: TextMatch, found: string): boolean {
  return 'is' in expected ? found === expected.is : found.includes(expected.contains);
}

/**
 * Objects fit when each key that is given fits, lists when they are as long and fit item by item, strings when they are
 * contained, `{is: x}` when it equals, everything else when it is equal. Null: it fits.
 */
export function mismatch(expected: JsonValue, found: JsonValue | undefined, path = ''): Mismatch | null {
  const differs = { path, expected, found };
  if (typeof expected === 'string')
    return typeof found === 'string' && found.includes(expected) ? null : differs;
  if (isList(expected)) {
    if (!isList(found) || found.length !== expected.length) return differs;
    return firstOf(
      expected.map((item, index) => () => mismatch(item, found[index], join(path, String(index)))),
    );
  }
  if (!isObject(expected)) return found === expected ? null : differs;
  const exact = exactValue(expected);
  if (exact !== undefined) return JSON.stringify(found) === JSON.stringify(exact) ? null : differs;
  if (!isObject(found)) return differs;
  return firstOf(
    Object.entries(expected).map(
      ([key, item]) =>
        () =>
          mismatch(item, found[key], join(path, key)),
    ),
  );
}

function exactValue(expected: { readonly [key: string]: JsonValue }): JsonValue | undefined {
  const keys = Object.keys(expected);
  return keys.length === 1 && keys[0] === 'is' ? expected['is'] : undefined;
}

function firstOf(checks: readonly (() => Mismatch | null)[]): Mismatch | null {
  for (const check of checks) {
    const found = check();
    if (found !== null) return found;
  }
  return null;
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
