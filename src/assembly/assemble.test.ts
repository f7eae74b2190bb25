import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createUserMessage } from '../agent/message.ts';
import type { Published } from '../agent/contract.ts';
import { assemble } from './assemble.ts';
import type { Assembled, AssembleOptions } from './assemble.ts';
import { ConfigError } from './config-error.ts';
import type { PermissionRequest } from './permission.ts';

const assembled: Assembled[] = [];
afterEach(async () => {
  for (const each of assembled.splice(0)) await each.dispose().catch(() => {});
});

interface Sent {
  readonly url: string;
  readonly body: {
    readonly messages: readonly { readonly role: string; readonly content: string }[];
    readonly tools?: readonly object[];
  };
}

/** A whole agent whose requests are answered with `answers` in turn, the last one for ever. */
async function agent(
  config: object,
  answers: readonly string[],
  options: Partial<AssembleOptions> = {},
): Promise<Assembled & { readonly sent: Sent[]; readonly seen: Published[]; readonly cwd: string }> {
  const cwd = options.cwd ?? (await mkdtemp(path.join(tmpdir(), 'turnpin-assemble-')));
  const sent: Sent[] = [];
  const seen: Published[] = [];
  const made = await assemble(
    { model: { apiKey: 'k', baseUrl: 'http://127.0.0.1:9/v1' }, ...config },
    {
      cwd,
      env: { PATH: process.env['PATH'] },
      session: { mode: 'memory' },
      fetch: async (url, init) => {
        sent.push({ url, body: JSON.parse(String(init.body)) as Sent['body'] });
        return new Response(answers[Math.min(sent.length, answers.length) - 1] ?? '', {
          headers: { 'content-type': 'text/event-stream' },
        });
      },
      listener: (published) => void seen.push(published),
      ...options,
    },
  );
  assembled.push(made);
  return { ...made, sent, seen, cwd };
}

function stream(delta: object, finish: string): string {
  return `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\ndata: [DONE]\n\n`;
}
const says = (text: string): string => stream({ role: 'assistant', content: text }, 'stop');
const calls = (name: string, args: object): string =>
  stream(
    {
      tool_calls: [
        { index: 0, id: 'c1', type: 'function', function: { name, arguments: JSON.stringify(args) } },
      ],
    },
    'tool_calls',
  );

async function ask(made: Assembled, text: string): Promise<void> {
  made.agent.followup(createUserMessage(text));
  await made.agent.whenIdle();
}

