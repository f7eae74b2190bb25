import fc from 'fast-check';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { canonicalYaml } from '../observe/canonical.ts';
import type { JsonValue } from '../scenario/scenario.ts';
import { isPlainlyCanonical } from './canonical-yaml.ts';

const texts = fc.oneof(
  fc.string({ maxLength: 12, size: 'max' }),
  fc.string({
    unit: fc.constantFrom(
      'a',
      ' ',
      '\n',
      ':',
      '#',
      '-',
      '"',
      "'",
      '{',
      '|',
      '0',
      '\t',
      '\\',
      '\u{1F600}',
      'ä',
    ),
    maxLength: 12,
    size: 'max',
  }),
  fc.constantFrom(
    'true',
    'null',
    '1',
    '1.50',
    '0x1f',
    'a: b',
    'line\nline',
    'line\nline\n',
    ' - x',
    '{{cwd}}/a',
    'two words, (three)',
    "it's a <word>",
    'False',
    '{{call:1}}\t',
    '1e3',
    '-',
  ),
);
const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    texts,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.constantFrom('main', 'log', 'a-b', 'x/y', 'true', '1'), texts), tie('tree'), {
      maxKeys: 3,
    }),
  ),
}));

const reads = (text: string): boolean => {
  try {
    return canonicalYaml(parse(text) as JsonValue) === text;
  } catch {
    return false;
  }
};

describe('the quick look at a YAML text', () => {
  it('never says yes to what the yaml package writes otherwise', () => {
    const damages = fc.constantFrom<(text: string, at: number) => string>(
      (text) => text,
      (text, at) => `${text.slice(0, at)} ${text.slice(at)}`,
      (text, at) => text.slice(0, at) + text.slice(at + 1),
      (text, at) => `${text.slice(0, at)}\n${text.slice(at)}`,
      (text, at) => `${text.slice(0, at)}"${text.slice(at)}`,
      (text, at) => `${text.slice(0, at)}- ${text.slice(at)}`,
    );
    fc.assert(
      fc.property(tree, damages, fc.nat(200), (value, damage, place) => {
        const canonical = canonicalYaml(value);
        const text = damage(canonical, place % (canonical.length + 1));
        if (isPlainlyCanonical(text)) expect(reads(text), JSON.stringify(text)).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  it('knows an ordinary transcript', () => {
    const transcript = canonicalYaml({
      conversations: {
        main: [
          {
            adds: ['prompt alpha-1', { tool: 'a\n  b\n\nc' }],
            drew: { text: '# Title\nx\n' },
            ended: 'finished',
          },
        ],
      },
      turns: { main: [{ turn: 1, prompt: 'say: "hi"', source: null, steps: 2, end: 'completed' }] },
      log: { main: { inbox: [{ type: 'message/enqueued', id: '{{message:1}}' }], loop: [] } },
    });
    expect(isPlainlyCanonical(transcript)).toBe(true);
  });

  it('says yes to a map of 64 keys, and leaves a greater one to the yaml package', () => {
    const map = (keys: number): string =>
      Array.from({ length: keys }, (_, index) => `key${String(index)}: word\n`).join('');
    expect([isPlainlyCanonical(map(64)), isPlainlyCanonical(map(65))]).toEqual([true, false]);
    expect(reads(map(65))).toBe(true);
  });

  it('knows a text of more different lines than it remembers, again and again', () => {
    const list = Array.from({ length: 12_000 }, (_, index) => `- word ${String(index)}\n`).join('');
    expect([list, list, `${list}-  word\n`].map(isPlainlyCanonical)).toEqual([true, true, false]);
  });

  it('looks at a line that it knows where it stands now', () => {
    expect(
      ['a:\n  b: 1\n', 'a:\n  b: 1\n  b: 1\n', '  b: 1\n', 'a:\n  - c\n  b: 1\n'].map(isPlainlyCanonical),
    ).toEqual([true, false, false, false]);
  });

  it.each([
    'a:\n    b: 1\n',
    'a: "b"\n',
    'a: 1 # why\n',
    'a: b',
    'a: {b: 1}\n',
    'a:\n- b\n',
    'a: b\na: c\n',
    'a:\nb: 1\n',
    'a: |\n  x\n\n',
    'a: |-\n  x\n  \n  y\n',
    'a: "b\tc "\n',
    'a: "{{b}}\tc"\n',
    'a: TRUE\n',
    'True: a\n',
    'a: b \n',
    'a:  b\n',
    '- a\nb: 1\n',
    'a: 1\n- b\n',
    'a:\n  - b: 1\n   c: 2\n',
    'a:\n',
    'a\n',
    '-\n',
  ])('does not say yes to %j', (text) => {
    expect(isPlainlyCanonical(text)).toBe(false);
  });
});
