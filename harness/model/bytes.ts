/** Bytes of a text, in UTF-8; bytes as they are. */
export function bytesOf(what: string | Uint8Array): Uint8Array {
  return typeof what === 'string' ? Buffer.from(what, 'utf8') : what;
}
