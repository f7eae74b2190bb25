import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RPC_ERROR } from '../sdk/protocol.ts';
import { requireBuild } from '../sdk/fixtures/agent-process.ts';
import { Places, forever, gate } from '../sdk/fixtures/places.ts';
import { RawClient } from '../sdk/fixtures/raw-client.ts';

beforeAll(requireBuild);

const places = new Places();
afterEach(() => places.close());

describe('prompts', () => {
  it('a prompt is answered as soon as it is enqueued, without waiting for its turn (SDK-1)', async () => {
    const held = gate();
    const { workspace } = await places.open([{ text: 'Answer.', hold: held.opened }]);
    const client = await places.serve(workspace);
    client.prompt(1, 's', 'hello');
    const { result } = await client.response(1);
    expect(Object.keys(result ?? {})).toEqual(['messageId']);
    expect(client.events('s').some(({ type }) => type === 'turn/end')).toBe(false);
    held.open();
    await client.idle('s');
    const receipt = client.events('s')[0];
    expect(receipt).toMatchObject({
      type: 'agent/inbox/spliced',
      data: { inserted: [{ id: result?.['messageId'] }] },
    });
  });

  it('every durable fact is streamed in order, and each transition of status (SDK-2, SDK-3)', async () => {
    const { workspace } = await places.open([
      { calls: [{ name: 'bash', arguments: { command: 'echo hi' } }] },
      { text: 'Done.' },
    ]);
    const client = await places.serve(workspace);
    client.prompt(1, 's', 'hello');
    await client.idle('s');
    expect(client.events('s')).toEqual(await workspace.events('s'));
    expect(client.events('s').map(({ seq }) => seq)).toEqual(client.events('s').map((_, index) => index));
    expect(client.statuses('s')).toEqual(['running', 'idle']);
  });

  it('no session.finished exists, and nothing is sent but events and statuses (SDK-4)', async () => {
    const { workspace } = await places.open();
    const client = await places.serve(workspace);
    client.prompt(1, 's', 'hello');
    await client.idle('s');
    const methods = new Set(client.frames.flatMap(({ method }) => (method === undefined ? [] : [method])));
    expect([...methods].sort()).toEqual(['session.event', 'session.status']);
  });

  it('two prompts in one write are both received at once and run one turn each, in order (SDK-5)', async () => {
    const held = gate();
    const { server, workspace } = await places.open([
      { text: 'First.', hold: held.opened },
      { text: 'Second.' },
    ]);
    const client = await places.serve(workspace);
    const frame = (id: number, text: string): string =>
      JSON.stringify({
        jsonrpc: '2.0',
        id,
        method: 'session/prompt',
        params: { sessionId: 's', contentBlocks: [{ type: 'text', text }] },
      });
    client.write(`${frame(1, 'one')}\n${frame(2, 'two')}\n`);
    await Promise.all([client.response(1), client.response(2), server.received(1)]);
    expect(server.requests).toHaveLength(1);
    held.open();
    await client.idle('s');
    expect(server.userTexts()).toEqual([['one'], ['one', 'two']]);
    expect(await workspace.endings('s')).toEqual(['completed', 'completed']);
    expect(await workspace.sessions()).toEqual(['s']);
    expect(client.statuses('s')).toEqual(['running', 'idle']);
  });

  it('two sessions run side by side', async () => {
    const held = gate();
    const { workspace } = await places.open((request) =>
      JSON.stringify(request.messages).includes('slow')
        ? { text: 'Slow.', hold: held.opened }
        : { text: 'Quick.' },
    );
    const client = await places.serve(workspace);
    client.prompt(1, 'a', 'slow');
    client.prompt(2, 'b', 'quick');
    await client.idle('b');
    expect(client.statuses('a')).toEqual(['running']);
    held.open();
    await client.idle('a');
  });

  it('an existing log is resumed; what recovery records is streamed too', async () => {
    const { server, workspace } = await places.open((_, number) =>
      number === 1 ? { text: 'never', hold: forever } : { text: 'Second.' },
    );
    const first = await places.serve(workspace);
    first.prompt(1, 's', 'one');
    await server.received(1);
    first.process.child.kill('SIGKILL');
    await first.process.ended;
    const before = (await workspace.events('s')).length;
    const second = await places.serve(workspace);
    second.prompt(1, 's', 'two');
    await second.idle('s');
    const events = second.events('s');
    expect(events[0]?.seq).toBe(before);
    expect(events.slice(0, 2)).toMatchObject([
      { type: 'step/end' },
      { type: 'turn/end', data: { reason: { kind: 'interrupted' } } },
    ]);
    expect([...(await workspace.events('s')).slice(before)]).toEqual(events);
    expect(server.userTexts().at(-1)).toEqual(['one', 'two']);
  });
});

