import { afterEach, describe, expect, it } from 'vitest';
import type { AssistantChunk, MessageId } from '../session/events.ts';
import { createChatCompletions, type ChatCompletionsOptions } from './chat-completions.ts';
import {
  DONE,
  USAGE,
  chunk,
  startRawEndpoint,
  stream,
  write,
  type Answer,
  type RawEndpoint,
} from './fixtures/raw-endpoint.ts';
import { ModelError, type ModelAnswer, type ModelRequest } from './model.ts';

const KEY = 'sk-very-secret-0123456789';

const endpoints: RawEndpoint[] = [];

afterEach(async () => {
  await Promise.all(endpoints.splice(0).map((endpoint) => endpoint.close()));
});

async function endpointThat(answer: Answer): Promise<RawEndpoint> {
  const endpoint = await startRawEndpoint(answer);
  endpoints.push(endpoint);
  return endpoint;
}

function modelAt(endpoint: { readonly baseUrl: string }, options: Partial<ChatCompletionsOptions> = {}) {
  return createChatCompletions({
    baseUrl: endpoint.baseUrl,
    apiKey: KEY,
    model: 'm',
    fetch,
    version: '1.2.3',
    ...options,
  });
}

const REQUEST: ModelRequest = {
  systemPrompt: 'Be good.',
  tools: [],
  history: [
    {
      role: 'user',
      message: {
        id: 'u1' as MessageId,
        role: 'user',
        content: [{ type: 'text', text: 'Hi' }],
        source: { kind: 'user' },
      },
    },
  ],
};

interface Attempt {
  readonly chunks: readonly AssistantChunk[];
  readonly answer: ModelAnswer | null;
  readonly error: ModelError | null;
}

async function attempt(
  endpoint: RawEndpoint,
  options: Partial<ChatCompletionsOptions> = {},
): Promise<Attempt> {
  const chunks: AssistantChunk[] = [];
  try {
    const answer = await modelAt(endpoint, options).attempt(
      REQUEST,
      (piece) => chunks.push(piece),
      new AbortController().signal,
    );
    return { chunks, answer, error: null };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    expect(`${error.message} ${JSON.stringify(error)} ${String(error.stack)}`).not.toContain(KEY);
    return { chunks, answer: null, error };
  }
}

const streaming = async (...pieces: readonly (string | Uint8Array)[]): Promise<Attempt> =>
  attempt(await endpointThat(stream(...pieces)));

const answering = async (
  status: number,
  body: string,
  headers: Record<string, string> = {},
): Promise<Attempt> =>
  attempt(
    await endpointThat((response) => {
      response.writeHead(status, headers);
      response.end(body);
    }),
  );

