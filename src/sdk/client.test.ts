import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Client, ServerError, ServerExitError, StartTimeoutError } from './client.ts';
import type { ClientOptions, SessionEvent } from './client.ts';
import { AGENT, Workspace, requireBuild } from './fixtures/agent-process.ts';
import { ChatServer } from './fixtures/chat-server.ts';
import { forever, gate } from './fixtures/places.ts';
import type { Answer, ChatRequest } from './fixtures/chat-server.ts';

beforeAll(requireBuild);

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const SERVE: readonly [string, ...string[]] = [process.execPath, AGENT, 'serve'];

interface Place {
  readonly server: ChatServer;
  readonly workspace: Workspace;
  readonly client: Client;
}

async function place(
  answers: readonly Answer[] | ((request: ChatRequest, number: number) => Answer),
  options: ClientOptions = {},
): Promise<Place> {
  const server = await ChatServer.start(answers);
  cleanups.push(() => server.close());
  const workspace = await Workspace.create(server.baseUrl);
  const client = await Client.start({ command: SERVE, cwd: workspace.dir, env: workspace.env, ...options });
  cleanups.push(() => client.close());
  return { server, workspace, client };
}

/** A server that misbehaves: a script for Node in place of the real one. `reply(id, result)` answers. */
async function fakeServer(body: string): Promise<readonly [string, ...string[]]> {
  const workspace = await Workspace.create('http://127.0.0.1:1');
  const file = path.join(workspace.dir, 'server.mjs');
  await writeFile(
    file,
    `import { createInterface } from 'node:readline';
     const reply = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
     createInterface({ input: process.stdin }).on('line', (line) => {
       const { id, method } = JSON.parse(line);
       if (method === 'initialize') { reply(id, {}); return; }
       ${body}
     });`,
  );
  return [process.execPath, file];
}

describe('low-level calls', () => {
  it('a prompt resolves to its receipt while its turn still runs; events are an async iterable', async () => {
    const held = gate();
    const { client, workspace } = await place([{ text: 'Answer.', hold: held.opened }]);
    const stream = client.events('s');
    const receipt = await client.prompt('s', 'hello');
    expect(Object.keys(receipt)).toEqual(['messageId']);
    held.open();
    const events: SessionEvent[] = [];
    for await (const event of stream) {
      events.push(event);
      if (event.type === 'turn/end') break;
    }
    expect(events).toEqual(await workspace.events('s'));
  });

  it('statuses show the interval; cancel, steer and inject reach the session', async () => {
    const { client, server, workspace } = await place([{ text: 'never', hold: forever }]);
    const statuses = client.statuses('s');
    await client.prompt('s', [
      { type: 'text', text: 'block one' },
      { type: 'text', text: 'block two' },
    ]);
    await server.received(1);
    await client.steer('s', 'steered');
    await client.inject('s', 'context');
    await client.cancel('s');
    expect([(await statuses.next()).value, (await statuses.next()).value]).toEqual(['running', 'idle']);
    expect(await workspace.endings('s')).toEqual(['aborted']);
    expect(server.userTexts()[0]).toEqual(['block one\n\nblock two']);
  });

  it('closeSession() ends one session, whose log is whole then; a prompt resumes it, and its streams go on', async () => {
    const { client, server, workspace } = await place([{ text: 'First.' }, { text: 'Second.' }]);
    const events = client.events('s');
    await client.run('s', 'one');
    await client.closeSession('s');
    expect(await workspace.locks()).toEqual([]);
    await expect(client.closeSession('s')).rejects.toMatchObject({ rpcCode: -32002 });
    await client.run('s', 'two');
    const seen: SessionEvent[] = [];
    for await (const event of events) {
      seen.push(event);
      if (event.type === 'turn/end' && event.data.turn === 2) break;
    }
    expect(seen).toEqual(await workspace.events('s'));
    expect(server.userTexts().at(-1)).toEqual(['one', 'two']);
  });

  it('closeSession() ends a run that is under way, as aborted', async () => {
    const { client, server } = await place([{ text: 'never', hold: forever }]);
    const run = client.run('s', 'hello');
    await server.received(1);
    await client.closeSession('s');
    expect((await run).events.at(-1)).toMatchObject({
      data: { reason: { kind: 'aborted', cause: 'disposed' } },
    });
  });

  it('an error of the server rejects the call with its code', async () => {
    const { client } = await place([{ text: 'never' }]);
    await expect(client.cancel('nobody')).rejects.toBeInstanceOf(ServerError);
    await expect(client.prompt('../x', 'hello')).rejects.toMatchObject({
      rpcCode: -32602,
      reason: 'SESSION_ID_UNSAFE',
    });
  });

  it('large frames work both ways', async () => {
    const text = 'a'.repeat(5 * 1024 * 1024);
    const { client, server } = await place([{ text }]);
    expect((await client.run('s', text)).finalResponse).toHaveLength(text.length);
    expect(server.userTexts()[0]?.[0]).toHaveLength(text.length);
  });
});

