/** What no client can cause: the agent behind the protocol is cancelled by somebody else (ACP-7). */
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { assemble } from '../assembly/assemble.ts';
import type { Assembled } from '../assembly/assemble.ts';
import type { CancelCause } from '../session/events.ts';
import { AcpBridge } from './bridge.ts';

interface Line {
  readonly id?: string;
  readonly method?: string;
  readonly params?: { readonly update?: { readonly sessionUpdate: string } };
  readonly result?: { readonly sessionId?: string; readonly stopReason?: string };
}

/** A bridge whose one agent is in reach, and whose model begins an answer that it never ends. */
class Connection {
  readonly #bridge: AcpBridge;
  readonly #lines: Line[] = [];
  #waiting: (() => void)[] = [];
  agent: Assembled['agent'] | null = null;

  constructor() {
    this.#bridge = new AcpBridge({
      open: async ({ choice, cwd, listener }) => {
        const assembled = await assemble(
          { model: { apiKey: 'k' } },
          { cwd, env: {}, session: { mode: 'memory', id: choice.id ?? 's' }, fetch: unending, listener },
        );
        this.agent = assembled.agent;
        return assembled;
      },
      list: () => Promise.resolve(null),
      send: (text) => {
        this.#lines.push(JSON.parse(text) as Line);
        for (const wake of this.#waiting.splice(0)) wake();
      },
      report: () => {},
      version: '0',
    });
  }

  send(frame: object): void {
    void this.#bridge.receive(Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`));
  }

  /** The first line that fits, once it has come. */
  async line(fits: (line: Line) => boolean): Promise<Line> {
    for (let found = this.#lines.find(fits); ; found = this.#lines.find(fits)) {
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  answer(id: string): Promise<Line> {
    return this.line((line) => line.id === id && line.method === undefined);
  }

  close(): Promise<void> {
    return this.#bridge.close();
  }
}

/** One piece of text, and nothing after it until the request is aborted. */
const unending: typeof globalThis.fetch = (_, init) => {
  const delta = { choices: [{ index: 0, delta: { role: 'assistant', content: 'So far' } }] };
  const body = new ReadableStream<Uint8Array>({
    start: (to) => {
      to.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(delta)}\n\n`));
      init?.signal?.addEventListener('abort', () => to.error(init.signal?.reason), { once: true });
    },
  });
  return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
};

/** A prompt whose answer has begun. */
async function prompted(): Promise<{ connection: Connection; sessionId: string }> {
  const connection = new Connection();
  connection.send({ id: 'hello', method: 'initialize', params: { protocolVersion: 1 } });
  connection.send({ id: 'new', method: 'session/new', params: { cwd: tmpdir(), mcpServers: [] } });
  const sessionId = (await connection.answer('new')).result?.sessionId ?? '';
  const prompt = [{ type: 'text', text: 'Tell me everything.' }];
  connection.send({ id: 'prompt', method: 'session/prompt', params: { sessionId, prompt } });
  await connection.line(({ params }) => params?.update?.sessionUpdate === 'agent_message_chunk');
  return { connection, sessionId };
}

it.each<CancelCause>(['hook', 'parent', 'user'])(
  'ACP-7: an abort by %s that the client did not ask for settles its prompt as end_turn',
  async (cause) => {
    const { connection } = await prompted();
    connection.agent?.cancel(cause);
    expect((await connection.answer('prompt')).result).toEqual({ stopReason: 'end_turn' });
    expect(connection.agent?.events().at(-1)?.data).toMatchObject({ reason: { kind: 'aborted', cause } });
    await connection.close();
  },
);

it('ACP-5: one that the client asks for settles it as cancelled', async () => {
  const { connection, sessionId } = await prompted();
  connection.send({ method: 'session/cancel', params: { sessionId } });
  expect((await connection.answer('prompt')).result).toEqual({ stopReason: 'cancelled' });
  await connection.close();
});
