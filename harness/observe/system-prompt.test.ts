import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Normaliser, VolatileTable } from './placeholders.ts';
import { systemPromptText } from './system-prompt.ts';

it('one block stands as it is, with a final newline', () => {
  expect(systemPromptText(['You are terse.'])).toBe('You are terse.\n');
});

it('several blocks are joined by a line that numbers them', () => {
  expect(systemPromptText(['one', 'two', 'three'])).toBe(
    'one\n<!-- block 2 -->\ntwo\n<!-- block 3 -->\nthree\n',
  );
});

it('newlines at the end show, though the file ends with one', () => {
  expect(systemPromptText(['one\n'])).toBe('one\n<!-- ends with 1 newline -->\n');
  expect(systemPromptText(['one\n\n'])).not.toBe(systemPromptText(['one\n']));
});

it('what the file cannot hold stands by its number, and a literal one cannot pass for it', () => {
  expect(systemPromptText(['one\r\ntwo'])).toBe('one{{u+000D}}\ntwo\n');
  expect(systemPromptText(['\uFEFFone\0'])).toBe('{{u+FEFF}}one{{u+0000}}\n');
  expect(systemPromptText(['\uD83D cut, \u{1F600} whole'])).toBe('{{u+D83D}} cut, \u{1F600} whole\n');
});

it('a line that looks like one of the file itself, or like a merge conflict, does so no more', () => {
  expect(systemPromptText(['one\n<!-- block 2 -->\ntwo'])).toBe('one\n{{u+003C}}!-- block 2 -->\ntwo\n');
  expect(systemPromptText(['<<<<<<< HEAD\n=======\n>>>>>>> theirs'])).toBe(
    '{{u+003C}}<<<<<< HEAD\n=======\n{{u+003E}}>>>>>> theirs\n',
  );
});

it('no text, an empty one and a blank one are told apart, and none makes an empty file', () => {
  expect(systemPromptText([])).toBe('<!-- no system prompt -->\n');
  expect(systemPromptText([''])).toBe('\n<!-- ends with 0 newlines -->\n');
  expect(systemPromptText(['  '])).toBe('  \n<!-- ends with 0 newlines -->\n');
});

/** Blocks as they reach the file: with their placeholders. Dense in what is hard. */
const blocks = fc
  .array(
    fc
      .array(
        fc.constantFrom(
          ...[
            '\r',
            '\n',
            '\n',
            '\r\n',
            '\uFEFF',
            '\0',
            '\u001B',
            '\uD800',
            '\uDC00',
            ' ',
            'a',
            '{',
            '{{',
            '}}',
          ],
          ...['<!-- block 2 -->', '<!-- ends with 1 newline -->', '<!-- no system prompt -->', '<<<<<<< a'],
          ...['>>>>>>> b', '{{u+000D}}', 'u+000D}}', '<'],
        ),
        { maxLength: 8 },
      )
      .map((parts) => parts.join('')),
    { maxLength: 3 },
  )
  .map((texts) => {
    const normaliser = new Normaliser(new VolatileTable([], []));
    return texts.map((text) => normaliser.text(text));
  });

it('different prompts have different files', () => {
  const seen = new Map<string, string>();
  fc.assert(
    fc.property(blocks, (texts) => {
      const file = Buffer.from(systemPromptText(texts)).toString('utf8');
      const before = seen.get(file);
      expect(before ?? JSON.stringify(texts)).toBe(JSON.stringify(texts));
      seen.set(file, JSON.stringify(texts));
    }),
    { numRuns: 5_000 },
  );
});
