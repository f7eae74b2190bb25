import { describe, expect, it } from 'vitest';
import { decodeText, LARGEST_FILE } from './text.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('the bytes of a file', () => {
  it('become text with LF line ends', () => {
    expect(decodeText(bytes('a: é\r\nb: 2\r\n'))).toEqual({ text: 'a: é\nb: 2\n' });
  });

  it('that are no UTF-8 are refused with their line', () => {
    const broken = new Uint8Array([...bytes('a: 1\nb: '), 0xe9, ...bytes('\nc: 3\n')]);
    expect(decodeText(broken)).toEqual({
      mistake: {
        position: { line: 2, column: 1 },
        path: '',
        message: expect.stringContaining('not UTF-8') as string,
      },
    });
  });

  it('that begin with a byte order mark are refused by name', () => {
    expect(decodeText(new Uint8Array([0xef, 0xbb, 0xbf, 0x61]))).toMatchObject({
      mistake: { message: expect.stringContaining('byte order mark') as string },
    });
  });

  it('that are too many are refused before they are parsed', () => {
    expect(decodeText(new Uint8Array(LARGEST_FILE + 1))).toHaveProperty('mistake');
  });
});
