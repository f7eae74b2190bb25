import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from './retry-after.ts';

const NOW = Date.parse('Mon, 30 Nov 2026 12:00:00 GMT');
const wait = (headers: Record<string, string>) => parseRetryAfter(new Headers(headers), NOW);

describe('parseRetryAfter', () => {
  it.each([
    ['2', 2_000],
    [' 2 ', 2_000],
    ['1.5', 1_500],
    ['0', 0],
    ['86400', 86_400_000],
    // More than any agent waits; it then fails and says so, where a header that is ignored would have it ask again at once.
    ['999999', 999_999_000],
    ['9999990', 9_999_990_000],
    ['Mon, 30 Nov 2026 12:00:03 GMT', 3_000],
  ])('reads "%s" as %i ms', (text, ms) => {
    expect(wait({ 'retry-after': text })).toBe(ms);
  });

  it.each([
    '',
    '-5',
    '+5',
    'soon',
    '1e3',
    'Infinity',
    'NaN',
    '0x10',
    '99999999',
    '99999999999999999999',
    'Mon, 30 Nov 2026 11:59:59 GMT',
    'Mon, 30 Nov 2026 12:00:00 GMT',
    'Mon, 30 Nov 2076 12:00:00 GMT',
    '2026-11-30T12:00:03Z',
    'Mon, 99 Nov 2026 12:00:03 GMT',
  ])('takes "%s" for no answer', (text) => {
    expect(wait({ 'retry-after': text })).toBeUndefined();
  });

  it("measures a date against the server's own clock where the response tells it", () => {
    const headers = { date: 'Mon, 30 Nov 2026 15:00:00 GMT', 'retry-after': 'Mon, 30 Nov 2026 15:00:07 GMT' };
    expect(wait(headers)).toBe(7_000);
  });

  it('prefers milliseconds where they are sane', () => {
    expect(wait({ 'retry-after-ms': '250', 'retry-after': '9' })).toBe(250);
    expect(wait({ 'retry-after-ms': '-1', 'retry-after': '9' })).toBe(9_000);
  });

  it('finds nothing where nothing is', () => {
    expect(wait({})).toBeUndefined();
  });
});
