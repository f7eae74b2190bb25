/** The one way in which values are written to expected files (pins.md: canonical formatting, LF, one final newline). */
import { Document, stringify, visit } from 'yaml';
import type { JsonValue } from '../scenario/scenario.ts';
import { isList, isObject } from '../subject/event-view.ts';

/** Lines are never folded. In quotes a text is one line: folded there, a blank at the end of a line is lost after a backslash. */
const AS_IT_IS = { lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER } as const;

/**
 * A YAML document without aliases. A text that ends in blank lines stands in quotes: as a block it would be one with the end of
 * the file.
 */
export function canonicalYaml(value: JsonValue): string {
  const text = stringify(value, { ...AS_IT_IS, aliasDuplicateObjects: false });
  if (!/\|\d?\+/u.test(text)) return text;
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_key, node) {
      if (
        typeof node.value === 'string' &&
        /\n[\n\t ]*$/u.test(node.value) &&
        !/[^\n\t ]\n$/u.test(node.value)
      )
        node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString(AS_IT_IS);
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
