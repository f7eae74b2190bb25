import { describe, expect, it } from 'vitest';
import { chunked } from './chunked.ts';
import { bytesOf } from './framing.ts';

describe('writes as chunks', () => {
  it('stand each in a chunk of its own, counted in bytes', () => {
    const written = chunked([bytesOf('data: ä\n\n'), bytesOf('x'.repeat(17))]);
    expect(Buffer.from(written).toString()).toBe(`a\r\ndata: ä\n\n\r\n11\r\n${'x'.repeat(17)}\r\n`);
  });

  it.each([1, 15, 16, 255, 256, 4_096, 70_000])('say their size, %i bytes, in hexadecimal', (size) => {
    const head = Buffer.from(chunked([Buffer.alloc(size)]))
      .toString('latin1')
      .split('\r\n')[0];
    expect(Number.parseInt(head ?? '', 16)).toBe(size);
  });

  it('leave out a write of no bytes, which would end the body', () => {
    expect(Buffer.from(chunked([bytesOf(''), bytesOf('a'), bytesOf('')])).toString()).toBe('1\r\na\r\n');
    expect(chunked([bytesOf('')])).toHaveLength(0);
  });
});
