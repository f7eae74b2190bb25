import { describe, expect, it } from 'vitest';
import { nearest, suggestion } from './nearest.ts';

const WORDS = ['followup', 'steer', 'inject', 'text', 'is'];

describe('the nearest word', () => {
  it.each([
    ['folowup', ['followup']],
    ['txet', ['text']],
    ['Steer', ['steer']],
    ['inj', []],
    ['inje', ['inject']],
    ['iss', ['is']],
    ['nothing like it', []],
  ])('to %s', (word, expected) => {
    expect(nearest(word, WORDS)).toEqual(expected);
  });

  it('is suggested, or the short list of what is known', () => {
    expect(suggestion('txet', WORDS)).toBe('; did you mean "text"?');
    expect(suggestion('zebra', WORDS)).toBe('; known here: followup, steer, inject, text, is');
    expect(suggestion('zebra', [])).toBe('');
    expect(suggestion('zebra', Array(50).fill('horse') as string[])).toBe('');
  });
});
