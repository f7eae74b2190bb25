/** Whatever a subject sends, what would be written of it is in canonical form: nothing that `accept` writes is NON_CANONICAL. */
import fc from 'fast-check';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { canonicalJson, canonicalYaml } from '../observe/canonical.ts';
import { systemPromptText } from '../observe/system-prompt.ts';
import { formFaults } from './canonical-form.ts';
import { canonicalText } from './expected-file.ts';

const texts = fc.string({
  unit: fc.constantFrom(
    ...['a', ' ', '\n', '\n', '\r', '\t', '\uFEFF', '\0', '\u0085', '\u2028', '\u001B', '\u007F', '\uD800'],
    ...[
      '\uDC00',
      '<<<<<<< x',
      '>>>>>>> y',
      '=======',
      '#',
      ':',
      '-',
      '"',
      "'",
      '|',
      '\u{1F600}',
      '\\',
      '<!-- block 2 -->',
    ],
  ),
  maxLength: 10,
});

function expectCanonical(file: string, written: string): string {
  const text = Buffer.from(written).toString();
  expect(formFaults({ file, text }), JSON.stringify(written)).toEqual([]);
  expect(canonicalText(file, text)).toBe(text);
  return text;
}

describe('what is written of any text', () => {
  it('is a canonical prompt file', () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 3 }), (blocks) => {
        expectCanonical('a/system-prompt.expected.md', systemPromptText(blocks));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is a canonical YAML file, which says the same when it is read, wherever the text stands', () => {
    fc.assert(
      fc.property(texts, texts, (one, last) => {
        const value = { conversations: { main: [{ adds: [{ user: one }], drew: last }] } };
        const text = expectCanonical('a/transcript.expected.yaml', canonicalYaml(value));
        expect(parse(text)).toEqual(value);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is a canonical JSON file, which says the same when it is read', () => {
    fc.assert(
      fc.property(texts, (one) => {
        const text = expectCanonical('a/tool-schemas.expected.json', canonicalJson([{ description: one }]));
        expect(JSON.parse(text)).toEqual([{ description: one }]);
      }),
      { numRuns: 1_000 },
    );
  });
});
