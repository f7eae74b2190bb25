import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SESSION_UNAVAILABLE } from '../acp/bridge.ts';
import { AcpClient } from '../acp/fixtures/acp-client.ts';
import type { ClientOptions } from '../acp/fixtures/acp-client.ts';
import { ChatServer } from '../sdk/fixtures/chat-server.ts';
import type { Answer, ChatRequest } from '../sdk/fixtures/chat-server.ts';
import { Workspace, requireBuild } from '../sdk/fixtures/agent-process.ts';

beforeAll(requireBuild);

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

type Answers = readonly Answer[] | ((request: ChatRequest, number: number) => Answer);

interface Place {
  readonly server: ChatServer;
  readonly workspace: Workspace;
  readonly client: AcpClient;
}

async function place(
  answers: Answers = [{ text: 'Answer.' }],
  { config, ...options }: ClientOptions & { readonly config?: string } = {},
): Promise<Place> {
  const server = await ChatServer.start(answers);
  cleanups.push(() => server.close());
  const workspace = await Workspace.create(server.baseUrl);
  if (config !== undefined) await workspace.write('agent.yaml', config);
  return { server, workspace, client: await started(workspace, options) };
}

async function started(workspace: Workspace, options: ClientOptions = {}): Promise<AcpClient> {
  const client = await AcpClient.start(workspace, options);
  cleanups.push(() => client.process.finish());
  return client;
}

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const never = new Promise<void>(() => {});
const FAILURE: Answer = { status: 400, message: 'no such model' };

