import { describe, expect, it } from 'vitest';
import { changeOf } from './change.ts';

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const tool = (name: string, description: string, more: object = {}): object => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: {
      type: 'object',
      properties: { command: { type: 'string' } },
      required: ['command'],
      ...more,
    },
  },
});

describe('a change of tool schemas', () => {
  const before = [tool('bash', 'Runs a command.'), tool('read', 'Reads a file.')];
  const change = (after: readonly object[]) =>
    changeOf('a/tool-schemas.expected.json', json(before), json(after));

  it('is told by tool and pointer, with the changed words marked', () => {
    expect(change([tool('bash', 'Runs one command.'), tool('read', 'Reads a file.')])).toEqual({
      summary: 'tool bash: 1 changed',
      diff: 'tool bash\n  changed    /function/description\n    - Runs [a] command.\n    + Runs [one] command.',
    });
  });

  it.each([
    ['added', [...before, tool('write', 'Writes.')], 'tool write added'],
    ['removed', before.slice(0, 1), 'tool read removed'],
    [
      'renamed',
      [tool('shell', 'Runs a command.'), tool('read', 'Reads a file.')],
      'tool bash renamed to shell',
    ],
    ['reordered', [...before].reverse(), 'tools reordered'],
  ])('knows a tool that was %s', (_verb, after, summary) => {
    expect(change(after).summary).toBe(summary);
  });

  it.each([
    [
      'added',
      { additionalProperties: false },
      'added      /function/parameters/additionalProperties\n    + false',
    ],
    ['removed', { required: undefined }, 'removed    /function/parameters/required\n    - ["command"]'],
    [
      'renamed',
      { properties: { cmd: { type: 'string' } } },
      'renamed    /function/parameters/properties/command to cmd',
    ],
    ['changed', { type: 'array' }, 'changed    /function/parameters/type\n    - object\n    + array'],
  ])('tells within a tool what was %s', (verb, more, text) => {
    const found = change([tool('bash', 'Runs a command.', more), tool('read', 'Reads a file.')]);
    expect(found.summary).toBe(`tool bash: 1 ${verb}`);
    expect(found.diff).toContain(text);
  });

  it('tells that keys stand in another order', () => {
    const turned = [{ ...tool('bash', 'Runs a command.') }, tool('read', 'Reads a file.')].map((one) =>
      Object.fromEntries(Object.entries(one).reverse()),
    );
    expect(change(turned).diff).toContain(
      'reordered  the whole value\n    - type, function\n    + function, type',
    );
  });
});

describe('a change of a request header', () => {
  it('is told by pointer', () => {
    const before = { method: 'POST', parameters: { model: 'm', stream: true } };
    const after = { method: 'POST', parameters: { model: 'm', temperature: 0 } };
    expect(changeOf('request-header.expected.json', json(before), json(after))).toEqual({
      summary: '1 added, 1 removed',
      diff: 'removed    /parameters/stream\n  - true\nadded      /parameters/temperature\n  + 0',
    });
  });

  it('is told by lines where one side is no JSON', () => {
    expect(changeOf('request-header.expected.json', '{\n', '{}\n').summary).toBe('1 line of 1, 1 word');
  });
});

describe('a change of a transcript', () => {
  const before =
    'conversations:\n  main:\n    - a\nturns:\n  main:\n    - end: completed\nlog:\n  main:\n    inbox:\n      - x\n    loop:\n      - type: turn/opened\n';

  it('is told by section and lane', () => {
    const after = before.replace('completed', 'failed').replace('turn/opened', 'turn/closed');
    expect(changeOf('turns/a/transcript.expected.yaml', before, after)).toEqual({
      summary: 'turns, main: 1 line of 1, 1 word; log, main, loop: 1 line of 1, 1 word',
      diff: 'turns, main:\n  -1       - end: [completed]\n  +1       - end: [failed]\nlog, main, loop:\n  -1         - type: turn/[opened]\n  +1         - type: turn/[closed]',
    });
  });

  it('names a lane that is new or gone', () => {
    const after = before
      .replace('    inbox:\n      - x\n', '')
      .replace('turns:\n', 'turns:\n  helper:\n    - end: completed\n');
    const { summary } = changeOf('transcript.expected.yaml', before, after);
    expect(summary).toContain('turns, helper: a new lane, 1 line added of 0');
    expect(summary).toContain('log, main, inbox: this lane is gone, 1 line removed of 1');
  });
});

describe('a change of a parameter that is called as something that every object has', () => {
  it('is told as any other', () => {
    const file = 'base/tool-schemas.expected.json';
    const schema = (properties: Record<string, number>): string =>
      `${JSON.stringify([{ name: 'new', properties }], null, 2)}\n`;
    const { diff } = changeOf(file, schema({ a: 1 }), schema({ a: 1, constructor: 2, toString: 3 }));
    expect(diff).toContain('/properties/constructor');
    expect(diff).toContain('/properties/toString');
  });
});

describe('a change of much', () => {
  it('compares no item with every other', { timeout: 60_000 }, () => {
    const file = 'base/tool-schemas.expected.json';
    const list = (of: (index: number) => unknown): string =>
      `${JSON.stringify([{ name: 't', all: Array.from({ length: 10_000 }, (_, index) => of(index)) }])}\n`;
    const map = (letter: string, sign: number): string =>
      `${JSON.stringify([
        {
          name: 't',
          ...Object.fromEntries(
            Array.from({ length: 10_000 }, (_, at) => [`${letter}${String(at)}`, sign * (at + 1)]),
          ),
        },
      ])}\n`;
    const moved = changeOf(
      file,
      list((index) => index),
      list((index) => index + 1),
    );
    expect(moved.summary).toBe('tool t: 1 added, 1 removed');
    expect(changeOf(file, map('k', 1), map('q', -1)).summary).toBe('tool t: 10000 added, 10000 removed');
  });
});