describe('assemble', () => {
  it('an empty configuration is a working agent with all four tools', async () => {
    const made = await agent({}, [says('Hello.')]);
    await ask(made, 'hi');
    expect(made.sent).toHaveLength(1);
    expect(made.sent[0]?.url).toBe('http://127.0.0.1:9/v1/chat/completions');
    expect(made.sent[0]?.body.tools).toHaveLength(4);
    expect(made.agent.events().at(-1)).toMatchObject({
      type: 'turn/end',
      data: { reason: { kind: 'completed' } },
    });
  });

  it('a wrong configuration is refused before anything is made', async () => {
    await expect(assemble({ modle: {} }, { cwd: '/', env: {} })).rejects.toBeInstanceOf(ConfigError);
    await expect(
      assemble({ model: { apiKey: 'with space' } }, { cwd: '/', env: {}, session: { mode: 'memory' } }),
    ).rejects.toBeInstanceOf(ConfigError);
  });

  it('no key is no error until a request needs one', async () => {
    const made = await agent({ model: {} }, []);
    await ask(made, 'hi');
    expect(made.sent).toEqual([]);
    expect(made.agent.events().at(-1)).toMatchObject({
      data: { reason: { kind: 'error', code: 'MISSING_API_KEY' } },
    });
  });

  it('an agent without tools is told of none', async () => {
    const made = await agent({ tools: { read: false, write: false, edit: false, bash: false } }, [
      says('Hello.'),
    ]);
    await ask(made, 'hi');
    expect(made.sent[0]?.body.tools).toBeUndefined();
    expect(made.sent[0]?.body.messages[0]?.content).not.toContain('`read`');
  });

  it("a command sees the caller's environment, but not the model's keys", async () => {
    const made = await agent({}, [calls('bash', { command: 'env | grep -E "KEY|MARK"' }), says('Done.')], {
      env: {
        PATH: process.env['PATH'],
        DEEPSEEK_API_KEY: 'secret-1',
        OPENAI_API_KEY: 'secret-2',
        MARK: 'seen',
      },
    });
    await ask(made, 'hi');
    const result = made.agent.events().find(({ type }) => type === 'tool/result');
    expect(JSON.stringify(result)).toContain('MARK=seen');
    expect(JSON.stringify(result)).not.toContain('secret');
  });

  it('long output of a command is kept beside the session', async () => {
    const cwd = await mkdtemp(path.join(tmpdir(), 'turnpin-assemble-'));
    const made = await agent(
      { sessions: { dir: path.join(cwd, 'logs') } },
      [calls('bash', { command: 'seq 20000' }), says('Done.')],
      { cwd, session: { mode: 'new', id: 'mine' } },
    );
    await ask(made, 'hi');
    expect(await readFile(path.join(cwd, 'logs', 'mine.output', 'c1.txt'), 'utf8')).toContain('\n20000\n');
  });

  it('a session on disk: a new one, then resumed, then refused as new', async () => {
    const cwd = await mkdtemp(path.join(tmpdir(), 'turnpin-assemble-'));
    const config = { sessions: { dir: path.join(cwd, 'logs') } };
    const first = await agent(config, [says('One.')], { cwd, session: { mode: 'new', id: 'mine' } });
    await ask(first, 'one');
    await first.dispose();
    expect(first.sessionFile).toBe(path.join(cwd, 'logs', 'mine.jsonl'));
    expect((await readFile(first.sessionFile ?? '', 'utf8')).split('\n')[0]).toContain('"id":"mine"');
    const again = await agent(config, [says('Two.')], { cwd, session: { mode: 'open', id: 'mine' } });
    await ask(again, 'two');
    await again.dispose();
    expect(again.sent[0]?.body.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ]);
    await expect(agent(config, [], { cwd, session: { mode: 'new', id: 'mine' } })).rejects.toMatchObject({
      code: 'SESSION_EXISTS',
    });
    await expect(agent(config, [], { cwd, session: { mode: 'resume', id: 'other' } })).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
  });

  it('dispose() rejects when the last flush failed, and resolves when a later one made up for it', async () => {
    let failing = true;
    const wrapStore: NonNullable<AssembleOptions['wrapStore']> = (store) => ({
      ...store,
      append: (line) => store.append(line),
      close: () => store.close(),
      flush: () => (failing ? Promise.reject(new Error('disk full')) : store.flush()),
    });
    const lost = await agent({}, [says('Hello.')], { wrapStore });
    await ask(lost, 'hi');
    await expect(lost.dispose()).rejects.toThrow('disk full');
    const saved = await agent({}, [says('Hello.')], { wrapStore });
    await ask(saved, 'hi');
    failing = false;
    await expect(saved.dispose()).resolves.toBeUndefined();
  });
});

describe('hooks.userPromptSubmit', () => {
  it('comes before the policy of the caller, and their contexts are one', async () => {
    const order: string[] = [];
    const made = await agent({ hooks: { userPromptSubmit: 'echo from the hook' } }, [says('Hello.')], {
      policies: {
        admitPrompt: () => {
          order.push('policy');
          return { allow: true, context: 'from the policy' };
        },
      },
    });
    await ask(made, 'hi');
    expect(order).toEqual(['policy']);
    expect(made.sent[0]?.body.messages.slice(1).map(({ content }) => content)).toEqual([
      'from the hook\n\nfrom the policy',
      'hi',
    ]);
  });

  it('a block is final: the policy is not asked', async () => {
    const made = await agent({ hooks: { userPromptSubmit: 'echo no >&2; exit 2' } }, [says('never')], {
      policies: { admitPrompt: () => Promise.reject(new Error('was asked')) },
    });
    await ask(made, 'hi');
    expect(made.agent.events().at(-1)).toMatchObject({ data: { reason: { kind: 'rejected' } } });
  });

  it('a failure of the hook is published as an error that fails no turn', async () => {
    const made = await agent({ hooks: { userPromptSubmit: 'exit 9' } }, [says('Hello.')]);
    await ask(made, 'hi');
    const errors = made.seen.flatMap((each) =>
      each.kind === 'live' && each.live.type === 'agent/error' ? [each.live] : [],
    );
    expect(errors).toMatchObject([{ error: { code: 'HOOK_FAILED' } }]);
    expect(made.agent.events().at(-1)).toMatchObject({ data: { reason: { kind: 'completed' } } });
  });
});

