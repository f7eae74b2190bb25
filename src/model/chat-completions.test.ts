import { afterEach, describe, expect, it } from 'vitest';
import {
  closeEndpoints,
  KEY,
  REQUEST,
  endpointThat,
  modelAt,
  attempt,
  streaming,
} from './fixtures/attempt.ts';
import { DONE, USAGE, chunk, stream, write } from './fixtures/raw-endpoint.ts';

afterEach(closeEndpoints);

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

  it('takes the name of a call also from a later delta than its id', async () => {
    const { answer } = await streaming(
      chunk({ tool_calls: [{ index: 0, id: 'a' }] }),
      chunk({ tool_calls: [{ index: 0, function: { name: 'read', arguments: '{}' } }] }),
      chunk({}, { finish: 'tool_calls' }),
      DONE,
    );
    expect(answer?.message.toolCalls).toEqual([{ id: 'a', name: 'read', arguments: '{}' }]);
  });

  it('keeps apart two calls that a server gives one index, by their ids (a fault seen of OpenAI-compatible servers)', async () => {
    const { answer } = await streaming(
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'read', arguments: '' } }] }),
      chunk({
        tool_calls: [{ index: 0, id: 'b', function: { name: 'bash', arguments: '{"command":"ls"}' } }],
      }),
      chunk({}, { finish: 'tool_calls' }),
      DONE,
    );
    expect(answer?.message.toolCalls).toEqual([
      { id: 'a', name: 'read', arguments: '' },
      { id: 'b', name: 'bash', arguments: '{"command":"ls"}' },
    ]);
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
