import { describe, expect, it } from 'vitest';
import { frameText } from './frame-text.ts';

const nothing = (): null => null;

describe('a raw frame', () => {
  it('is sent as JSON, a text as it stands, several lines in one write', () => {
    expect(frameText({ jsonrpc: '2.0', id: 1, method: 'm' }, nothing)).toMatchObject([
      { line: '{"jsonrpc":"2.0","id":1,"method":"m"}' },
    ]);
    expect(frameText('{ \n[]', nothing).map(({ line }) => line)).toEqual(['{ ', '[]']);
  });

  it('gets its placeholders filled, in keys of any depth; an unknown one stays', () => {
    const valueOf = (name: string): string | null => (name === 'session' ? 'abc' : null);
    expect(frameText({ a: [{ b: 'x {{session}} {{other}}' }] }, valueOf)[0]?.line).toBe(
      '{"a":[{"b":"x abc {{other}}"}]}',
    );
    expect(frameText('{{ session }}', valueOf)[0]?.line).toBe('abc');
  });

  it.each<[string, string, object]>([
    ['a request', '{"jsonrpc":"2.0","id":7,"method":"m"}', { by: 'id', id: 7 }],
    ['a request without a version', '{"id":"7","method":"m"}', { by: 'id', id: '7' }],
    ['a notification', '{"jsonrpc":"2.0","method":"m"}', { by: 'nothing' }],
    ['a response', '{"jsonrpc":"2.0","id":7,"result":{}}', { by: 'nothing' }],
    ['a blank line', '  ', { by: 'nothing' }],
    ['a malformed line', '{"id":7', { by: 'null-id' }],
    ['a batch', '[]', { by: 'null-id' }],
    ['an id that is none', '{"jsonrpc":"2.0","id":{},"method":"m"}', { by: 'null-id' }],
    [
      'an id that JSON cannot carry',
      '{"jsonrpc":"2.0","id":9007199254740993,"method":"m"}',
      { by: 'null-id' },
    ],
    ['a frame without method or version', '{}', { by: 'null-id' }],
  ])('%s is answered as JSON-RPC has it', (_what, line, answer) => {
    expect(frameText(line, nothing)).toEqual([{ line, answer }]);
  });
});