describe('permissions: ask', () => {
  const config = { permissions: 'ask' };
  const script = [calls('write', { path: 'made.txt', content: 'made' }), says('Done.')];

  it('the client is asked with tool and arguments, and its word decides', async () => {
    for (const word of ['allow', 'deny'] as const) {
      const asked: PermissionRequest[] = [];
      const made = await agent(config, script, {
        askPermission: async (request) => {
          asked.push(request);
          return word;
        },
      });
      await ask(made, 'hi');
      expect(asked).toEqual([
        { callId: 'c1', tool: 'write', arguments: { path: 'made.txt', content: 'made' } },
      ]);
      const result = made.agent.events().find(({ type }) => type === 'tool/result');
      expect(result?.data).toMatchObject(
        word === 'allow' ? { isError: false } : { isError: true, code: 'PERMISSION_DENIED' },
      );
      const file = readFile(path.join(made.cwd, 'made.txt'), 'utf8');
      await (word === 'allow' ? expect(file).resolves.toBe('made') : expect(file).rejects.toThrow('ENOENT'));
    }
  });

  it('where nobody can answer it refuses', async () => {
    const made = await agent(config, script);
    await ask(made, 'hi');
    expect(made.agent.events().find(({ type }) => type === 'tool/result')?.data).toMatchObject({
      isError: true,
      code: 'PERMISSION_DENIED',
    });
  });

  it('a turn that is cancelled while it asks does not wait for the answer', async () => {
    const made = await agent(config, script, {
      askPermission: (_, signal) => {
        queueMicrotask(() => made.agent.cancel('user'));
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        );
      },
    });
    await ask(made, 'hi');
    expect(made.agent.events().find(({ type }) => type === 'tool/result')?.data).toMatchObject({
      isError: true,
      code: 'ABORTED',
    });
    expect(made.agent.events().at(-1)).toMatchObject({
      data: { reason: { kind: 'aborted', cause: 'user' } },
    });
  });
});

describe('title: true', () => {
  const config = { title: true };

  it.each([
    ['  "Building a shed."\nmore', 'Building a shed'],
    ['«Ein Schuppen»', 'Ein Schuppen'],
    ['x'.repeat(200), 'x'.repeat(80)],
    // Never half a character.
    [`${'x'.repeat(79)}🛖`, 'x'.repeat(79)],
  ])('%j is recorded as %j', async (answer, title) => {
    const made = await agent(config, [says('Hello.'), says(answer)]);
    await ask(made, 'What does a shed need?');
    expect(made.agent.events().at(-1)).toMatchObject({ type: 'session/title', data: { title } });
    expect(made.sent[1]?.body.tools).toBeUndefined();
    expect(made.sent[1]?.body.messages.at(-1)?.content).toContain('What does a shed need?');
  });

  it('an empty title is none, and it is not asked for again', async () => {
    const made = await agent(config, [says('Hello.'), says(' '), says('Again.')]);
    await ask(made, 'one');
    await ask(made, 'two');
    expect(made.agent.events().some(({ type }) => type === 'session/title')).toBe(false);
    expect(made.sent).toHaveLength(3);
  });

  it('a request for it that fails is reported and changes no turn', async () => {
    const made = await agent(config, [says('Hello.'), 'nonsense', says('Again.')]);
    await ask(made, 'one');
    await ask(made, 'two');
    const errors = made.seen.filter((each) => each.kind === 'live' && each.live.type === 'agent/error');
    expect(errors).toHaveLength(1);
    expect(
      made.agent
        .events()
        .filter(({ type }) => type === 'turn/end')
        .map(({ data }) => data),
    ).toMatchObject([{ reason: { kind: 'completed' } }, { reason: { kind: 'completed' } }]);
  });

  it('a first turn that failed gives nothing to name, and no second complaint; a later one does', async () => {
    const made = await agent({ ...config, retry: { retries: 0 } }, [
      'nonsense',
      says('Hello.'),
      says('A shed'),
    ]);
    await ask(made, 'one');
    expect(made.sent).toHaveLength(1);
    const errors = made.seen.filter((each) => each.kind === 'live' && each.live.type === 'agent/error');
    expect(errors).toHaveLength(1);
    await ask(made, 'two');
    expect(made.agent.events().at(-1)).toMatchObject({ type: 'session/title', data: { title: 'A shed' } });
  });

  it('the excerpt that it is made of never ends in half a character', async () => {
    const made = await agent(config, [says('Hello.'), says('Long')]);
    await ask(made, `${'y'.repeat(1999)}🛖`);
    expect(made.sent[1]?.body.messages.at(-1)?.content).toBe(
      `User: ${'y'.repeat(1999)}\n\nAssistant: Hello.`,
    );
  });

  it('a prompt that was blocked gives nothing to name, and is not shown; a later one does', async () => {
    const hook = 'grep -q secret && exit 2 || exit 0';
    const made = await agent({ ...config, hooks: { userPromptSubmit: hook } }, [
      says('Hello.'),
      says('A shed'),
    ]);
    await ask(made, 'secret');
    expect(made.sent).toEqual([]);
    await ask(made, 'What does a shed need?');
    expect(made.sent).toHaveLength(2);
    expect(made.agent.events().at(-1)).toMatchObject({ type: 'session/title', data: { title: 'A shed' } });
  });
});
