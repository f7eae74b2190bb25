import { describe, expect, it } from 'vitest';
import { RPC_ERROR } from './protocol.ts';
import { parseMessage } from './rpc.ts';

const read = (text: string) => parseMessage(Buffer.from(text));

describe('one line of JSON-RPC (SDK-6)', () => {
  it.each([['abc'], [''], ['7'], [7], [0], [-1], [1.5], [9007199254740991]])(
    'the id %j comes back with its type',
    (id) => {
      expect(read(JSON.stringify({ jsonrpc: '2.0', id, method: 'm' }))).toMatchObject({
        kind: 'request',
        id,
      });
    },
  );

  it.each(['9007199254740993', '1e400', 'null', '{}', '[]', 'true'])(
    'the id %s is refused with a null id, never with an invented one',
    (id) => {
      expect(read(`{"jsonrpc":"2.0","id":${id},"method":"m"}`)).toMatchObject({
        kind: 'invalid',
        id: null,
        error: { code: RPC_ERROR.invalidRequest },
      });
    },
  );

  it.each(['{', 'nonsense', '{"jsonrpc":"2.0",}', '{"a":1} {"b":2}', '\u0000'])(
    '%j is a parse error with a null id',
    (text) => {
      expect(read(text)).toMatchObject({ kind: 'invalid', id: null, error: { code: RPC_ERROR.parse } });
    },
  );

  it('bytes that are no UTF-8 are a parse error', () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xe2, 0x82],
    ])
      expect(parseMessage(Uint8Array.from(bytes))).toMatchObject({
        kind: 'invalid',
        error: { code: RPC_ERROR.parse },
      });
    expect(read('{"jsonrpc":"2.0","id":"ü","method":"next"}')).toMatchObject({ kind: 'request', id: 'ü' });
  });

  it('nesting without end is refused, not a crash', () => {
    expect(read('['.repeat(1_000_000)).kind).toBe('invalid');
  });

  it.each([
    ['[]', null],
    ['[{"jsonrpc":"2.0","id":1,"method":"m"}]', null],
    ['7', null],
    ['null', null],
    ['{"id":1,"method":"m"}', 1],
    ['{"jsonrpc":"1.0","id":"a","method":"m"}', 'a'],
    ['{"jsonrpc":"2.0","id":1}', 1],
    ['{"jsonrpc":"2.0","id":1,"method":3}', 1],
    ['{"__proto__":{"jsonrpc":"2.0","id":1,"method":"m"}}', null],
  ])('%s is an invalid request', (text, id) => {
    expect(read(text)).toMatchObject({ kind: 'invalid', id, error: { code: RPC_ERROR.invalidRequest } });
  });

  it('without an id it is a notification; with a result or an error and no method, a response', () => {
    expect(read('{"jsonrpc":"2.0","method":"m"}')).toEqual({
      kind: 'notification',
      method: 'm',
      params: undefined,
    });
    expect(read('{"jsonrpc":"2.0","id":4,"result":{}}')).toMatchObject({ kind: 'response', id: 4 });
    expect(read('{"jsonrpc":"2.0","id":null,"error":{}}')).toMatchObject({ kind: 'response', id: null });
  });

  it.each(['', '  ', '\r'])('a blank line %j is nothing', (text) => {
    expect(read(text)).toEqual({ kind: 'blank' });
  });
});
