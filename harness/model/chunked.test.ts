import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunked, unchunked } from './chunked.ts';

describe('writes as chunks', () => {
  it('stand each in a chunk of its own, counted in bytes', () => {
    expect(chunked(['data: ä\n\n', 'x'.repeat(17)])).toBe(`a\r\ndata: ä\n\n\r\n11\r\n${'x'.repeat(17)}\r\n`);
  });

  it.each([1, 15, 16, 255, 256, 4_096, 70_000])('say their size, %i bytes, in hexadecimal', (size) => {
    const [head] = chunked(['x'.repeat(size)]).split('\r\n');
    expect(Number.parseInt(head ?? '', 16)).toBe(size);
  });

  it('leave out a write of no bytes, which would end the body', () => {
    expect(chunked(['', 'a', ''])).toBe('1\r\na\r\n');
    expect(chunked([''])).toBe('');
  });

  it('can be told apart again, whatever they say', () => {
    const texts = fc.array(
      fc.string({ unit: fc.constantFrom('a', 'ä', '\u{1F600}', '\ud800', '\r', '\n', '0') }),
    );
    fc.assert(
      fc.property(texts, (writes) => {
        const sent = writes.filter((text) => text !== '').map((text) => Buffer.from(text, 'utf8'));
        expect(unchunked(chunked(writes)).map((bytes) => Buffer.from(bytes))).toEqual(sent);
      }),
    );
  });
});
