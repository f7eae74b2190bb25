import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { NotJsonError, snapshotJson } from './json.ts';

describe('snapshotJson', () => {
  it('SEND-4: detaches and freezes all the way down', () => {
    const original = { a: [{ b: 1 }] };
    const snapshot = snapshotJson(original);
    original.a.push({ b: 2 });
    expect(snapshot).toEqual({ a: [{ b: 1 }] });
    expect(Object.isFrozen(snapshot.a[0])).toBe(true);
  });

  it('keeps any JSON value as JSON.parse would give it back', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(JSON.stringify(snapshotJson(plain))).toBe(JSON.stringify(plain));
      }),
    );
  });

  it('keeps a key called __proto__ as a key', () => {
    const value: unknown = JSON.parse('{"__proto__":{"x":1}}');
    expect(JSON.stringify(snapshotJson(value))).toBe('{"__proto__":{"x":1}}');
  });

  it('takes a value that stands twice, which is no cycle', () => {
    const twice = { x: 1 };
    expect(snapshotJson([twice, twice])).toEqual([{ x: 1 }, { x: 1 }]);
  });

  const cycle: Record<string, unknown> = {};
  cycle['self'] = { again: cycle };
  it.each([
    ['NaN', { a: { b: [0, NaN] } }, '$.a.b[1]'],
    ['Infinity', [Infinity], '$[0]'],
    ['negative zero', { z: -0 }, '$.z'],
    ['undefined', { a: undefined }, '$.a'],
    ['a hole', [1, , 2], '$[1]'], // eslint-disable-line no-sparse-arrays
    ['a cycle', cycle, '$.self.again'],
    ['a date', { at: new Date(0) }, '$.at'],
    ['a map', new Map(), '$'],
    ['a function', { f: () => 1 }, '$.f'],
    ['a bigint', 1n, '$'],
    ['a symbol key', { [Symbol('s')]: 1 }, '$'],
  ])('refuses %s and says where', (_, value, path) => {
    expect(() => snapshotJson(value)).toThrow(NotJsonError);
    expect(() => snapshotJson(value)).toThrow(expect.objectContaining({ path, code: 'NOT_JSON' }));
  });
});
