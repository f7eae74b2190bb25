import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonError } from './json-error.ts';

describe('findJsonError', () => {
  it.each([
    ['{"path": "a', 'they end at character 11 in the middle of a string'],
    ['{"path": "a\\', 'they end at character 12 in the middle of a string'],
    ['{"path": "a\\u00', 'they end at character 15 in the middle of a string'],
    ['{"path": ', 'they end at character 9 where a value was expected'],
    ['{"a": [1, 2', 'they end at character 11 where "," or "]" was expected'],
    ['{path: 1}', 'at character 1, expected a quoted key or "}", found "p"'],
    ["{'a': 1}", 'at character 1, expected a quoted key or "}", found "\'"'],
    ['{"a": 1,}', 'at character 8, expected a quoted key, found "}"'],
    ['{"a": [1,]}', 'at character 9, expected a value, found "]"'],
    ['{"a" 1}', 'at character 5, expected ":", found "1"'],
    ['{"a": 01}', 'at character 6, expected a value, found "0"'],
    ['{"a": nulls}', 'at character 6, expected a value, found "n"'],
    ['{"a": "x\ny"}', 'at character 8, a string cannot hold "\\n" like this; escape it'],
    ['{"a": "\\q\\n\\t"}', 'at character 7, a string cannot hold "\\\\" like this; escape it'],
    ['{} x', 'at character 3, expected the end, found "x"'],
    ['😀', 'at character 0, expected a value, found "😀"'],
    ['{"a": {"b": ]', 'at character 12, expected a value, found "]"'],
  ])('%s', (text, complaint) => {
    expect(() => JSON.parse(text) as unknown).toThrow();
    expect(findJsonError(text)).toBe(complaint);
  });

  it('finds a place in every text that JSON.parse refuses, and takes no whole JSON before it', () => {
    const broken = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', '"', ',', '}', '\\', ':', 'x', '\n'))
      .map(
        ([json, at, junk]) =>
          json.slice(0, at % (json.length + 1)) + junk + json.slice((at % (json.length + 1)) + 1),
      )
      .filter((text) => !parses(text));
    fc.assert(
      fc.property(broken, (text) => {
        expect(findJsonError(text)).toMatch(/character \d+/);
      }),
    );
  });

  it('copes with an argument of many megabytes that was cut', () => {
    const text = `{"content": "${'x\\n'.repeat(1_000_000)}`;
    expect(findJsonError(text)).toContain(`character ${String(text.length)} in the middle of a string`);
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