describe('what is sent', () => {
  it('is what header() says, with the key beside it, to the path below the base URL', async () => {
    const endpoint = await endpointThat(stream(chunk({ content: 'x' }, { finish: 'stop' }), DONE));
    const model = modelAt(endpoint, { maxTokens: 9, thinking: 'enabled' });
    await model.attempt(REQUEST, () => undefined, new AbortController().signal);
    const header = model.header(REQUEST);
    const [sent] = endpoint.requests;
    expect(sent?.method).toBe(header.method);
    expect(sent?.url).toBe(header.path);
    expect(sent?.headers).toMatchObject(header.headers);
    expect(header.headers).toEqual({
      accept: 'text/event-stream',
      'content-type': 'application/json',
      'user-agent': 'turnpin/1.2.3',
    });
    expect(sent?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(JSON.stringify(header)).not.toContain(KEY);
    const { messages, ...parameters } = JSON.parse(sent?.body ?? '') as Record<string, unknown>;
    expect(parameters).toEqual(header.parameters);
    expect(parameters).toEqual({
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 9,
      thinking: { type: 'enabled' },
    });
    expect(messages).toEqual([
      { role: 'system', content: 'Be good.' },
      { role: 'user', content: 'Hi' },
    ]);
  });

  it.each(['', '/', '/v1', '/v1/', '/v1/chat/completions'])(
    'reaches chat completions under a base URL that ends in "%s"',
    async (end) => {
      const endpoint = await endpointThat(stream(chunk({ content: 'x' }, { finish: 'stop' }), DONE));
      await attempt(endpoint, { baseUrl: endpoint.baseUrl + end });
      expect(endpoint.requests[0]?.url).toBe(`${end.startsWith('/v1') ? '/v1' : ''}/chat/completions`);
    },
  );

  it('has no authorization without a key', async () => {
    const endpoint = await endpointThat(stream(chunk({ content: 'x' }, { finish: 'stop' }), DONE));
    await attempt(endpoint, { apiKey: ' ' });
    expect(endpoint.requests[0]?.headers.authorization).toBeUndefined();
  });
});

describe('an answer', () => {
  it('comes as blocks in wire order, with usage and finish once each at the end', async () => {
    const { chunks, answer } = await streaming(
      chunk({ role: 'assistant', content: null, reasoning_content: '' }),
      chunk({ content: null, reasoning_content: 'Hm' }),
      chunk({ content: 'Hel', reasoning_content: null }),
      chunk({ content: 'lo' }),
      chunk({ content: '' }, { finish: 'stop', usage: USAGE }),
      DONE,
    );
    expect(chunks).toEqual([
      { kind: 'block-start', block: 'reasoning', index: 0 },
      { kind: 'reasoning-delta', index: 0, text: 'Hm' },
      { kind: 'block-end', index: 0 },
      { kind: 'block-start', block: 'text', index: 1 },
      { kind: 'text-delta', index: 1, text: 'Hel' },
      { kind: 'text-delta', index: 1, text: 'lo' },
      { kind: 'block-end', index: 1 },
      { kind: 'usage', usage: { input: 11, output: 7, cached: 4, reasoning: 2 } },
      { kind: 'finish', reason: 'stop' },
    ]);
    expect(answer).toEqual({
      message: { role: 'assistant', text: 'Hello', reasoning: 'Hm', toolCalls: [] },
      finish: 'stop',
      usage: { input: 11, output: 7, cached: 4, reasoning: 2 },
    });
  });

  it('tells each piece while the rest is still to come', async () => {
    let release: () => void = () => undefined;
    const endpoint = await endpointThat(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      await write(response, chunk({ content: 'early' }));
      await new Promise<void>((resolve) => (release = resolve));
      response.end(chunk({}, { finish: 'stop' }) + DONE);
    });
    const seen: string[] = [];
    await modelAt(endpoint).attempt(
      REQUEST,
      (piece) => {
        seen.push(piece.kind);
        if (piece.kind === 'text-delta') release();
      },
      new AbortController().signal,
    );
    expect(seen).toEqual(['block-start', 'text-delta', 'block-end', 'finish']);
  });

  it('collects tool calls by index, interleaved, with the last text in the delta of the first call', async () => {
    const call = (index: number, id: string | undefined, name: string | undefined, args: string) => ({
      index,
      ...(id === undefined ? {} : { id, type: 'function' }),
      function: { ...(name === undefined ? {} : { name }), arguments: args },
    });
    const { chunks, answer } = await streaming(
      chunk({ content: 'Wait' }),
      chunk({ content: '!', tool_calls: [call(0, 'call_00_a', 'read', '')] }),
      chunk({ tool_calls: [call(0, undefined, undefined, '{"pa')] }),
      chunk({ tool_calls: [call(1, 'call_01_b', 'bash', '{}'), call(0, undefined, undefined, 'th":"x"}')] }),
      chunk({}, { finish: 'tool_calls' }),
      DONE,
    );
    expect(answer?.finish).toBe('tool-calls');
    expect(answer?.message).toEqual({
      role: 'assistant',
      text: 'Wait!',
      toolCalls: [
        { id: 'call_00_a', name: 'read', arguments: '{"path":"x"}' },
        { id: 'call_01_b', name: 'bash', arguments: '{}' },
      ],
    });
    expect(chunks.filter(({ kind }) => kind === 'block-start')).toEqual([
      { kind: 'block-start', block: 'text', index: 0 },
      { kind: 'block-start', block: 'tool-call', index: 1, id: 'call_00_a', name: 'read' },
      { kind: 'block-start', block: 'tool-call', index: 2, id: 'call_01_b', name: 'bash' },
    ]);
    expect(chunks.filter(({ kind }) => kind === 'block-end')).toHaveLength(3);
  });

  it.each([
    ['with empty choices', chunk(null, { usage: USAGE })],
    ['with null choices', `data: ${JSON.stringify({ choices: null, usage: USAGE })}\n\n`],
    ['twice', chunk(null, { usage: { ...USAGE, completion_tokens: 1 } }) + chunk(null, { usage: USAGE })],
  ])('counts usage once when it trails %s (REQ-7)', async (_, trailing) => {
    const { chunks, answer } = await streaming(chunk({ content: 'x' }, { finish: 'stop' }), trailing, DONE);
    expect(answer?.usage?.output).toBe(7);
    expect(chunks.filter(({ kind }) => kind === 'usage')).toHaveLength(1);
  });

  it('does without usage that makes no sense', async () => {
    const { answer } = await streaming(
      chunk({ content: 'x' }, { finish: 'stop', usage: { prompt_tokens: 'many' } }),
      DONE,
    );
    expect(answer?.message.text).toBe('x');
    expect(answer).not.toHaveProperty('usage');
  });

  it('is not disturbed by comments, CRLF, other fields, empty events and a missing last blank line', async () => {
    const crlf = chunk({ content: 'a' }).replaceAll('\n', '\r\n');
    const { answer, error } = await streaming(
      ': keep-alive\n\n:\n\n',
      `event: message\nid: 7\nretry: 10\nretry: soon\n${crlf}`,
      'data:\n\n',
      'event: ping\ndata: {}\n\n',
      chunk({ content: 'b' }, { finish: 'stop' }),
      'data: [DONE]\n',
    );
    expect(error).toBeNull();
    expect(answer?.message.text).toBe('ab');
  });

  it('keeps a character whole that is split between packets, after any of its bytes', async () => {
    const bytes = Buffer.from(chunk({ content: '那😀é' }, { finish: 'stop' }) + DONE);
    const start = bytes.indexOf('那');
    for (const cut of [1, 2, 4, 5, 6, 8]) {
      const { answer } = await streaming(bytes.subarray(0, start + cut), bytes.subarray(start + cut));
      expect(answer?.message.text).toBe('那😀é');
    }
  });

  it('is whole once the finish reason is there, even if the connection breaks after it', async () => {
    const endpoint = await endpointThat(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      await write(response, chunk({ content: 'x' }, { finish: 'stop' }) + 'data: {"cho');
      response.destroy();
    });
    expect((await attempt(endpoint)).answer?.message.text).toBe('x');
  });

  it('does not wait for a server that keeps the connection open after [DONE]', async () => {
    const endpoint = await endpointThat(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      await write(response, chunk({ content: 'x' }, { finish: 'stop' }) + 'data: [DONE]\n');
    });
    expect((await attempt(endpoint)).answer?.message.text).toBe('x');
    await endpoint.requests[0]?.hungUp;
  });

  it('may be empty (REQ-6)', async () => {
    const { answer, chunks } = await streaming(
      chunk({ role: 'assistant', content: '' }),
      chunk({}, { finish: 'stop' }),
      DONE,
    );
    expect(answer).toEqual({ message: { role: 'assistant', text: '', toolCalls: [] }, finish: 'stop' });
    expect(chunks).toEqual([{ kind: 'finish', reason: 'stop' }]);
  });

  it('that hit the token ceiling keeps its text and none of its calls, cut or whole (TURN-8)', async () => {
    const calls = [
      { index: 0, id: 'a', function: { name: 'write', arguments: '{"path":"f","content":"x"}' } },
      { index: 1, id: 'b', function: { name: 'write', arguments: '{"path":"f","con' } },
    ];
    const { answer } = await streaming(
      chunk({ content: 'So' }),
      chunk({ tool_calls: calls }),
      chunk({}, { finish: 'length' }),
      DONE,
    );
    expect(answer).toEqual({ message: { role: 'assistant', text: 'So', toolCalls: [] }, finish: 'length' });
  });

  it('that was filtered says so', async () => {
    const { answer } = await streaming(chunk({ content: 'x' }, { finish: 'content_filter' }), DONE);
    expect(answer?.finish).toBe('content-filter');
  });

  it('with calls is one with calls whatever finish reason the server gave it, and gets ids where it gave none', async () => {
    const { answer } = await streaming(
      chunk({ tool_calls: [{ function: { name: 'read' } }] }),
      chunk({}, { finish: 'stop' }),
      DONE,
    );
    expect(answer?.finish).toBe('tool-calls');
    expect(answer?.message.toolCalls).toEqual([{ id: 'call_0', name: 'read', arguments: '' }]);
  });
});

