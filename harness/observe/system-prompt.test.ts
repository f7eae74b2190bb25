import { expect, it } from 'vitest';
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
