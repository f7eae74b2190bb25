import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameReader } from './frames.ts';

function framesOf(pieces: readonly Buffer[], cap: number): readonly string[] {
  const reader = new FrameReader(cap);
  const frames = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
  return frames.map((frame) => (frame.kind === 'line' ? frame.bytes.toString() : '(too long)'));
}

describe('frames', () => {
  it('a line longer than the cap is told once and skipped; later lines are read', () => {
    expect(framesOf([Buffer.from('12345\n123456\n1\n')], 5)).toEqual(['12345', '(too long)', '1']);
  });

  it('an endless line is told before it ends, and none of it is kept', () => {
    const reader = new FrameReader(1000);
    const told = Array.from({ length: 1000 }, () => reader.push(Buffer.alloc(1000))).flat();
    expect(told).toEqual([{ kind: 'too-long' }]);
    expect(reader.push(Buffer.from('\nnext\n'))).toEqual([{ kind: 'line', bytes: Buffer.from('next') }]);
  });

  it('the last line needs no line end', () => {
    expect(framesOf([Buffer.from('a\nb')], 10)).toEqual(['a', 'b']);
  });

  it('however the bytes are cut, the frames are the same', () => {
    const text = fc
      .array(fc.constantFrom('a', 'é', '\n', 'bbbb'))
      .map((parts) => Buffer.from(parts.join('')));
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 30 })), (whole, cuts) => {
        const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)), whole.length].sort((a, b) => a - b);
        const pieces = at.slice(1).map((end, index) => whole.subarray(at[index], end));
        expect(framesOf(pieces, 6)).toEqual(framesOf([whole], 6));
      }),
    );
  });
});
