import { afterEach, describe, expect, it } from 'vitest';
import type { Reply } from '../scenario/scenario.ts';
import type { Action } from './exchange.ts';
import { bytesOf } from './bytes.ts';
import { serveLoopback } from './loopback.ts';
import { inProcessFetch } from './msw.ts';
import { sampleScript } from './sample-script.ts';
import type { ScriptedModel } from './scripted-model.ts';
import { createScriptedModel } from './scripted-run.ts';
import type { WireName } from './wires/wire.ts';

type Fetch = typeof globalThis.fetch;
interface Carried {
  readonly fetch: Fetch;
  readonly url: string;
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const CARRIERS: Readonly<Record<'msw' | 'loopback', (model: ScriptedModel) => Promise<Carried>>> = {
  msw: async (model) => ({ fetch: inProcessFetch(model, 'http://model.test', 5), url: 'http://model.test' }),
  loopback: async (model) => {
    const server = await serveLoopback(model, { keepAliveMs: 5, apartMs: 0 });
    closing.push(() => server.close());
    return { fetch: globalThis.fetch, url: server.url };
  },
};

/** A first request of each wire; Gemini streams in two forms. */
interface Asking {
  readonly what: string;
  readonly wire: WireName;
  readonly stream: boolean;
  readonly path: string;
  readonly body: object;
}

const messages = [{ role: 'user', content: 'hi' }];
const GEMINI = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };
const ASKING: readonly Asking[] = [
  ...[true, false].flatMap((stream): Asking[] => {
    const how = { stream, model: 'scripted' };
    const chat = { ...how, stream_options: { include_usage: true }, messages };
    return [
      asking('chat-completions', stream, '/chat/completions', chat),
      asking('openai-chat-completions', stream, '/v1/chat/completions', chat),
      asking('anthropic-messages', stream, '/v1/messages', { ...how, max_tokens: 100, messages }),
      asking('responses', stream, '/v1/responses', { ...how, input: messages }),
    ];
  }),
  asking('gemini', true, '/v1beta/models/scripted:streamGenerateContent?alt=sse', GEMINI),
  asking('gemini', true, '/v1beta/models/scripted:streamGenerateContent', GEMINI),
  asking('gemini', false, '/v1beta/models/scripted:generateContent', GEMINI),
];

function asking(wire: WireName, stream: boolean, path: string, body: object): Asking {
  const array = stream && wire === 'gemini' && !path.endsWith('alt=sse');
  return {
    what: `${wire}, ${array ? 'as an array' : stream ? 'streamed' : 'at once'}`,
    wire,
    stream,
    path,
    body,
  };
}

interface Seen {
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string | null>>;
  readonly body: string;
  /** How reading ended for the client. */
  readonly ended: string;
  readonly outcome: string;
  readonly sent: string;
}

const MATTER = ['content-type', 'retry-after', 'x-ds-trace-id', 'x-request-id', 'request-id'];