describe('a prompt', () => {
  it('waits for whole-agent idle; every update precedes its response; the stop reason is end_turn (ACP-2, ACP-3)', async () => {
    const { client, workspace } = await place([
      { calls: [{ name: 'bash', arguments: { command: 'echo hi' } }] },
      { text: 'x'.repeat(300_000) },
    ]);
    const session = await client.session(workspace.dir);
    const response = client.prompt(session, 'go').then((answer) => ({ answer, told: client.told.length }));
    const { answer, told } = await response;
    expect(answer).toEqual({ stopReason: 'end_turn' });
    expect(client.text(session)).toBe('x'.repeat(300_000));
    expect(
      client.updates(session).filter(({ sessionUpdate }) => sessionUpdate.startsWith('tool')),
    ).toMatchObject([
      {
        sessionUpdate: 'tool_call',
        title: 'bash: echo hi',
        kind: 'execute',
        status: 'pending',
        rawInput: { command: 'echo hi' },
      },
      { sessionUpdate: 'tool_call_update', status: 'completed' },
    ]);
    expect(client.updates(session).at(-1)).toMatchObject({ sessionUpdate: 'usage_update', used: 15 });
    expect(told).toBe(client.told.length);
  });

  it('cut by the token limit settles as end_turn (ACP-3)', async () => {
    const { client, workspace } = await place([{ text: 'Cut', finish: 'length' }]);
    const session = await client.session(workspace.dir);
    expect(await client.prompt(session, 'go')).toEqual({ stopReason: 'end_turn' });
    expect(await workspace.endings(session)).toEqual(['max-tokens']);
  });

  it('is the only one in flight of its session; other sessions are not affected (ACP-1)', async () => {
    const held = gate();
    const { client, workspace, server } = await place((request) =>
      JSON.stringify(request.messages).includes('slow')
        ? { text: 'Slow.', hold: held.opened }
        : { text: 'Quick.' },
    );
    const [one, two] = [await client.session(workspace.dir), await client.session(workspace.dir)];
    const first = client.prompt(one, 'slow');
    await expect(client.prompt(one, 'too early')).rejects.toMatchObject({ code: -32602 });
    await server.received(1);
    await expect(client.prompt(one, 'still too early')).rejects.toMatchObject({ code: -32602 });
    expect(await client.prompt(two, 'quick')).toEqual({ stopReason: 'end_turn' });
    held.open();
    expect(await first).toEqual({ stopReason: 'end_turn' });
    expect(await client.prompt(one, 'slow again')).toEqual({ stopReason: 'end_turn' });
    expect(server.userTexts().at(-1)).toEqual(['slow', 'slow again']);
  });

  it('is rejected as soon as its own turn records a model error, and the slot is free (ACP-4)', async () => {
    const { client, workspace } = await place((_, number) => (number === 1 ? FAILURE : { text: 'Better.' }), {
      events: true,
    });
    const session = await client.session(workspace.dir);
    const failed = client.prompt(session, 'go').catch((error: unknown) => ({
      error,
      ended: client.eventTypes(session).filter((type) => type === 'turn/end').length,
      idle: client.statuses(session).includes('idle'),
    }));
    expect(await failed).toMatchObject({
      error: { code: -32603, message: expect.stringContaining('no such model'), data: { status: 400 } },
      ended: 1,
      idle: false,
    });
    expect(await client.prompt(session, 'again')).toEqual({ stopReason: 'end_turn' });
    expect(client.text(session)).toBe('Better.');
    expect(await workspace.endings(session)).toEqual(['error', 'completed']);
  });

  it('that is cancelled settles as cancelled, at idle, also when its turn then fails (ACP-5, ACP-7)', async () => {
    const { client, workspace, server } = await place(
      (_, number) => (number === 1 ? { text: 'never', hold: never } : { text: 'Next.' }),
      { events: true },
    );
    const session = await client.session(workspace.dir);
    const first = client.prompt(session, 'go');
    await server.received(1);
    await client.cancel(session);
    expect(await first).toEqual({ stopReason: 'cancelled' });
    expect(client.statuses(session)).toEqual(['running', 'idle']);
    expect(await client.prompt(session, 'next')).toEqual({ stopReason: 'end_turn' });
    expect(await workspace.endings(session)).toEqual(['aborted', 'completed']);
  });

  it('that is sent while a cancelled one still ends is refused, and cannot be settled by that end (ACP-1, ACP-6)', async () => {
    const { client, workspace, server } = await place((_, number) =>
      number === 1
        ? { calls: [{ name: 'bash', arguments: { command: "trap '' TERM; sleep 1" } }] }
        : { text: 'Next.' },
    );
    const session = await client.session(workspace.dir);
    const first = client.prompt(session, 'go');
    await server.received(1);
    await client.until(() =>
      client.updates(session).some(({ sessionUpdate }) => sessionUpdate === 'tool_call'),
    );
    await client.cancel(session);
    await expect(client.prompt(session, 'at once')).rejects.toMatchObject({ code: -32602 });
    expect(await first).toEqual({ stopReason: 'cancelled' });
    expect(await client.prompt(session, 'next')).toEqual({ stopReason: 'end_turn' });
    expect(client.text(session)).toBe('Next.');
  });

  it('that is blocked inside its turn settles as end_turn (ACP-5)', async () => {
    const { client, workspace, server } = await place(undefined, {
      config: 'hooks: {userPromptSubmit: "echo no >&2; exit 2"}\n',
    });
    const session = await client.session(workspace.dir);
    expect(await client.prompt(session, 'go')).toEqual({ stopReason: 'end_turn' });
    expect(server.requests).toHaveLength(0);
    expect(await workspace.endings(session)).toEqual(['rejected']);
  });

  it('of a session that is closed settles as cancelled (ACP-5)', async () => {
    const { client, workspace, server } = await place([{ text: 'never', hold: never }]);
    const session = await client.session(workspace.dir);
    const prompt = client.prompt(session, 'go');
    await server.received(1);
    await client.agent.request('session/close', { sessionId: session });
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
    await expect(client.prompt(session, 'gone')).rejects.toMatchObject({ code: -32002 });
  });

  it('and that session can be loaded again at once, in the same process', async () => {
    const { client, workspace, server } = await place((_, number) =>
      number === 1 ? { text: 'never', hold: never } : { text: 'Next.' },
    );
    const session = await client.session(workspace.dir);
    const prompt = client.prompt(session, 'go');
    await server.received(1);
    const [, , loaded] = await Promise.all([
      prompt,
      client.agent.request('session/close', { sessionId: session }),
      client.agent.request('session/load', { sessionId: session, cwd: workspace.dir, mcpServers: [] }),
    ]);
    expect(loaded).toEqual({});
    expect(await client.prompt(session, 'again')).toEqual({ stopReason: 'end_turn' });
    expect(client.text(session)).toBe('Next.');
    expect(await workspace.endings(session)).toEqual(['aborted', 'completed']);
  });

  it('may be withdrawn by the request cancellation of the protocol', async () => {
    const { client, workspace, server } = await place([{ text: 'never', hold: never }]);
    const session = await client.session(workspace.dir);
    const cancellation = new AbortController();
    const prompt = client.agent.request(
      'session/prompt',
      { sessionId: session, prompt: [{ type: 'text', text: 'go' }] },
      { cancellationSignal: cancellation.signal },
    );
    await server.received(1);
    cancellation.abort();
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
  });

  it('carries links and embedded texts as text; images and an empty prompt are refused', async () => {
    const { client, workspace, server } = await place();
    const sessionId = await client.session(workspace.dir);
    await client.agent.request('session/prompt', {
      sessionId,
      prompt: [
        { type: 'text', text: 'see' },
        { type: 'resource_link', name: 'notes', uri: 'file:///notes.md' },
        { type: 'resource', resource: { uri: 'file:///a.txt', text: 'content of a' } },
      ],
    });
    expect(server.userTexts().flat().join('\n')).toMatch(
      /see[^]*\[notes\]\(file:\/\/\/notes\.md\)[^]*content of a/,
    );
    await expect(
      client.agent.request('session/prompt', {
        sessionId,
        prompt: [{ type: 'image', data: '', mimeType: 'image/png' }],
      }),
    ).rejects.toMatchObject({ code: -32602 });
    await expect(client.agent.request('session/prompt', { sessionId, prompt: [] })).rejects.toMatchObject({
      code: -32602,
    });
  });
});

