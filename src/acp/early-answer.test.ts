import { PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { describe, expect, it } from 'vitest';
import { AcpBridge } from './bridge.ts';
import { EarlyAnswer } from './early-answer.ts';
import { initializeResponse } from './initialize.ts';

type Send = (line: string) => void;

/** Without sessions: what is asked here needs none. */
function bridge(send: Send): AcpBridge {
  return new AcpBridge({
    open: () => Promise.reject(new Error('no session here')),
    list: () => Promise.resolve(null),
    send,
    report: () => {},
    version: '1.2.3',
  });
}

/** What a client reads whose input comes in these pieces, and how much of it before the bridge is loaded. */
async function early(pieces: readonly Buffer[]): Promise<{ lines: string[]; before: number }> {
  const lines: string[] = [];
  const send: Send = (line) => void lines.push(line);
  let before = -1;
  const service = new EarlyAnswer({
    load: async (to) => {
      await Promise.resolve();
      before = lines.length;
      return bridge(to);
    },
    send,
    report: () => {},
    version: '1.2.3',
  });
  for (const piece of pieces) await service.receive(piece);
  await service.close();
  return { lines, before };
}

/** The same of the bridge alone. */
async function late(pieces: readonly Buffer[]): Promise<string[]> {
  const lines: string[] = [];
  const alone = bridge((line) => void lines.push(line));
  for (const piece of pieces) await alone.receive(piece);
  await alone.close();
  return lines;
}

function frame(id: unknown, method: string, params: unknown): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
}

const first = (params: unknown, id: unknown = 1): string => frame(id, 'initialize', params);

describe('the first question', () => {
  it.each([
    ['plain', first({ protocolVersion: 1 })],
    ['of an older version', first({ protocolVersion: 0 })],
    ['of the last version there can be', first({ protocolVersion: 65_535 })],
    ['with an id of text', first({ protocolVersion: 1 }, 'a "b" \u2028')],
    [
      'with all that it may say',
      first({
        protocolVersion: 1,
        clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
        clientInfo: { name: 'editor', title: 'Editor', version: '9' },
        _meta: { 'turnpin/events': true },
      }),
    ],
    [
      'with malformed extras',
      first({ protocolVersion: 1, clientCapabilities: 'all', clientInfo: 7, _meta: [], more: {} }),
    ],
    ['behind a carriage return', first({ protocolVersion: 1 }).replace('\n', '\r\n')],
  ])('%s, is answered before the bridge is loaded, once and as the bridge answers', async (_, text) => {
    const pieces = [Buffer.from(text)];
    const { lines, before } = await early(pieces);
    expect(before).toBe(1);
    expect(lines).toEqual(await late(pieces));
    expect(lines).toHaveLength(1);
  });

  it.each([
    ['without parameters', first(undefined)],
    ['with a list for parameters', first([1])],
    ['without a version', first({})],
    ['of a version that is text', first({ protocolVersion: '1' })],
    ['of a version that is broken', first({ protocolVersion: 1.5 })],
    ['of a version below any', first({ protocolVersion: -1 })],
    ['of a version above any', first({ protocolVersion: 65_536 })],
    ['another', frame(1, 'session/new', { cwd: '/', mcpServers: [] })],
    ['none', `${JSON.stringify({ jsonrpc: '2.0', method: 'initialize', params: { protocolVersion: 1 } })}\n`],
    ['no JSON', 'initialize\n'],
    ['blank', '\n'],
  ])('%s, is left to the bridge', async (_, text) => {
    const pieces = [Buffer.from(text)];
    const { lines, before } = await early(pieces);
    expect(before).toBe(0);
    expect(lines).toEqual(await late(pieces));
  });

  it('is left to the bridge where it comes in pieces', async () => {
    const text = first({ protocolVersion: 1 });
    for (let at = 1; at < text.length; at += 1) {
      const pieces = [Buffer.from(text.slice(0, at)), Buffer.from(text.slice(at))];
      const { lines, before } = await early(pieces);
      expect(before).toBe(0);
      expect(lines).toEqual([
        `${JSON.stringify({ jsonrpc: '2.0', id: 1, result: initializeResponse('1.2.3') })}\n`,
      ]);
    }
  });

  it('may be asked again, with the same id too, and each time is answered once', async () => {
    const pieces = [1, 1, 2].map((id) => Buffer.from(first({ protocolVersion: 1 }, id)));
    const { lines } = await early(pieces);
    expect(lines).toEqual(await late(pieces));
    expect(lines).toHaveLength(3);
  });

  it('opens the way for what comes behind it, in one piece with it too', async () => {
    const behind = frame(2, 'session/new', { cwd: '/', mcpServers: [] });
    const pieces = [Buffer.from(`${first({ protocolVersion: 1 })}no JSON\n${behind}`)];
    const [{ lines }, alone] = [await early(pieces), await late(pieces)];
    expect([...lines].sort()).toEqual([...alone].sort());
    expect(lines.some((line) => line.includes('must be initialized'))).toBe(false);
  });

  it('speaks the version of the package', () => {
    expect(initializeResponse('0').protocolVersion).toBe(PROTOCOL_VERSION);
  });
});

describe('a bridge', () => {
  it('that is never needed is not loaded', async () => {
    const { lines, before } = await early([]);
    expect({ lines, before }).toEqual({ lines: [], before: -1 });
  });

  it('that cannot be loaded is told to the operator', async () => {
    const told: string[] = [];
    const service = new EarlyAnswer({
      load: () => Promise.reject(new Error('gone')),
      send: () => {},
      report: (message) => void told.push(message),
      version: '0',
    });
    await expect(service.receive(Buffer.from(first({ protocolVersion: 1 })))).rejects.toThrow('gone');
    expect(told).toEqual(['the protocol could not be loaded: gone']);
  });
});