describe('steering, context and cancel', () => {
  it('reach an open session', async () => {
    const held = gate();
    const { server, workspace } = await places.open([
      { text: 'First.', hold: held.opened },
      { text: 'Second.' },
      { text: 'never', hold: forever },
    ]);
    const client = await places.serve(workspace);
    client.prompt(1, 's', 'one');
    await server.received(1);
    client.prompt(2, 's', 'steered', 'session/steer');
    client.prompt(3, 's', 'context', 'session/inject');
    for (const id of [1, 2, 3])
      expect(Object.keys((await client.response(id)).result ?? {})).toEqual(['messageId']);
    held.open();
    await client.idle('s');
    expect(server.userTexts().at(-1)).toEqual(['one', 'steered', 'context']);
    client.prompt(4, 's', 'to be cancelled');
    await server.received(3);
    client.request(5, 'session/cancel', { sessionId: 's' });
    expect((await client.response(5)).result).toEqual({});
    await client.idle('s', 2);
    expect(await workspace.endings('s')).toEqual(['completed', 'aborted']);
  });

  it.each(['session/steer', 'session/inject', 'session/cancel'])(
    '%s of an unknown session is an error, and makes none',
    async (method) => {
      const { workspace } = await places.open();
      const client = await places.serve(workspace);
      client.prompt(1, 'nobody', 'text', method);
      expect((await client.response(1)).error?.code).toBe(RPC_ERROR.unknownSession);
      expect(await workspace.sessions()).toEqual([]);
    },
  );

  it('frames of one write take effect in their order: a cancel behind a prompt cancels that prompt', async () => {
    const { server, workspace } = await places.open([{ text: 'First.' }, { text: 'never', hold: forever }]);
    const client = await places.serve(workspace);
    client.prompt(1, 's', 'one');
    await client.idle('s');
    const frame = (id: number, method: string, params: object): string =>
      `${JSON.stringify({ jsonrpc: '2.0', id, method, params: { sessionId: 's', ...params } })}\n`;
    const contentBlocks = [{ type: 'text', text: 'two' }];
    client.write(frame(2, 'session/prompt', { contentBlocks }) + frame(3, 'session/cancel', {}));
    await client.response(3);
    await client.idle('s', 2);
    expect(await workspace.endings('s')).toEqual(['completed', 'aborted']);
    expect(server.requests.length).toBeLessThanOrEqual(2);
  });

  it('a request without an id is carried out and not answered', async () => {
    const { server, workspace } = await places.open([{ text: 'never', hold: forever }]);
    const client = await places.serve(workspace);
    client.prompt(1, 's', 'one');
    await server.received(1);
    client.write('{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}\n');
    await client.idle('s');
    expect(client.frames.filter(({ method }) => method === undefined).map(({ id }) => id)).toEqual([0, 1]);
  });
});

