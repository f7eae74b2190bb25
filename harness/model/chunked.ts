/** Chunks of HTTP/1.1: writes that go out together, and reach a client one by one all the same. Pure. */

/** Every write in a chunk of its own, in one buffer. A write of no bytes is left out: on the wire it would be the end. */
export function chunked(writes: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const bytes of writes) length += bytes.length + FRAMING;
  const whole = Buffer.allocUnsafe(length);
  let at = 0;
  for (const bytes of writes) {
    if (bytes.length === 0) continue;
    at = writeSize(whole, bytes.length, at);
    whole.set(bytes, at);
    at = writeLineEnd(whole, at + bytes.length);
  }
  return whole.subarray(0, at);
}

/** In hexadecimal; digit by digit, since to write so short a string costs more than the rest. Both return where to go on. */
function writeSize(into: Uint8Array, size: number, at: number): number {
  let digits = 1;
  while (size >= 16 ** digits) digits += 1;
  for (let digit = 0; digit < digits; digit += 1) {
    into[at + digit] = DIGITS.charCodeAt((size >> (4 * (digits - digit - 1))) & 15);
  }
  return writeLineEnd(into, at + digits);
}

function writeLineEnd(into: Uint8Array, at: number): number {
  into[at] = CR;
  into[at + 1] = LF;
  return at + 2;
}

const DIGITS = '0123456789abcdef';

const CR = 0x0d;
const LF = 0x0a;
/** The most that a chunk adds: eight digits and two line ends. */
const FRAMING = 12;
