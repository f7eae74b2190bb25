/** Chunks of HTTP/1.1: writes that go out together, and reach a client one by one all the same. Pure. */

/** Every write in a chunk of its own, in one buffer. A write of no bytes is left out: on the wire it would be the end. */
export function chunked(writes: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const bytes of writes) length += bytes.length + FRAMING;
  const whole = Buffer.allocUnsafe(length);
  let at = 0;
  for (const bytes of writes) {
    if (bytes.length === 0) continue;
    at += whole.write(`${bytes.length.toString(16)}\r\n`, at, 'latin1');
    whole.set(bytes, at);
    at += bytes.length;
    whole[at] = CR;
    whole[at + 1] = LF;
    at += 2;
  }
  return whole.subarray(0, at);
}

const CR = 0x0d;
const LF = 0x0a;
/** The most that a chunk adds: eight digits and two line ends. */
const FRAMING = 12;
