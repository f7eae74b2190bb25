import { afterEach, describe, expect, it } from 'vitest';
import {
  closeEndpoints,
  KEY,
  REQUEST,
  endpointThat,
  modelAt,
  attempt,
  streaming,
  answering,
} from './fixtures/attempt.ts';
import { DONE, chunk, startRawEndpoint, stream, write, type Answer } from './fixtures/raw-endpoint.ts';

afterEach(closeEndpoints);

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