describe('sessions', () => {
  it('one that is loaded replays its history before the response, and goes on', async () => {
    const { client, workspace, server } = await place((_, number) =>
      number === 1
        ? { calls: [{ name: 'bash', arguments: { command: 'echo hi' } }] }
        : { text: `Answer ${number}.` },
    );
    const session = await client.session(workspace.dir);
    await client.prompt(session, 'first');
    await client.process.finish();
    const second = await started(workspace);
    await second.agent.request('session/load', { sessionId: session, cwd: workspace.dir, mcpServers: [] });
    expect(second.updates(session)).toMatchObject([
      { sessionUpdate: 'user_message_chunk', content: { text: 'first' } },
      { sessionUpdate: 'tool_call', title: 'bash: echo hi' },
      { sessionUpdate: 'tool_call_update', status: 'completed' },
      { sessionUpdate: 'agent_message_chunk', content: { text: 'Answer 2.' } },
    ]);
    expect(await second.prompt(session, 'second')).toEqual({ stopReason: 'end_turn' });
    expect(server.userTexts().at(-1)).toEqual(['first', 'second']);
  });

  it('are listed, the latest first, by workspace, with the beginning of the first prompt as title', async () => {
    const { client, workspace } = await place();
    const [one, two] = [await client.session(workspace.dir), await client.session(workspace.dir)];
    await client.prompt(two, 'first words\nmore');
    await client.prompt(one, 'other words');
    const { sessions } = await client.agent.request('session/list', { cwd: workspace.dir });
    expect(sessions.map(({ sessionId, title, cwd }) => [sessionId, title, cwd])).toEqual([
      [one, 'other words', workspace.dir],
      [two, 'first words', workspace.dir],
    ]);
    expect((await client.agent.request('session/list', { cwd: '/elsewhere' })).sessions).toEqual([]);
    await expect(client.agent.request('session/list', { cursor: 'x' })).rejects.toMatchObject({
      code: -32602,
    });
  });

  it('an unknown one, an unsafe id and a workspace that is none are refused', async () => {
    const { client, workspace } = await place();
    const load = (sessionId: string, cwd: string): Promise<unknown> =>
      client.agent.request('session/load', { sessionId, cwd, mcpServers: [] });
    await expect(load('missing', workspace.dir)).rejects.toMatchObject({
      code: -32002,
      data: { sessionId: 'missing' },
    });
    await expect(load('../x', workspace.dir)).rejects.toMatchObject({ code: -32602 });
    await expect(client.session(`${workspace.dir}/missing`)).rejects.toMatchObject({ code: -32602 });
    await expect(client.session('relative')).rejects.toMatchObject({ code: -32602 });
    await expect(client.prompt('missing', 'go')).rejects.toMatchObject({ code: -32002 });
    await client.cancel('missing');
    expect(await workspace.sessions()).toEqual([]);
  });
});