describe('session/close (SDK-7)', () => {
  const frame = (id: number, method: string, params: object = {}): string =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params: { sessionId: 's', ...params } })}\n`;
  const text = (words: string): object => ({ contentBlocks: [{ type: 'text', text: words }] });

  it('aborts what runs, flushes and lets go, and only then is answered; other sessions go on', async () => {
    const held = gate();
    const { server, workspace } = await places.open((request) =>
      JSON.stringify(request.messages).includes('slow')
        ? { text: 'Slow.', hold: held.opened }
        : { text: 'never', hold: forever },
    );
    const client = await places.serve(workspace);
    client.prompt(1, 'other', 'slow');
    client.prompt(2, 's', 'one');
    client.prompt(3, 's', 'two');
    await server.received(2);
    client.request(4, 'session/close', { sessionId: 's' });
    expect((await client.response(4)).result).toEqual({});
    // What the response follows is complete: every frame of the session, its file, its lock.
    const before = client.frames.slice(
      0,
      client.frames.findIndex(({ id }) => id === 4),
    );
    expect(before.filter(({ params }) => params?.sessionId === 's').at(-1)).toMatchObject({
      params: { status: 'idle' },
    });
    expect(client.events('s')).toEqual(await workspace.events('s'));
    expect(await workspace.endings('s')).toEqual(['aborted']);
    expect(await workspace.locks()).toEqual(['other.lock']);
    expect(client.statuses('other')).toEqual(['running']);
    held.open();
    await client.idle('other');
  });

  it('the session is unknown afterwards, and a prompt resumes it from its log', async () => {
    const { server, workspace } = await places.open([{ text: 'First.' }, { text: 'Second.' }]);
    const client = await places.serve(workspace);
    client.prompt(1, 's', 'one');
    await client.idle('s');
    client.write(
      frame(2, 'session/close') +
        frame(3, 'session/close') +
        frame(4, 'session/steer', text('late')) +
        frame(5, 'session/inject', text('late')) +
        frame(6, 'session/cancel') +
        frame(7, 'session/prompt', text('two')),
    );
    expect((await client.response(7)).result).toHaveProperty('messageId');
    await client.idle('s', 2);
    expect((await client.response(2)).result).toEqual({});
    for (const id of [3, 4, 5, 6])
      expect((await client.response(id)).error?.code).toBe(RPC_ERROR.unknownSession);
    expect(server.userTexts().at(-1)).toEqual(['one', 'two']);
    expect(client.events('s').map(({ seq }) => seq)).toEqual(client.events('s').map((_, index) => index));
  });

  it('takes effect in its order among the frames of one write, also while the session is being opened', async () => {
    const third = gate();
    const { workspace } = await places.open(({ messages }) => {
      if (messages.at(-1)?.content === 'three') third.open();
      return { text: 'never', hold: forever };
    });
    const client = await places.serve(workspace);
    client.write(
      frame(1, 'session/prompt', text('one')) +
        frame(2, 'session/inject', text('context')) +
        frame(3, 'session/close') +
        frame(4, 'session/prompt', text('two')) +
        frame(5, 'session/close') +
        frame(6, 'session/prompt', text('three')),
    );
    for (const id of [1, 2, 4, 6]) expect((await client.response(id)).result).toHaveProperty('messageId');
    for (const id of [3, 5]) expect((await client.response(id)).result).toEqual({});
    await third.opened;
    expect(await workspace.endings('s')).toEqual(['aborted', 'aborted']);
    expect(await workspace.sessions()).toEqual(['s']);
  });

  it('of a session that nobody opened, or that cannot be opened, is an error', async () => {
    const { workspace } = await places.open();
    const client = await places.serve(workspace);
    await mkdir(workspace.sessionsDir, { recursive: true });
    await writeFile(path.join(workspace.sessionsDir, 's.jsonl'), 'no session\n');
    client.write(
      frame(1, 'session/close') + frame(2, 'session/prompt', text('one')) + frame(3, 'session/close'),
    );
    expect((await client.response(1)).error?.code).toBe(RPC_ERROR.unknownSession);
    expect((await client.response(2)).error?.code).toBe(RPC_ERROR.sessionUnavailable);
    expect((await client.response(3)).error?.code).toBe(RPC_ERROR.unknownSession);
  });

  it('while the server shuts down it is refused, and shutdown waits for one that is under way', async () => {
    const { server, workspace } = await places.open([{ text: 'never', hold: forever }]);
    const client = await places.serve(workspace);
    client.prompt(1, 's', 'one');
    await server.received(1);
    client.write(frame(2, 'session/close') + frame(3, 'shutdown') + frame(4, 'session/close'));
    expect((await client.process.ended).code).toBe(0);
    expect((await client.response(2)).result).toEqual({});
    expect((await client.response(4)).error?.code).toBe(RPC_ERROR.notServing);
    expect(client.frames.at(-1)).toMatchObject({ id: 3, result: {} });
    expect(await workspace.endings('s')).toEqual(['aborted']);
    expect(await workspace.locks()).toEqual([]);
  });
});

describe('initialize', () => {
  it('gives model and token ceiling over the configuration, and chooses whose variables are read', async () => {
    const { server, workspace } = await places.open();
    await workspace.write('agent.yaml', 'model: {name: of-the-file, maxTokens: 5}\n');
    const env = {
      OPENAI_BASE_URL: server.baseUrl,
      OPENAI_API_KEY: 'openai-key',
      DEEPSEEK_BASE_URL: 'http://127.0.0.1:1',
    };
    const client = await places.serve(
      workspace,
      { provider: 'openai', model: 'of-the-client', maxTokens: 9 },
      env,
    );
    client.prompt(1, 's', 'hello');
    await client.idle('s');
    expect(server.requests).toMatchObject([
      { model: 'of-the-client', max_tokens: 9, authorization: 'Bearer openai-key' },
    ]);
  });

  it('comes first, once; a prompt right behind it waits for it', async () => {
    const { workspace } = await places.open();
    const client = new RawClient(workspace.start(['serve']));
    client.prompt(1, 's', 'too early');
    expect((await client.response(1)).error?.code).toBe(RPC_ERROR.notServing);
    client.request(2, 'initialize', { cwd: path.join(workspace.dir, 'missing') });
    expect((await client.response(2)).error?.code).toBe(RPC_ERROR.invalidParams);
    client.request(3, 'initialize', { cwd: workspace.dir });
    client.prompt(4, 's', 'hello');
    client.request(5, 'initialize', { cwd: workspace.dir });
    expect((await client.response(3)).result).toMatchObject({
      protocolVersion: 1,
      server: { name: 'turnpin-agent' },
    });
    expect((await client.response(4)).result).toHaveProperty('messageId');
    expect((await client.response(5)).error?.code).toBe(RPC_ERROR.invalidRequest);
    await client.process.finish();
  });
});

describe('what a client does wrong is answered, and the server goes on serving (SDK-6)', () => {
  it.each<[string, string, number]>([
    ['unknown method', '{"jsonrpc":"2.0","id":1,"method":"session/finish"}', RPC_ERROR.methodNotFound],
    ['a name that objects have', '{"jsonrpc":"2.0","id":1,"method":"constructor"}', RPC_ERROR.methodNotFound],
    ['no params', '{"jsonrpc":"2.0","id":1,"method":"session/prompt"}', RPC_ERROR.invalidParams],
    ['a list', '{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":["s"]}', RPC_ERROR.invalidParams],
    [
      'no blocks',
      '{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","contentBlocks":[]}}',
      RPC_ERROR.invalidParams,
    ],
    [
      'a block that is no text',
      '{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","contentBlocks":[{"type":"image"}]}}',
      RPC_ERROR.invalidParams,
    ],
    [
      'an id that is no name',
      '{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"../x","contentBlocks":[{"type":"text","text":"t"}]}}',
      RPC_ERROR.invalidParams,
    ],
    ['no version', '{"id":1,"method":"shutdown"}', RPC_ERROR.invalidRequest],
    [
      'a shutdown with a list',
      '{"jsonrpc":"2.0","id":1,"method":"shutdown","params":[]}',
      RPC_ERROR.invalidParams,
    ],
  ])('%s', async (_, line, code) => {
    const { workspace } = await places.open();
    const client = await places.serve(workspace);
    client.write(`${line}\n`);
    expect((await client.response(1)).error?.code).toBe(code);
    client.prompt(2, 's', 'hello');
    expect((await client.response(2)).result).toHaveProperty('messageId');
    expect(await workspace.sessions()).toEqual(['s']);
  });

  it('malformed lines get a parse error with a null id', async () => {
    const { workspace } = await places.open();
    const client = await places.serve(workspace);
    client.write('{\n\n[]\n');
    client.prompt('x', 's', 'hello');
    await client.response('x');
    expect(client.frames.filter(({ id }) => id === null).map(({ error }) => error?.code)).toEqual([
      RPC_ERROR.parse,
      RPC_ERROR.invalidRequest,
    ]);
  });

  it('7 and "7" are two ids', async () => {
    const { workspace } = await places.open();
    const client = await places.serve(workspace);
    client.prompt(7, 's', 'one');
    client.prompt('7', 's', 'two');
    await Promise.all([client.response(7), client.response('7')]);
  });

  it('a session that another process holds is refused by name', async () => {
    const { workspace } = await places.open([{ text: 'never', hold: forever }]);
    const first = await places.serve(workspace);
    first.prompt(1, 's', 'one');
    await first.response(1);
    const second = await places.serve(workspace);
    second.prompt(1, 's', 'two');
    expect((await second.response(1)).error).toMatchObject({
      code: RPC_ERROR.sessionUnavailable,
      data: { code: 'SESSION_LOCKED' },
    });
  });
});
