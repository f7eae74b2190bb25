/** All texts in a JSON value. */
import type { JsonValue } from '../../document/position.ts';

/** Keys left out. A text that is JSON itself counts as the texts in it, too. */
export function stringsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value, ...nested(value)];
  if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap(stringsIn);
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(stringsIn);
  return [];
}

function nested(text: string): string[] {
  if (!/^\s*[[{]/u.test(text)) return [];
  try {
    return stringsIn(JSON.parse(text) as JsonValue);
  } catch {
    return [];
  }
}