describe('a session that is there and cannot be opened is refused with the reason, and left as it is (LOG-6)', () => {
  const HEADER = { type: 'session', version: 0, id: 's', createdAt: '2026-01-01T00:00:00.000Z', cwd: '/' };

  it.each([
    ['is damaged', 'SESSION_CORRUPT', [HEADER, 'nonsense', { type: 'turn/start' }]],
    ['is of another version', 'SESSION_VERSION', [{ ...HEADER, version: 99 }]],
    ['has no header', 'SESSION_NO_HEADER', [{ type: 'turn/start' }]],
    [
      'has an event of a later version',
      'SESSION_UNKNOWN_EVENT',
      [HEADER, { type: 'turn/paused', seq: 0, time: HEADER.createdAt, data: {} }],
    ],
  ])('one that %s: %s', async (_, code, lines) => {
    const { client, workspace } = await place();
    const log = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
    const file = path.join('.state', 'turnpin', 'sessions', 's.jsonl');
    await mkdir(workspace.sessionsDir, { recursive: true });
    await workspace.write(file, log);
    for (const method of ['session/load', 'session/resume'] as const) {
      const opened = client.agent.request(method, { sessionId: 's', cwd: workspace.dir, mcpServers: [] });
      await expect(opened).rejects.toMatchObject({
        code: SESSION_UNAVAILABLE,
        message: expect.stringContaining('s.jsonl'),
        data: { code, sessionId: 's' },
      });
    }
    expect(await workspace.read(file)).toBe(log);
    expect(await workspace.locks()).toEqual([]);
    expect(await client.prompt(await client.session(workspace.dir), 'go')).toEqual({
      stopReason: 'end_turn',
    });
  });

  it('one that another process has open, until that closes it', async () => {
    const { client, workspace } = await place();
    const sessionId = await client.session(workspace.dir);
    const other = await started(workspace);
    const load = (): Promise<unknown> =>
      other.agent.request('session/load', { sessionId, cwd: workspace.dir, mcpServers: [] });
    await expect(load()).rejects.toMatchObject({
      code: SESSION_UNAVAILABLE,
      message: expect.stringMatching(`^The session is open in process ${client.process.child.pid} `),
      data: { code: 'SESSION_LOCKED', sessionId },
    });
    await client.agent.request('session/close', { sessionId });
    expect(await load()).toEqual({});
  });
});

describe('permissions: ask', () => {
  const config = 'permissions: ask\n';
  const answers: Answers = [
    { calls: [{ name: 'write', arguments: { path: 'a.txt', content: 'written' } }] },
    { text: 'Done.' },
  ];

  it('the client is asked after it was shown the call, and its word counts', async () => {
    const asked: object[] = [];
    const { client, workspace } = await place(answers, {
      config,
      answerPermission: async (request) => {
        asked.push(request, ...client.updates(request.sessionId));
        return { outcome: { outcome: 'selected', optionId: 'allow' } };
      },
    });
    await client.prompt(await client.session(workspace.dir), 'go');
    expect(await workspace.read('a.txt')).toBe('written');
    expect(asked).toMatchObject([
      { toolCall: { title: 'write: a.txt', kind: 'edit' } },
      { sessionUpdate: 'usage_update' },
      { sessionUpdate: 'tool_call', title: 'write: a.txt' },
    ]);
  });

  it.each([
    ['refused', { outcome: { outcome: 'selected', optionId: 'reject' } }],
    ['cancelled', { outcome: { outcome: 'cancelled' } }],
    ['answered with nonsense', { outcome: 'allow' }],
  ])('a call that is %s is not run, and the model is told', async (_, answer) => {
    const { client, workspace, server } = await place(answers, {
      config,
      answerPermission: () => Promise.resolve(answer as never),
    });
    const session = await client.session(workspace.dir);
    expect(await client.prompt(session, 'go')).toEqual({ stopReason: 'end_turn' });
    await expect(workspace.read('a.txt')).rejects.toThrow();
    expect(JSON.stringify(server.requests.at(-1)?.messages.at(-1))).toContain('did not allow');
    expect(client.updates(session)).toContainEqual(
      expect.objectContaining({ sessionUpdate: 'tool_call_update', status: 'failed' }),
    );
  });

  it('a cancel while the question waits ends the prompt', async () => {
    const asked = gate();
    const { client, workspace } = await place(answers, {
      config,
      answerPermission: () => {
        asked.open();
        return new Promise(() => {});
      },
    });
    const session = await client.session(workspace.dir);
    const prompt = client.prompt(session, 'go');
    await asked.opened;
    await client.cancel(session);
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
  });
});

