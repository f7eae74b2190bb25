/** The one way in which values are written to expected files (pins.md: canonical formatting, LF, one final newline). */
import { stringify } from 'yaml';
import type { JsonValue } from '../scenario/scenario.ts';
import { isList, isObject } from '../subject/event-view.ts';

/** A YAML document; lines are never folded, nothing is aliased. */
export function canonicalYaml(value: JsonValue): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** A JSON document with two spaces of indentation; keys as they come. */
export function canonicalJson(value: JsonValue): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The same value with the keys of every map sorted by code unit. */
export function sortedKeys(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(sortedKeys);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sortedKeys(item)]));
}
