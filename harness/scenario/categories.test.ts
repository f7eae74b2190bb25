import { describe, expect, it } from 'vitest';
import { mergeOverlays, readCategories } from './categories.ts';

const told = (text: string, topics: string[] = []): string[] =>
  readCategories(text, new Set(topics)).mistakes.map(
    ({ position, message }) => `${position.line} ${message}`,
  );

describe('categories', () => {
  it('inherit overlays and headers, key by key', () => {
    const { categories, mistakes } = readCategories(
      `base: {}
tools: {agent: {tools: {bash: true, write: true}, persona: plain}, headers: {varying: [X-Request-Id]}}
quiet:
  extends: tools
  agent: {tools: {write: false}, subagents: {reportDelivery: quiet}}
  headers: {varying: [x-trace]}
`,
      new Set(),
    );
    expect(mistakes).toEqual([]);
    expect(categories.get('quiet')).toMatchObject({
      extends: 'tools',
      agent: {
        tools: { bash: true, write: false },
        persona: 'plain',
        subagents: { reportDelivery: 'quiet' },
      },
      headers: { varying: ['x-request-id', 'x-trace'] },
      position: { line: 3 },
    });
  });

  it('may extend one that comes later', () => {
    const { categories } = readCategories('b: {extends: a}\na: {agent: {persona: x}}\n', new Set());
    expect(categories.get('b')?.agent).toEqual({ persona: 'x' });
  });

  it('have a base in every project', () => {
    expect([...readCategories(null, new Set()).categories.keys()]).toEqual(['base']);
    expect(readCategories('pirate: {extends: base}\n', new Set()).categories.get('pirate')?.extends).toBe(
      'base',
    );
  });

  it.each([
    [
      'a: {extends: b}\nb: {extends: c}\nc: {extends: a}\n',
      '3 the categories extend one another in a circle: a -> b -> c -> a',
    ],
    ['a: {extends: a}\n', '1 the categories extend one another in a circle: a -> a'],
    ['a: {}\nb: {extends: aa}\n', '2 there is no category "aa" to extend; did you mean "a"?'],
    ['categories: {}\n', '1 a category may not be called "categories"'],
    ['turns: {}\n', '1 "turns" is also a folder of scenarios'],
    ['Big: {}\n', '1 "Big" cannot be the name of a category'],
    ['a: {extend: b}\n', '1 unknown key "extend"; did you mean "extends"?'],
    ['a: b\n', '1 expected a map with extends, agent or headers; {} for the plain agent, found the text "b"'],
  ])('%j is refused', (text, expected) => {
    expect(told(text, ['turns'])).toContainEqual(expect.stringContaining(expected));
  });
});

describe('overlays', () => {
  it('merge maps and replace everything else', () => {
    expect(mergeOverlays({ a: { x: 1, y: [1] }, b: 1 }, { a: { y: [2] }, b: { z: 1 }, c: null })).toEqual({
      a: { x: 1, y: [2] },
      b: { z: 1 },
      c: null,
    });
  });
});
