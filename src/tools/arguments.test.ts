import { describe, expect, it } from 'vitest';
import { readArguments } from './arguments.ts';
import { createFirstPartyTools } from './first-party.ts';
import type { Tool } from './tool.ts';

const tool = (parameters: Tool['parameters']): Tool => ({
  name: 'probe',
  description: 'x',
  parameters,
  run: () => Promise.resolve({ content: '', isError: false }),
});

const PROBE = tool({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1 },
    limit: { type: 'integer', minimum: 1 },
    mode: { enum: ['a', 'b'] },
    nested: { type: 'object', properties: { list: { type: 'array', items: { type: 'string' } } } },
  },
  required: ['path'],
  additionalProperties: false,
});

const complaint = async (text: string, probe: Tool = PROBE): Promise<string> => {
  const error: unknown = await readArguments(probe, text).catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'INVALID_ARGS' });
  return (error as Error).message;
};

describe('readArguments (REQ-6)', () => {
  it.each(['', ' ', '\n', '{}'])('takes %j for {}', async (text) => {
    expect(await readArguments(tool({ type: 'object' }), text)).toEqual({});
  });

  it('hands over arguments that follow the schema', async () => {
    const args = { path: 'x', limit: 2, mode: 'b', nested: { list: ['y'] } };
    expect(await readArguments(PROBE, JSON.stringify(args))).toEqual(args);
  });

  it.each([
    ['', '"path" is missing'],
    ['{"path": 3}', 'path: must be of type string, found number'],
    ['{"path": null}', 'path: must be of type string, found null'],
    ['{"path": "x", "limit": 0}', 'limit: must be >= 1'],
    ['{"path": "x", "limit": 1.5}', 'limit: must be of type integer, found number'],
    ['{"path": "x", "mode": "c"}', 'mode: must be one of ["a","b"]'],
    ['{"path": "x", "pth": "y"}', '"pth" is not a parameter'],
    ['{"path": "x", "nested": {"list": ["a", 1]}}', 'nested.list.1: must be of type string, found number'],
    ['[]', 'they must be a JSON object, found an array'],
    ['null', 'they must be a JSON object, found null'],
    ['"x"', 'they must be a JSON object, found a string'],
    ['{"path": "x', 'they are not valid JSON: they end at character 11 in the middle of a string'],
  ])('refuses %s, saying what and where', async (text, words) => {
    expect(await complaint(text)).toContain(words);
  });

  it('names every fault at once', async () => {
    expect(await complaint('{"limit": "x"}')).toMatch(/"path" is missing; limit: must be of type integer/);
  });

  it('compiles the schemas of all first-party tools, none of which takes unknown parameters', async () => {
    for (const one of createFirstPartyTools()) {
      expect(await complaint('{"nonsense": 1}', one)).toContain('"nonsense" is not a parameter');
    }
  });
});
