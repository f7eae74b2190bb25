/** An expected file's content, and the text that they would be in canonical form (pins.md). Pure. */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { parse } from 'yaml';
import { conflictMarkers } from '../document/conflict-markers.ts';
import { canonicalJson, canonicalYaml, sortedKeys } from '../observe/canonical.ts';
import { isPlainlyCanonical } from './canonical-yaml.ts';
import type { JsonValue } from '../scenario/scenario.ts';

export function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** What the bytes say in UTF-8, a byte order mark kept; the bytes themselves where they are no UTF-8. */
export function decode(bytes: Uint8Array): string | Uint8Array {
  return isUtf8(bytes)
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
    : bytes;
}

/** LF, no byte order mark, exactly one final newline. */
export function plainText(text: string): string {
  if (text.endsWith('\n') && !text.endsWith('\n\n') && !text.includes('\r') && !text.startsWith('\uFEFF'))
    return text;
  const lines = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const unix = lines.includes('\r') ? lines.replaceAll('\r\n', '\n') : lines;
  let end = unix.length;
  while (unix[end - 1] === '\n') end -= 1;
  return `${unix.slice(0, end)}\n`;
}

/** What the file would be in canonical form; null where nothing can be made of it: empty, in conflict, unreadable. */
export function canonicalText(file: string, text: string): string | null {
  const plain = plainText(text);
  if (plain === '\n' || conflictMarkers(plain).length > 0) return null;
  try {
    if (file.endsWith('.json')) return canonicalJson(sortedWhereAsked(file, JSON.parse(plain) as JsonValue));
    if (file.endsWith('.yaml') && isPlainlyCanonical(plain)) return plain;
    if (file.endsWith('.yaml')) return canonicalYaml(parse(plain, { uniqueKeys: true }) as JsonValue);
  } catch {
    return null;
  }
  return plain;
}

/** The request header has its keys sorted; the order in tool schemas is the subject's, and pinned. */
function sortedWhereAsked(file: string, value: JsonValue): JsonValue {
  return file.endsWith('request-header.expected.json') ? sortedKeys(value) : value;
}
