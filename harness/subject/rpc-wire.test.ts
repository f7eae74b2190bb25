import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../scenario/scenario.ts';
import { frameText } from './frame-text.ts';
import { RpcWire, errorOf } from './rpc-wire.ts';
import { ShownRecord } from './shown-record.ts';

interface Place {
  readonly record: ShownRecord;
  readonly wire: RpcWire;
  readonly written: string[];
  readonly told: string[];
}

function place(): Place {
  const record = new ShownRecord(true);
  const written: string[] = [];
  const told: string[] = [];
  const wire = new RpcWire(record, {
    notified: (method) => told.push(method),
    asked: (method): JsonValue | undefined => (method === 'known' ? { yes: true } : undefined),
  });
  wire.attach((text) => written.push(text));
  return { record, wire, written, told };
}

const raw = (line: string): ReturnType<typeof frameText> => frameText(line, () => null);

describe('requests and answers', () => {
  it('an answer finds its request by its id, whatever the order and however the bytes are cut', async () => {
    const { wire } = place();
    const [one, two] = [wire.request('a', {}), wire.request('b', {})];
    wire.take('{"jsonrpc":"2.0","id":1002,"result":{"n":2}}\n{"jsonrpc":"2.0","id":10');
    expect(wire.answered).toBe(false);
    wire.take('01,"error":{"code":-32601,"message":"no"}}\n');
    expect(await two).toEqual({ n: 2 });
    expect(errorOf(await one)).toEqual({ code: -32601, message: 'no' });
    expect(wire.answered).toBe(true);
  });

  it('an error with a null id answers the frames that can get no other, in their order', () => {
    const { wire, record } = place();
    wire.raw(raw('{'), 'first');
    wire.raw(raw('[]'), 'second');
    wire.raw(raw('{"jsonrpc":"2.0","method":"told"}'), 'never');
    for (const code of [-32700, -32600])
      wire.take(`{"jsonrpc":"2.0","id":null,"error":{"code":${code},"message":""}}\n`);
    expect([...record.view().answers]).toMatchObject([
      ['first', { error: { code: -32700 } }],
      ['second', { error: { code: -32600 } }],
    ]);
    expect(wire.answered).toBe(true);
  });

  it('lines of one frame go out in one write, and the label is that of the first that is answered', () => {
    const { wire, written, record } = place();
    wire.raw(
      raw('{"jsonrpc":"2.0","id":"x","method":"m"}\n{"jsonrpc":"2.0","id":"y","method":"m"}'),
      'label',
    );
    expect(written).toHaveLength(1);
    wire.take('{"jsonrpc":"2.0","id":"y","result":2}\n{"jsonrpc":"2.0","id":"x","result":1}\n');
    expect([...record.view().answers]).toEqual([['label', 1]]);
  });

  it('what a process that has ended owes will never come', async () => {
    const { wire } = place();
    const owed = wire.request('a', {});
    wire.ended();
    expect(await owed).toBeNull();
    expect(wire.answered).toBe(true);
  });

  it('what the subject asks is answered, or refused as an unknown method', () => {
    const { wire, written } = place();
    wire.take('{"jsonrpc":"2.0","id":0,"method":"known"}\n{"jsonrpc":"2.0","id":1,"method":"other"}\n');
    expect(written.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { id: 0, result: { yes: true } },
      { id: 1, error: { code: -32601 } },
    ]);
  });
});

describe('what breaks the protocol', () => {
  it.each([
    ['a line that is no JSON', 'hello\n'],
    ['a frame without version', '{"method":"m"}\n'],
    ['an answer that nobody asked for', '{"jsonrpc":"2.0","id":99,"result":{}}\n'],
    [
      'an error with a null id that nobody caused',
      '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}\n',
    ],
  ])('%s is a violation', (_what, text) => {
    const { wire, record } = place();
    wire.take(text);
    expect(record.view().violations).toMatchObject([{ kind: 'SUBJECT_PROTOCOL' }]);
  });

  it('frames of both sides are recorded as they were', () => {
    const { wire, record } = place();
    wire.notify('told', {});
    wire.take('{"jsonrpc":"2.0","method":"m"}\n');
    expect(record.view().frames).toEqual([
      { from: 'client', text: '{"jsonrpc":"2.0","method":"told","params":{}}' },
      { from: 'subject', text: '{"jsonrpc":"2.0","method":"m"}' },
    ]);
  });
});