describe('run() owns an interval (RUN-1, RUN-2, RUN-3, RUN-5)', () => {
  it('its result is the last answer of the interval', async () => {
    const { client } = await place([
      { calls: [{ name: 'bash', arguments: { command: 'echo hi' } }] },
      { text: 'Done.' },
    ]);
    const result = await client.run('s', 'do it');
    expect(result).toMatchObject({ sessionId: 's', finalResponse: 'Done.' });
    expect(Object.keys(result).sort()).toEqual(['events', 'finalResponse', 'messageId', 'sessionId']);
    expect(result.events[0]).toMatchObject({
      type: 'agent/inbox/spliced',
      data: { inserted: [{ id: result.messageId }] },
    });
    expect(result.events.at(-1)).toMatchObject({ type: 'turn/end' });
  });

  it('steering and other queued turns of the interval are in it', async () => {
    const held = gate();
    const { client, server } = await place([
      { text: 'First.', hold: held.opened },
      { text: 'After steering.' },
      { text: 'Of the second prompt.' },
    ]);
    const run = client.run('s', 'one');
    await server.received(1);
    await client.steer('s', 'steered');
    await client.prompt('s', 'two');
    held.open();
    const { finalResponse, events } = await run;
    expect(finalResponse).toBe('Of the second prompt.');
    expect(events.filter(({ type }) => type === 'turn/end')).toHaveLength(2);
  });

  it('a run on a busy session begins at its own receipt; overlapping runs end at the same idle', async () => {
    const held = gate();
    const { client, server } = await place([{ text: 'First.', hold: held.opened }, { text: 'Second.' }]);
    const first = client.run('s', 'one');
    await server.received(1);
    const second = client.run('s', 'two');
    held.open();
    const [a, b] = await Promise.all([first, second]);
    expect([a.finalResponse, b.finalResponse]).toEqual(['Second.', 'Second.']);
    expect(a.events.length).toBeGreaterThan(b.events.length);
    expect(b.events[0]).toMatchObject({ data: { inserted: [{ id: b.messageId }] } });
  });

  it('an empty last message gives an empty response, and so does an interval without any', async () => {
    const { client } = await place([{ text: 'Earlier.' }, { text: '' }, { status: 400, message: 'no' }]);
    expect((await client.run('s', 'one')).finalResponse).toBe('Earlier.');
    expect((await client.run('s', 'two')).finalResponse).toBe('');
    expect((await client.run('s', 'three')).finalResponse).toBe('');
  });

  it('sessions do not mix', async () => {
    const { client } = await place((request) => ({ text: `to ${request.messages.at(-1)?.content ?? ''}` }));
    const [a, b] = await Promise.all([client.run('a', 'one'), client.run('b', 'two')]);
    expect([a.finalResponse, b.finalResponse]).toEqual(['to one', 'to two']);
  });
});