describe('a failed stream (TURN-11)', () => {
  const text = chunk({ content: 'half' });
  const wholeCall = chunk({
    tool_calls: [{ index: 0, id: 'a', function: { name: 'write', arguments: '{}' } }],
  });

  it.each([
    ['two deltas, then a clean end', [text, text], 'STREAM_ENDED', false],
    ['a whole call, then a clean end', [wholeCall], 'STREAM_ENDED', false],
    ['[DONE] without a finish reason', [text, DONE], 'STREAM_ENDED', false],
    ['nothing at all', [], 'STREAM_ENDED', true],
    ['comments alone', [': keep-alive\n\n'], 'STREAM_ENDED', true],
    ['an event cut in two', [text.slice(0, 40)], 'STREAM_MALFORMED', true],
    [
      'an error object',
      ['data: {"error":{"message":"engine died","type":"server_error"}}\n\n'],
      'STREAM_ERROR',
      true,
    ],
    [
      'an error object after text',
      [text, 'data: {"error":{"message":"engine died"}}\n\n'],
      'STREAM_ERROR',
      false,
    ],
    [
      'an error object after the finish',
      [chunk({}, { finish: 'stop' }), 'data: {"error":{"message":"no"}}\n\n', DONE],
      'STREAM_ERROR',
      true,
    ],
    ["a proxy's plain text", ['upstream connect error\n\n'], 'STREAM_MALFORMED', true],
    [
      "a proxy's plain text with a colon, after text",
      [text, 'error: reset before headers\n\n'],
      'STREAM_MALFORMED',
      false,
    ],
    ['data that is no JSON', ['data: Bad gateway\n\n'], 'STREAM_MALFORMED', true],
    ['JSON that is no chunk', ['data: 42\n\n'], 'STREAM_MALFORMED', true],
    ['a delta of the wrong type', [chunk({ content: 7 })], 'STREAM_MALFORMED', true],
    ['an unknown finish reason', [chunk({}, { finish: 'eos' })], 'STREAM_MALFORMED', true],
    [
      'a server without resources',
      [text, chunk({}, { finish: 'insufficient_system_resource' }), DONE],
      'INSUFFICIENT_RESOURCES',
      false,
    ],
  ])('%s', async (_, pieces, code, retryable) => {
    const { answer, error, chunks } = await streaming(...pieces);
    expect(answer).toBeNull();
    expect(error).toMatchObject({ code, retryable, status: undefined });
    expect(chunks.some(({ kind }) => kind === 'finish' || kind === 'usage')).toBe(false);
  });

  it.each([
    ['reset', true],
    ['closed without an end', false],
  ])('a connection that is %s before and after something visible', async (_, reset) => {
    for (const pieces of [[': hi\n\n'], [text]]) {
      const endpoint = await endpointThat(async (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const piece of pieces) await write(response, piece);
        if (reset) response.socket?.resetAndDestroy();
        else response.socket?.destroy();
      });
      const { error } = await attempt(endpoint);
      expect(error).toMatchObject({ code: 'CONNECTION_LOST', retryable: pieces[0] !== text });
    }
  });

  it('an event that never ends fails with bounded memory', async () => {
    const megabyte = Buffer.alloc(1024 * 1024, 'x');
    const endpoint = await endpointThat(async (response, { hungUp }) => {
      let gone = false;
      void hungUp.then(() => (gone = true));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: ');
      while (!gone) await Promise.race([write(response, megabyte), hungUp]);
    });
    const { error } = await attempt(endpoint);
    expect(error).toMatchObject({ code: 'ANSWER_TOO_LARGE', retryable: true });
    await endpoint.requests[0]?.hungUp;
  });

  it('a stall, with the socket open and comments for ever', async () => {
    const endpoint = await endpointThat(async (response, { hungUp }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      await write(response, text);
      const beat = setInterval(() => response.write(': keep-alive\n\n'), 5);
      await hungUp;
      clearInterval(beat);
    });
    const { error } = await attempt(endpoint, { stallTimeoutMs: 1_000 });
    expect(error).toMatchObject({ code: 'STALLED', retryable: false });
    await endpoint.requests[0]?.hungUp;
  });
});