async function ask(model: ScriptedModel, carried: Carried, { path, body: asked }: Asking): Promise<Seen> {
  const silence = new Silence(model);
  let status: number | null = null;
  let headers: Record<string, string | null> = {};
  let body = '';
  let ended = 'clean';
  try {
    const response = await carried.fetch(`${carried.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer key' },
      body: JSON.stringify(asked),
      signal: silence.signal,
    });
    status = response.status;
    headers = Object.fromEntries(MATTER.map((name) => [name, response.headers.get(name)]));
    const decoder = new TextDecoder();
    silence.heard(0);
    for await (const bytes of response.body ?? []) {
      body += decoder.decode(bytes, { stream: true });
      silence.heard(bytes.length);
    }
  } catch (error) {
    ended = failureOf(error, status !== null);
  }
  await settled(model);
  const [exchange] = model.exchanges();
  const sent = Buffer.from(exchange?.sent.bytes() ?? []).toString();
  return {
    status,
    headers,
    body: withoutKeepAlives(body),
    ended,
    outcome: exchange?.outcome ?? 'none',
    sent: withoutKeepAlives(sent),
  };
}

/** With the code of its cause; not of a reset behind bytes, which a client that is late finds to be a FIN. */
function failureOf(error: unknown, hasHead: boolean): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = (error.cause ?? {}) as { readonly code?: unknown };
  const told = `${error.name}: ${error.message}`;
  return hasHead && code === 'ECONNRESET' ? `${told} (UND_ERR_SOCKET)` : `${told} (${String(code)})`;
}

/** A client that gives up as soon as it has everything that comes before a stall; at once where nothing does. */
class Silence {
  readonly #abort = new AbortController();
  readonly signal = this.#abort.signal;
  /** Bytes until the stall; infinite where there is none. */
  #until = Number.POSITIVE_INFINITY;
  #heard = 0;

  constructor(model: ScriptedModel) {
    const begin = model.begin.bind(model);
    model.begin = (request) => {
      const begun = begin(request);
      this.#expect(begun.actions);
      return begun;
    };
  }

  heard(bytes: number): void {
    this.#heard += bytes;
    if (this.#heard >= this.#until) this.#abort.abort();
  }

  #expect(actions: readonly Action[]): void {
    const stall = actions.findIndex((action) => action.do === 'stall');
    if (stall < 0) return;
    const before = actions.slice(0, stall);
    if (!before.some((action) => action.do === 'head')) setImmediate(() => this.#abort.abort());
    this.#until = before.reduce(
      (sum, action) => sum + (action.do === 'write' ? bytesOf(action.what).length : 0),
      0,
    );
  }
}

/** How often a stalled reply repeats its keep-alive is a matter of time. */
function withoutKeepAlives(text: string): string {
  return text.replaceAll(': keep-alive\n\n', '').replace(/\n+$/, '');
}

function settled(model: ScriptedModel): Promise<void> {
  return until(model, () => model.exchanges().every((exchange) => exchange.outcome !== 'open'));
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

const text = 'Grüße aus der Umgebung, in 😀 vier Stücken.';
const tools = [
  { name: 'bash', arguments: { command: 'echo "a\nb" && sleep 1 && echo done' }, id: null },
  { name: 'list', arguments: {}, id: 'call_mine' },
];
const REPLIES: Readonly<Record<string, Partial<Reply>>> = {
  text: { text },
  reasoning: { reasoning: 'First I think, then I answer.', text },
  'tool calls': { text: 'Let me see.', reasoning: 'Hm.', tools },
  'malformed arguments': { tools: [{ name: 'bash', arguments: '{"command": "ls', id: null }] },
  'empty completion': {},
  length: { text, tools, finish: 'length' },
  'content filter': { text: 'I would', finish: 'content_filter' },
  usage: { text, usage: { input: 7, output: 3, cached: 4 } },
  'pieces by hand': { text, pieces: [text.slice(0, 3), text.slice(3, 25), text.slice(25)] },
  'many pieces': { text, pieces: 200 },
  'carriage returns': { text, bytes: { crlf: true, merge: false, keepAlive: false } },
  merged: { text, bytes: { crlf: false, merge: true, keepAlive: false } },
  'keep-alives between': { text, bytes: { crlf: false, merge: false, keepAlive: true } },
};
const PLACES = ['connect', 'headers', { piece: 2 }, 'end'] as const;
const KINDS = [
  'disconnect',
  'reset',
  'stall',
  'hang',
  'junk',
  'bad-json',
  'wrong-type',
  'no-done',
  'error-event',
  'truncated',
] as const;
const STATUSES = [400, 401, 402, 413, 422, 429, 500, 503, 529];

const FAULTS: [string, Partial<Reply>][] = [
  ...KINDS.flatMap((kind) =>
    PLACES.map((at): [string, Partial<Reply>] => [
      `${kind} at ${typeof at === 'string' ? at : `piece ${at.piece}`}`,
      { text, tools, fail: { kind, at } },
    ]),
  ),
  ...STATUSES.map((status): [string, Partial<Reply>] => [
    `status ${status}`,
    { fail: { kind: 'status', status, retryAfter: null, body: null } },
  ]),
  ['retry-after in seconds', { fail: { kind: 'status', status: 429, retryAfter: 3, body: null } }],
  [
    'retry-after as a date',
    { fail: { kind: 'status', status: 429, retryAfter: { date: '+2s' }, body: null } },
  ],
  ['a body of its own', { fail: { kind: 'status', status: 502, retryAfter: null, body: 'Bad gateway\n' } }],
];

describe('both carriers show a client the same', () => {
  for (const asked of ASKING) {
    it.each([...Object.entries(REPLIES), ...FAULTS])(`${asked.what}: %s`, async (_name, reply) => {
      const seen: Seen[] = [];
      for (const carrier of ['msw', 'loopback'] as const) {
        const model = createScriptedModel(sampleScript([reply]), {
          wire: asked.wire,
          apiKey: 'key',
          clock: () => 1_000_000,
        });
        seen.push(await ask(model, await CARRIERS[carrier](model), asked));
      }
      expect(seen[0]).toEqual(seen[1]);
      expect(seen[0]?.body).toBe(seen[0]?.sent);
      const good = reply.fail === undefined;
      expect(seen[0]?.outcome === 'finished').toBe(good);
    });
  }
});

describe('both carriers see a client leave', () => {
  const held = (before: string | null): Partial<Reply> => ({
    text: 'Some text to stop in.',
    hold: { name: 'here', after: before === null ? 'Some' : null, before },
    ends: 'cancelled',
  });

  for (const carrier of ['msw', 'loopback'] as const) {
    const start = async (reply: Partial<Reply>) => {
      const model = createScriptedModel(sampleScript([reply]), { wire: 'chat-completions', apiKey: null });
      const carried = await CARRIERS[carrier](model);
      const abort = new AbortController();
      const response = carried.fetch(`${carried.url}/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] }),
        signal: abort.signal,
      });
      response.catch(() => {});
      await until(model, () => model.held().length > 0);
      return { model, abort, response };
    };

    it(`${carrier}: an abort before the headers rejects the request`, async () => {
      const { model, abort, response } = await start(held('headers'));
      abort.abort();
      await expect(response).rejects.toMatchObject({ name: 'AbortError' });
      await settled(model);
      expect(model.finish()).toEqual([]);
    });

    it(`${carrier}: an abort in mid-stream fails the reading, with the reason given`, async () => {
      const { model, abort, response } = await start(held(null));
      const reader = ((await response).body ?? new ReadableStream<Uint8Array>()).getReader();
      await reader.read();
      const reading = readToEnd(reader);
      abort.abort(new Error('the user pressed escape'));
      await expect(reading).rejects.toThrow('the user pressed escape');
      await settled(model);
      expect(model.finish()).toEqual([]);
    });

    it(`${carrier}: a cancelled reader settles, and the request counts as closed`, async () => {
      const { model, response } = await start(held(null));
      const reader = ((await response).body ?? new ReadableStream<Uint8Array>()).getReader();
      await reader.read();
      await reader.cancel();
      await settled(model);
      expect(model.exchanges()[0]?.outcome).toBe('cut');
      expect(model.held()).toEqual([]);
      expect(model.finish()).toEqual([]);
    });

    it(`${carrier}: a request that was aborted before it was sent reaches no model`, async () => {
      const model = createScriptedModel(sampleScript([]), { wire: 'chat-completions', apiKey: null });
      const carried = await CARRIERS[carrier](model);
      const sent = carried.fetch(`${carried.url}/chat/completions`, {
        method: 'POST',
        body: '{}',
        signal: AbortSignal.abort(),
      });
      await expect(sent).rejects.toMatchObject({ name: 'AbortError' });
      expect(model.exchanges()).toEqual([]);
    });
  }

  it('msw: a request to another place fails as if nobody listened there', async () => {
    const model = createScriptedModel(sampleScript([]), { wire: 'chat-completions', apiKey: null });
    const { fetch } = await CARRIERS.msw(model);
    await expect(fetch('http://elsewhere.test/')).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });
});

async function readToEnd(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  for (;;) if ((await reader.read()).done) return;
}
