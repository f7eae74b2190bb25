import { describe, expect, it } from 'vitest';
import { chunked } from './chunked.ts';

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
});
