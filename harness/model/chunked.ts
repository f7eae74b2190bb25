/** Chunks of HTTP/1.1: writes that go out together, and reach a client one by one all the same. Pure. */

/** Every text in a chunk of its own. One of no bytes is left out: on the wire it would be the end. */
export function chunked(texts: readonly string[]): string {
  let whole = '';
  for (const text of texts) {
    if (text !== '') whole += `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
  }
  return whole;
}