describe('a refused request', () => {
  const body = (message: string, type = 'x', code = 'invalid_request_error') =>
    JSON.stringify({ error: { message, type, param: null, code } });

  it.each([
    [400, body('Bad field'), 'INVALID_REQUEST', false],
    [400, body("This model's maximum context length is 65536 tokens."), 'CONTEXT_TOO_LONG', false],
    [401, body('no', 'authentication_error'), 'AUTHENTICATION_FAILED', false],
    [402, body('Insufficient Balance'), 'INSUFFICIENT_BALANCE', false],
    [403, '', 'PERMISSION_DENIED', false],
    [404, '<html>not here</html>', 'NOT_FOUND', false],
    [408, '', 'REQUEST_TIMEOUT', true],
    [409, '', 'CONFLICT', true],
    [422, body('x'), 'INVALID_REQUEST', false],
    [418, '', 'HTTP_ERROR', false],
    [429, body('slow down'), 'RATE_LIMITED', true],
    [429, body('quota', 'insufficient_quota'), 'INSUFFICIENT_BALANCE', true],
    [500, 'oops', 'SERVER_ERROR', true],
    [503, '{"error":"overloaded"}', 'OVERLOADED', true],
    [529, '', 'OVERLOADED', true],
  ])('%i %s', async (status, text, code, retryable) => {
    const { error } = await answering(status, text);
    expect(error).toMatchObject({ code, status, retryable });
  });

  it("repeats the vendor's message, without the key that the vendor may have echoed", async () => {
    const { error } = await answering(401, body(`Incorrect API key provided: ${KEY}.`));
    expect(error?.message).toBe('The model endpoint answered 401: Incorrect API key provided: [api key].');
  });

  it('takes the wait from the response', async () => {
    expect((await answering(429, '', { 'retry-after': '2' })).error?.retryAfterMs).toBe(2_000);
    expect((await answering(429, '', { 'retry-after': '0' })).error?.retryAfterMs).toBe(0);
    expect((await answering(429, '', { 'retry-after': 'soon' })).error?.retryAfterMs).toBeUndefined();
  });

  it('does not read an error body without end', async () => {
    const endpoint = await endpointThat(async (response, { hungUp }) => {
      let gone = false;
      void hungUp.then(() => (gone = true));
      response.writeHead(500);
      while (!gone) await Promise.race([write(response, 'x'.repeat(65_536)), hungUp]);
    });
    const { error } = await attempt(endpoint);
    expect(error?.message.length).toBeLessThan(3_000);
    await endpoint.requests[0]?.hungUp;
  });

  it.each(['text/html', 'application/json'])('200 with %s instead of an event stream', async (type) => {
    const { error } = await answering(200, '{"error":{"message":"Model is asleep"}}', {
      'content-type': type,
    });
    expect(error).toMatchObject({ code: 'NOT_A_STREAM', retryable: false });
    expect(error?.message).toContain('Model is asleep');
    expect(error?.message).toContain(type);
  });

  it('a stream without a content type is read all the same', async () => {
    const endpoint = await endpointThat((response) => {
      response.writeHead(200);
      response.end(chunk({ content: 'x' }, { finish: 'stop' }) + DONE);
    });
    expect((await attempt(endpoint)).answer?.message.text).toBe('x');
  });

  it('nobody listening is a retryable failure that names the reason', async () => {
    const endpoint = await startRawEndpoint(() => undefined);
    await endpoint.close();
    const { error } = await attempt(endpoint);
    expect(error).toMatchObject({ code: 'CONNECTION_FAILED', retryable: true });
    expect(error?.message).toContain('ECONNREFUSED');
  });

  it('a fetch that throws with the key in its words leaks nothing', async () => {
    const endpoint = await endpointThat(() => undefined);
    const { error } = await attempt(endpoint, {
      fetch: (_url, init) => Promise.reject(new TypeError(`bad ${JSON.stringify(init.headers)}`)),
    });
    expect(error?.code).toBe('CONNECTION_FAILED');
    expect(error?.cause).toBeUndefined();
  });
});