describe('a server that is gone', () => {
  it('killed: everything pending is rejected at once, later calls fail fast, iterables end with the error', async () => {
    const { client, server } = await place([{ text: 'never', hold: forever }]);
    const stream = client.statuses('s');
    const runs = [client.run('s', 'one'), client.run('s', 'two'), client.run('other', 'three')];
    await server.received(1);
    process.kill(client.pid ?? 0, 'SIGKILL');
    for (const settled of await Promise.allSettled(runs)) {
      expect(settled).toMatchObject({
        status: 'rejected',
        reason: { code: 'SERVER_EXITED', exitCode: null, signal: 'SIGKILL' },
      });
    }
    await expect(client.prompt('s', 'late')).rejects.toBeInstanceOf(ServerExitError);
    await expect(
      (async () => {
        for await (const status of stream) expect(status).toBe('running');
      })(),
    ).rejects.toBeInstanceOf(ServerExitError);
  });

  it('an error names the exit code and the last words on standard error', async () => {
    const command = await fakeServer(
      `process.stderr.write('out of luck\\n'); process.exitCode = 7; process.stdin.destroy();`,
    );
    const client = await Client.start({ command });
    await expect(client.prompt('s', 'hello')).rejects.toThrow(
      'The server exited with code 7. It said: out of luck',
    );
    await client.close();
  });

  it('one that fails to start rejects with what it said', async () => {
    const workspace = await Workspace.create('http://127.0.0.1:1');
    await workspace.write('agent.yaml', 'modle: x\n');
    const start = Client.start({ command: SERVE, cwd: workspace.dir, env: workspace.env });
    await expect(start).rejects.toMatchObject({ code: 'SERVER_EXITED', exitCode: 2 });
    await expect(start).rejects.toThrow('unknown key "modle"');
  });

  it('a workspace that does not exist is said as such; one may be given from the current directory', async () => {
    const { client, workspace } = await place([{ text: 'Answer.' }], {
      cwd: path.relative(process.cwd(), (await Workspace.create('http://127.0.0.1:1')).dir),
    });
    await client.run('s', 'hello');
    expect(await workspace.sessions()).toEqual(['s']);
    await expect(Client.start({ command: SERVE, cwd: path.join(workspace.dir, 'missing') })).rejects.toThrow(
      `could not be started: there is no directory ${workspace.dir}`,
    );
  });

  it('one that starts and never answers is ended, and the error says what it was and what it said', async () => {
    const { dir } = await Workspace.create('http://127.0.0.1:1');
    const file = path.join(dir, 'mute.mjs');
    // It ends at the end of input, as soon as it is up and has spoken: the wait for it is as long as that takes.
    await writeFile(
      file,
      `process.stderr.write('warming up ' + process.pid); process.stdin.on('end', () => process.exit(0)).resume();`,
    );
    const command: [string, string] = [process.execPath, file];
    const start = Client.start({ command, startTimeoutMs: 1, graceMs: Infinity });
    const error: unknown = await start.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StartTimeoutError);
    const { code, message, stderr } = error as StartTimeoutError;
    expect(code).toBe('START_TIMEOUT');
    const pid = Number(stderr.replace('warming up ', ''));
    expect(message).toBe(
      `The server did not answer "initialize" within 1 ms and was ended. ` +
        `It was started as: ${process.execPath} ${file}. It said: warming up ${pid}\n` +
        `Check that this command runs "turnpin-agent serve"; if it only needs longer, set startTimeoutMs.`,
    );
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('without a bound it is waited for', async () => {
    const command = await fakeServer('');
    const client = await Client.start({ command, startTimeoutMs: Infinity, graceMs: Infinity });
    await client.close();
  });

  it('a command that does not exist is said as such', async () => {
    await expect(Client.start({ command: ['/no/such/server'] })).rejects.toThrow('could not be started');
  });
});

describe('close()', () => {
  it('shuts down, is idempotent, and iterables end quietly', async () => {
    const { client, workspace } = await place([{ text: 'Answer.' }]);
    const stream = client.events('s');
    await client.run('s', 'hello');
    await Promise.all([client.close(), client.close()]);
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect(types.at(-1)).toBe('turn/end');
    expect(await workspace.endings('s')).toEqual(['completed']);
    await expect(client.prompt('s', 'late')).rejects.toBeInstanceOf(ServerExitError);
  });

  it('rejects a run that is under way', async () => {
    const { client, server } = await place([{ text: 'never', hold: forever }]);
    const run = client.run('s', 'hello').then(
      () => 'resolved',
      () => 'rejected',
    );
    await server.received(1);
    await client.close();
    // The disposed agent becomes idle, which ends the interval; or the process goes first. Nothing is left hanging.
    expect(['resolved', 'rejected']).toContain(await run);
  });

  it('ends a server that ignores shutdown, the end of input and TERM', async () => {
    const command = await fakeServer(`process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);`);
    const client = await Client.start({ command, graceMs: 100 });
    const { pid } = client;
    void client.prompt('s', 'hello').catch(() => {});
    await client.close();
    expect(() => process.kill(pid ?? 0, 0)).toThrow('ESRCH');
  });

  it('the receipt that arrives before the response is not lost, whatever the server sends in between', async () => {
    const command = await fakeServer(`
      const event = (type, data) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', method: 'session.event', params: { sessionId: 's', event: { type, seq: 0, time: '', data } } }) + '\\n');
      const status = (status) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', method: 'session.status', params: { sessionId: 's', status } }) + '\\n');
      if (method === 'shutdown') process.exit(0);
      process.stdout.write('not a frame\\n[]\\n{"jsonrpc":"2.0","id":999,"result":{}}\\n');
      status('idle');
      event('agent/inbox/spliced', { target: 'next-turn', start: 0, inserted: [{ id: 'm-1' }] });
      status('running');
      event('assistant/message', { message: { role: 'assistant', text: 'Quick.', toolCalls: [] } });
      status('idle');
      reply(id, { messageId: 'm-1' });
    `);
    const client = await Client.start({ command });
    expect(await client.run('s', 'hello')).toMatchObject({ messageId: 'm-1', finalResponse: 'Quick.' });
    await client.close();
  });
});
