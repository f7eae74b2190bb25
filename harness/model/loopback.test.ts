import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Reply } from '../scenario/scenario.ts';
import { serveLoopback, type Loopback } from './loopback.ts';
import { sampleScript } from './sample-script.ts';
import type { ScriptedModel } from './scripted-model.ts';
import { createScriptedModel } from './scripted-run.ts';

const open: Loopback[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function serve(
  replies: readonly Partial<Reply>[],
): Promise<{ model: ScriptedModel; server: Loopback }> {
  const model = createScriptedModel(sampleScript(replies), { wire: 'chat-completions', apiKey: null });
  const server = await serveLoopback(model);
  open.push(server);
  return { model, server };
}

/** A client that sees every read of its own, below HTTP. */
class RawClient {
  readonly reads: string[] = [];
  readonly socket: Socket;
  /** How the connection ended. */
  readonly ended: Promise<string>;

  constructor(server: Loopback) {
    this.socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    this.socket.on('data', (bytes: Buffer) => this.reads.push(bytes.toString('latin1')));
    this.ended = new Promise((resolve) => {
      this.socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      this.socket.on('end', () => resolve('FIN'));
    });
  }

  /** `share`: how much of the body is sent, from 0 to 1. */
  ask(share = 1): void {
    const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] });
    this.socket.write(
      `POST /chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body.slice(0, share * body.length)}`,
    );
  }

  /** Resolves when what was read contains a text. */
  sees(text: string): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!this.reads.join('').includes(text)) return;
        this.socket.off('data', look);
        resolve();
      };
      this.socket.on('data', look);
      look();
    });
  }
}

function until(model: ScriptedModel, holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!holds()) return;
      stop();
      resolve();
    };
    const stop = model.onChange(look);
    look();
  });
}

describe('the loopback server streams', () => {
  it('in chunks without a length, and shows what comes before a hold while it is held', async () => {
    const { model, server } = await serve([
      { text: 'Answer to alpha.', hold: { name: 'first', after: 'Answer', before: null } },
    ]);
    const client = new RawClient(server);
    client.ask();
    await client.sees('"content":"Answer"');
    await until(model, () => model.held().includes('first'));
    const seen = client.reads.join('');
    expect(seen.toLowerCase()).toContain('transfer-encoding: chunked');
    expect(seen.toLowerCase()).not.toContain('content-length');
    expect(seen).not.toContain('[DONE]');
    model.release('first');
    await client.sees('[DONE]');
    client.socket.destroy();
  });

  it.each([
    ['a write of its own for every piece', { text: 'abcdef', pieces: ['ab', 'cd', 'ef'] }, 3],
    ['cuts inside characters, escapes and line ends', { text: 'né😀\n"', pieces: 60 }, 50],
  ])('%s', async (_name, reply, least) => {
    const { model, server } = await serve([reply]);
    const client = new RawClient(server);
    client.ask();
    await client.sees('0\r\n\r\n');
    await until(model, () => model.exchanges()[0]?.outcome === 'finished');
    const writes = model.exchanges()[0]?.sent.lengths() ?? [];
    expect(writes.length).toBeGreaterThanOrEqual(least);
    // The first comes with the head, the end of the body with the last or alone: no read holds two writes.
    expect(client.reads.length).toBeGreaterThanOrEqual(writes.length);
    client.socket.destroy();
  });
});

describe('the loopback server sees a hang-up', () => {
  it.each([
    ['at a hold', { hold: { name: 'first', after: null, before: null }, ends: 'cancelled' as const }],
    ['in a stall', { fail: { kind: 'stall' as const, at: { piece: 1 } } }],
    [
      'before the headers',
      { hold: { name: 'first', after: null, before: 'headers' }, ends: 'cancelled' as const },
    ],
  ])('%s: the exchange is cut, nothing is held, and nothing is written after it', async (_name, reply) => {
    const { model, server } = await serve([{ text: 'Some text to stop in.', ...reply }]);
    const client = new RawClient(server);
    client.ask();
    if (!('hold' in reply)) await client.sees('Some');
    else await until(model, () => model.held().length > 0);
    const written = model.exchanges()[0]?.sent.lengths().length;
    client.socket.destroy();
    await until(model, () => model.exchanges()[0]?.outcome === 'cut');
    expect(model.held()).toEqual([]);
    expect(model.exchanges()[0]?.sent.lengths().length).toBe(written);
    expect(model.finish()).toEqual([]);
  });
});

describe('the loopback server breaks connections', () => {
  it.each([
    ['disconnect', 'FIN'],
    ['reset', 'ECONNRESET'],
  ] as const)('%s: the client sees %s, after what was sent', async (kind, ended) => {
    // A client that finds bytes and the end of its connection in one look is told of a FIN, whatever ended it: so it stops in between.
    for (const [at, hold, before] of [
      ['connect', null, null],
      ['headers', { name: 'break', after: null, before: 'Some' }, '200 OK'],
      [{ piece: 1 }, { name: 'break', after: 'Some', before: null }, 'Some'],
    ] as const) {
      const { model, server } = await serve([{ text: 'Some text.', hold, fail: { kind, at } }]);
      const client = new RawClient(server);
      client.ask();
      if (before !== null) await client.sees(before);
      if (hold !== null) {
        await until(model, () => model.held().includes(hold.name));
        model.release(hold.name);
      }
      expect(await client.ended).toBe(ended);
      const seen = client.reads.join('');
      expect(seen.includes('200 OK')).toBe(at !== 'connect');
      expect(seen.includes('Some')).toBe(typeof at === 'object');
      expect(seen.endsWith('0\r\n\r\n')).toBe(false);
    }
  });
});

describe('closing the loopback server', () => {
  it.each([
    ['ends', (socket: Socket) => socket.end()],
    ['breaks', (socket: Socket) => socket.resetAndDestroy()],
  ])(
    'to whole requests alone: one whose connection %s before its body has come asks for nothing',
    async (_how, leave) => {
      const { model, server } = await serve([{ text: 'An answer.' }]);
      const gone = new RawClient(server);
      const closed = new Promise((resolve) => gone.socket.once('close', resolve));
      gone.ask(0.5);
      await new Promise<void>((resolve) => gone.socket.write('', () => resolve()));
      leave(gone.socket);
      await closed;
      const stays = new RawClient(server);
      stays.ask();
      await stays.sees('[DONE]');
      expect(model.exchanges().map(({ attribution }) => attribution)).toEqual([
        { to: 'conversation', name: 'main', reply: 1 },
      ]);
      stays.socket.destroy();
    },
  );

  it('leaves nothing behind: open replies end, and the port is free', async () => {
    const { model, server } = await serve([
      { text: 'x', hold: { name: 'first', after: null, before: null } },
    ]);
    const client = new RawClient(server);
    client.ask();
    await until(model, () => model.held().length > 0);
    await server.close();
    await client.ended;
    expect(model.finish()).toMatchObject([{ kind: 'UNRELEASED_HOLD', key: 'main.1' }]);
    const refused = connect(Number(new URL(server.url).port), '127.0.0.1');
    const code = await new Promise((resolve) =>
      refused.on('error', (error: NodeJS.ErrnoException) => resolve(error.code)),
    );
    expect(code).toBe('ECONNREFUSED');
  });
});
