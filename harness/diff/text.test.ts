import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeOf } from './change.ts';
import { edits } from './edits.ts';
import { renderRows } from './render.ts';
import { textDiff } from './text.ts';

function shown(before: string, after: string): string {
  return renderRows(textDiff(before, after)?.rows ?? []);
}

function summary(before: string, after: string): string | undefined {
  return textDiff(before, after)?.summary;
}

const lines = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => `${text(index + 1)}\n`).join('');

describe('the difference of two texts', () => {
  it('marks the changed words, with two lines of context, the heading and a fold', () => {
    const before = `# Tool use\n${lines(99, (index) => `- Rule ${index}: always.`)}- When the user asks, answer.\n${lines(118, (index) => `Tail ${index}.`)}`;
    const after = before.replace('When the user', 'Whenever a user');
    expect(summary(before, after)).toBe('1 line of 219, 2 words');
    expect(shown(before, after)).toBe(
      [
        '… 98 unchanged lines',
        '# Tool use',
        '    99   - Rule 98: always.',
        '   100   - Rule 99: always.',
        '  -101   - [When the] user asks, answer.',
        '  +101   - [Whenever a] user asks, answer.',
        '   102   Tail 1.',
        '   103   Tail 2.',
        '… 116 unchanged lines',
      ].join('\n'),
    );
  });

  it('says that only line ends differ', () => {
    expect(summary('a\nb\n', 'a\r\nb\r\n')).toBe('line ends only, in 2 of 2 lines');
    expect(shown('a\nb\n', 'a\nb\r\n')).toBe('Line ends only: CRLF against LF in 1 of 2 lines.');
  });

  it('says that only white space differs, and makes it visible', () => {
    expect(summary('a b\n', 'a  b \n')).toBe('1 line of 1, whitespace only');
    expect(shown('a b\n', 'a  b \n')).toBe('  -1   a b  (whitespace only)\n  +1   a ·b·  (whitespace only)');
  });

  it('says which lines were moved, and where to', () => {
    const [before, after] = ['first line\nb\nc\nd\n', 'b\nc\nd\nfirst line\n'];
    expect(summary(before, after)).toBe('1 line moved of 4');
    expect(shown(before, after)).toContain('-1   first line  (moved to line 4)');
    expect(shown(before, after)).toContain('+4   first line  (moved from line 1)');
  });

  it('counts added and removed lines apart from changed ones', () => {
    expect(summary('a\nb\n', 'a\nb\nc\nd\n')).toBe('2 lines added of 2');
    expect(summary('a\nb\nc\n', 'a\n')).toBe('2 lines removed of 3');
  });

  it('leaves lines unmarked that have nothing in common', () => {
    expect(shown('alpha beta\n', 'something else entirely\n')).toBe(
      '  -1   alpha beta\n  +1   something else entirely',
    );
  });

  it('shows the mark of a line that is too long for a row', () => {
    const line = `${'word '.repeat(100)}end here`;
    const text = shown(`${line}\n`, `${line.replace('end', 'stop')}\n`);
    expect(text).toContain('[end] here');
    expect(text).toContain('[stop] here');
    expect(text.length).toBeLessThan(300);
  });

  it('shows of a long line the surroundings of the change', () => {
    const long = 'x'.repeat(50_000);
    expect(shown(`${long}a${long}\n`, `${long}b${long}\n`)).toBe(
      `  -1   …${'x'.repeat(100)}[a]${'x'.repeat(100)}…\n  +1   …${'x'.repeat(100)}[b]${'x'.repeat(100)}…`,
    );
  });
});

describe('an edit script', () => {
  it('rebuilds both texts, whatever they are', () => {
    const list = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 40, size: 'max' });
    fc.assert(
      fc.property(list, list, (before, after) => {
        const stretches = edits(before, after);
        const rebuild = (side: 'removed' | 'added'): string[] =>
          stretches.flatMap(({ kind, before: b, after: a, count }) =>
            kind === 'same' || kind === side
              ? side === 'removed'
                ? before.slice(b, b + count)
                : after.slice(a, a + count)
              : [],
          );
        expect(rebuild('removed')).toEqual(before);
        expect(rebuild('added')).toEqual(after);
      }),
    );
  });

  it('rebuilds texts that are too different to be compared exactly', () => {
    const before = Array.from({ length: 3_000 }, (_, index) =>
      index % 7 === 0 ? `anchor ${index}` : `old ${index}`,
    );
    const after = Array.from({ length: 3_000 }, (_, index) =>
      index % 7 === 0 ? `anchor ${index}` : `new ${index}`,
    );
    const same = edits(before, after).filter(({ kind }) => kind === 'same');
    expect(same.reduce((sum, { count }) => sum + count, 0)).toBe(429);
  });
});

describe('a difference without measure', () => {
  it('of sixty thousand changed lines is cut, and counted in whole', () => {
    const change = changeOf(
      'x.md',
      lines(60_000, (index) => `old ${index} a`),
      lines(60_000, (index) => `new ${index} b`),
    );
    expect(change.summary).toMatch(/^60000 lines of 60000, /u);
    expect(change.diff.split('\n').length).toBeLessThan(1_100);
    expect(change.diff.split('\n').at(-1)).toBe('… cut here: 119000 more changed lines');
  });

  it('of one line of five megabytes shows a few hundred characters', () => {
    const line = 'word '.repeat(1_000_000);
    expect(changeOf('x.md', `${line}\n`, `${line.replace('word', 'ward')}\n`).diff.length).toBeLessThan(
      1_000,
    );
    expect(changeOf('x.md', `${line}\n`, `${'else '.repeat(1_000_000)}\n`).diff.length).toBeLessThan(2_000);
  });

  it('of sixty thousand equal lines and one more is one line', () => {
    const text = lines(60_000, (index) => `line ${index % 10}`);
    expect(changeOf('x.md', text, `${text}more\n`).summary).toBe('1 line added of 60000');
  });
});
