import { describe, expect, it } from 'vitest';
import { mistakeProblems } from './problem.ts';

const message = (text: string, line: number, column: number): string | undefined =>
  mistakeProblems({ kind: 'INVALID_SCENARIO', file: 'scenarios/turns/x.yaml', key: 'turns/x', text }, [
    { position: { line, column }, message: 'wrong', path: '' },
  ])[0]?.message;

describe('the line that is shown below a mistake', () => {
  it('has a mark below the column', () => {
    expect(message('one\n  two: 2\n', 2, 8)).toBe('wrong\n  2 |   two: 2\n             ^');
  });

  it('shows a tab as one sign, so that the mark stays below its column', () => {
    expect(message('\tx: 1\n', 1, 2)).toBe('wrong\n  1 | →x: 1\n       ^');
  });

  it('is cut around the column where it is long', () => {
    const long = `key: ${'x'.repeat(300)}!${'y'.repeat(300)}`;
    const [, shown = '', mark = ''] = message(long, 1, 306)?.split('\n') ?? [];
    expect(shown.length).toBeLessThan(120);
    expect(shown.charAt(mark.indexOf('^'))).toBe('!');
  });

  it('is left out where there is nothing to show', () => {
    expect(message('', 1, 1)).toBe('wrong');
  });
});