describe('what is recorded', () => {
  it('is shown to a client that asks for it, as it stands in the log', async () => {
    const { client, workspace } = await place(undefined, { events: true });
    const session = await client.session(workspace.dir);
    await client.prompt(session, 'go');
    expect(client.eventTypes(session)).toEqual((await workspace.events(session)).map(({ type }) => type));
    expect(client.statuses(session)).toEqual(['running', 'idle']);
  });

  it('is not told to others', async () => {
    const { client, workspace } = await place();
    await client.prompt(await client.session(workspace.dir), 'go');
    expect(new Set(client.told.map(({ method }) => method))).toEqual(new Set(['session/update']));
  });
});

describe('the process', () => {
  it('at the end of input answers what it read, disposes, flushes and exits 0, with prompts in flight', async () => {
    const { client, workspace, server } = await place([{ text: 'never', hold: never }]);
    const session = await client.session(workspace.dir);
    const prompt = client.prompt(session, 'go');
    await server.received(1);
    const ending = await client.process.finish();
    expect(await prompt).toEqual({ stopReason: 'cancelled' });
    expect({ code: ending.code, stderr: ending.stderr }).toEqual({ code: 0, stderr: '' });
    expect(await workspace.endings(session)).toEqual(['aborted']);
  });

  it('prints frames alone on standard output; a client that reads no more ends it quietly, its log complete', async () => {
    const held = gate();
    const { client, workspace, server } = await place([
      { holdAfter: 'x', text: 'y'.repeat(100), hold: held.opened },
    ]);
    const session = await client.session(workspace.dir);
    void client.prompt(session, 'go').catch(() => {});
    await server.received(1);
    await client.until(() => client.text(session) === 'x');
    client.process.child.stdout.destroy();
    held.open();
    const ending = await client.process.ended;
    expect(ending.stderr).toBe('');
    for (const line of ending.stdout.trimEnd().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect((await workspace.events(session)).filter(({ type }) => type === 'turn/end')).toHaveLength(1);
  });

  it('a frame over the cap, a batch and an id that JSON cannot carry are refused once each, and it goes on', async () => {
    const { client, workspace } = await place();
    const errors = (): readonly number[] =>
      client.process.stdout
        .trimEnd()
        .split('\n')
        .map(
          (line) => JSON.parse(line) as { readonly id?: unknown; readonly error?: { readonly code: number } },
        )
        .flatMap(({ id, error }) => (id === null && error !== undefined ? [error.code] : []));
    client.process.write(`${'x'.repeat(33 * 1024 * 1024)}\n`);
    client.process.write('[]\n');
    client.process.write('{"jsonrpc":"2.0","id":9007199254740993,"method":"session/list","params":{}}\n');
    await client.process.until(() => errors().length === 3);
    expect(errors()).toEqual([-32600, -32600, -32600]);
    expect(await client.prompt(await client.session(workspace.dir), 'go')).toEqual({
      stopReason: 'end_turn',
    });
  });
});
