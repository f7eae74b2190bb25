import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Lines } from './lines.ts';

function linesOf(pieces: readonly string[]): readonly string[] {
  const lines = new Lines();
  return [...pieces.flatMap((piece) => lines.push(piece)), ...lines.end()];
}

describe('lines of standard input', () => {
  it('each non-blank line is one, the last one also without a line end', () => {
    expect(linesOf(['a\n\n  \nb\r\nc'])).toEqual(['a', 'b', 'c']);
  });

  it('the lines of one piece come together', () => {
    const lines = new Lines();
    expect(lines.push('a\nb\nhal')).toEqual(['a', 'b']);
    expect(lines.push('f\n')).toEqual(['half']);
    expect(lines.end()).toEqual([]);
  });

  it('a byte order mark is no text', () => {
    expect(linesOf(['\uFEFFa\n'])).toEqual(['a']);
    expect(linesOf(['\uFEFF\n'])).toEqual([]);
  });

  it('however the text is cut into pieces, the lines are the same', () => {
    const text = fc
      .array(fc.constantFrom('a', 'é', '\n', '\r\n', ' ', '\uFEFFx'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.nat({ max: 20 })), (whole, cuts) => {
        const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)), whole.length].sort((a, b) => a - b);
        const pieces = at.slice(1).map((end, index) => whole.slice(at[index], end));
        expect(linesOf(pieces)).toEqual(linesOf([whole]));
      }),
    );
  });
});