describe('an abort (CANCEL-3)', () => {
  const stalled: Answer = async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    await write(response, chunk({ content: 'x' }));
  };
  const silent: Answer = () => undefined;
  const stalledError: Answer = async (response) => {
    response.writeHead(500);
    await write(response, 'x');
  };

  it('in mid-stream rejects with its reason and closes the request', async () => {
    const endpoint = await endpointThat(stalled);
    const controller = new AbortController();
    const reason = new Error('user');
    const running = modelAt(endpoint).attempt(
      REQUEST,
      (piece) => piece.kind === 'text-delta' && controller.abort(reason),
      controller.signal,
    );
    await expect(running).rejects.toBe(reason);
    await endpoint.requests[0]?.hungUp;
  });

  it('from within a listener ends the telling, whatever else the same packet held', async () => {
    const endpoint = await endpointThat(
      stream(chunk({ content: 'a' }) + chunk({ content: 'b' }, { finish: 'stop' }) + DONE),
    );
    const controller = new AbortController();
    const told: string[] = [];
    const running = modelAt(endpoint).attempt(
      REQUEST,
      (piece) => {
        told.push(piece.kind);
        if (piece.kind === 'text-delta') controller.abort('enough');
      },
      controller.signal,
    );
    await expect(running).rejects.toBe('enough');
    expect(told).toEqual(['block-start', 'text-delta']);
  });

  it.each([
    ['before the response', silent],
    ['in the body of an error', stalledError],
  ])('%s does the same', async (_, answer) => {
    const controller = new AbortController();
    const endpoint = await endpointThat(async (response, request) => {
      await answer(response, request);
      controller.abort('why not');
    });
    await expect(modelAt(endpoint).attempt(REQUEST, () => undefined, controller.signal)).rejects.toBe(
      'why not',
    );
    await endpoint.requests[0]?.hungUp;
  });

  it('that came before sends nothing', async () => {
    const endpoint = await endpointThat(silent);
    await expect(
      modelAt(endpoint).attempt(REQUEST, () => undefined, AbortSignal.abort('early')),
    ).rejects.toBe('early');
    expect(endpoint.requests).toHaveLength(0);
  });

  it('settles at once where the injected fetch ignores its signal, and contains what it throws later', async () => {
    const controller = new AbortController();
    let fail: (error: Error) => void = () => undefined;
    const deaf = () => new Promise<Response>((_, reject) => (fail = reject));
    const running = modelAt({ baseUrl: 'http://127.0.0.1' }, { fetch: deaf }).attempt(
      REQUEST,
      () => undefined,
      controller.signal,
    );
    controller.abort('now');
    await expect(running).rejects.toBe('now');
    fail(new Error('late'));
  });

  it('settles at once where the injected body never settles a read or a cancel', async () => {
    const controller = new AbortController();
    const body = new ReadableStream({
      start: (stream) => {
        stream.enqueue(Buffer.from(chunk({ content: 'x' })));
      },
      cancel: () => new Promise(() => undefined),
    });
    const running = modelAt(
      { baseUrl: 'http://127.0.0.1' },
      { fetch: () => Promise.resolve(new Response(body)) },
    ).attempt(
      REQUEST,
      () => {
        controller.abort('now');
      },
      controller.signal,
    );
    await expect(running).rejects.toBe('now');
  });
});

describe('a configuration that cannot work', () => {
  it.each(['', 'api.deepseek.com', 'ftp://x', 'http://'])('base URL "%s"', (baseUrl) => {
    expect(() => modelAt({ baseUrl })).toThrowError(expect.objectContaining({ code: 'INVALID_BASE_URL' }));
  });

  it('base URL with a password, which is not repeated', () => {
    expect(() => modelAt({ baseUrl: 'https://me:hunter2@x' })).toThrowError(/^(?!.*hunter2)/);
  });

  it('a key that HTTP cannot carry, which is not repeated', () => {
    expect(() => modelAt({ baseUrl: 'http://x' }, { apiKey: 'sk-abc\ndef' })).toThrowError(
      expect.objectContaining({
        code: 'INVALID_API_KEY',
        message: expect.not.stringContaining('abc') as unknown,
      }),
    );
  });
});
