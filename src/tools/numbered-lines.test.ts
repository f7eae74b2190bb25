import { describe, expect, it } from 'vitest';
import { LARGEST_WINDOW, LONGEST_LINE, numberLines } from './numbered-lines.ts';

const ALL = { offset: 1, limit: 100_000 };

describe('numberLines', () => {
  it('numbers lines from 1, with or without a final line end', () => {
    expect(numberLines('a\nb', ALL)).toEqual({ text: '     1\ta\n     2\tb', shown: 2, total: 2 });
    expect(numberLines('a\nb\n', ALL)).toEqual({ text: '     1\ta\n     2\tb', shown: 2, total: 2 });
    expect(numberLines('\n', ALL)).toEqual({ text: '     1\t', shown: 1, total: 1 });
    expect(numberLines('\n\r\n', ALL)).toEqual({ text: '     1\t\n     2\t', shown: 2, total: 2 });
  });

  it('shows no carriage return of a line end, but one that stands elsewhere', () => {
    expect(numberLines('a\r\nb\rc\r\n', ALL).text).toBe('     1\ta\n     2\tb\rc');
  });

  it('shows a window, and counts the whole', () => {
    expect(numberLines('a\nb\nc\nd', { offset: 2, limit: 2 })).toEqual({
      text: '     2\tb\n     3\tc',
      shown: 2,
      total: 4,
    });
    expect(numberLines('a\nb', { offset: 3, limit: 2 })).toEqual({ text: '', shown: 0, total: 2 });
  });

  it('cuts a long line without splitting a character', () => {
    const line = 'x'.repeat(LONGEST_LINE - 1) + '😀😀';
    expect(numberLines(line, ALL).text).toBe(`     1\t${'x'.repeat(LONGEST_LINE - 1)} [4 more characters]`);
  });

  it('stops before the window grows too large, at a line', () => {
    const { text, shown, total } = numberLines(`${'y'.repeat(1_000)}\n`.repeat(500), ALL);
    expect(text.length).toBeLessThanOrEqual(LARGEST_WINDOW);
    expect(shown).toBe(Math.floor(LARGEST_WINDOW / 1_008));
    expect(total).toBe(500);
  });
});
