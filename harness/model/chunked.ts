/** Chunks of HTTP/1.1: writes that go out together, and reach a client one by one all the same. Pure. */

/** Every text in a chunk of its own. One of no bytes is left out: on the wire it would be the end. */
export function chunked(texts: readonly string[]): string {
  const ascii = joined(texts, (text) => text.length);
  // Nearly all that is sent is ASCII, where nothing has to be counted twice.
  if (Buffer.byteLength(ascii) === ascii.length) return ascii;
  return joined(texts, (text) => Buffer.byteLength(text));
}

function joined(texts: readonly string[], lengthOf: (text: string) => number): string {
  const parts: string[] = [];
  for (const text of texts) if (text !== '') parts.push(lengthOf(text).toString(16), '\r\n', text, '\r\n');
  return parts.join('');
}

/** What was put into chunks. */
export function unchunked(chunks: string): Uint8Array[] {
  const bytes = Buffer.from(chunks, 'utf8');
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const start = bytes.indexOf('\r\n', at) + 2;
    const end = start + Number.parseInt(bytes.toString('latin1', at, start), 16);
    parts.push(bytes.subarray(start, end));
    at = end + 2;
  }
  return parts;
}
