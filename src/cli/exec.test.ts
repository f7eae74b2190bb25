import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SessionEvent } from '../session/events.ts';
import { requireBuild } from '../sdk/fixtures/agent-process.ts';
import { Places, forever, gate } from '../sdk/fixtures/places.ts';

beforeAll(requireBuild);

const places = new Places();
afterEach(() => places.close());

const NO_STACK = /^\s+at /m;

describe('one task (CLI-1, CLI-2)', () => {
  it('is taken from the arguments, does not wait for standard input, prints the answer and exits 0', async () => {
    const { server, workspace } = await places.open([{ text: 'The answer.' }]);
    const ended = await workspace.start(['exec', 'What', 'is it?']).ended;
    expect(ended).toMatchObject({ code: 0, stdout: 'The answer.\n', stderr: '' });
    expect(server.userTexts()).toEqual([['What is it?']]);
    expect(server.requests[0]).toMatchObject({ model: 'test-model', authorization: 'Bearer test-key' });
    expect(await workspace.endings()).toEqual(['completed']);
  });

  it('is read from standard input where the arguments have none, several lines as one', async () => {
    const { server, workspace } = await places.open([{ text: 'Read.' }]);
    expect(await workspace.start(['exec']).finish('first line\nsecond line\n')).toMatchObject({
      code: 0,
      stdout: 'Read.\n',
    });
    expect(server.userTexts()).toEqual([['first line\nsecond line\n']]);
  });

  it('goes on over tool steps, on the real workspace', async () => {
    const { server, workspace } = await places.open([
      { calls: [{ name: 'bash', arguments: { command: 'echo made by bash > made.txt' } }] },
      { calls: [{ name: 'read', arguments: { path: 'made.txt' } }] },
      { text: 'Done.' },
    ]);
    expect(await workspace.start(['exec', 'make it']).ended).toMatchObject({ code: 0, stdout: 'Done.\n' });
    expect(await workspace.read('made.txt')).toBe('made by bash\n');
    expect(server.requests[2]?.messages.at(-1)?.content).toContain('made by bash');
  });

  it('a failed model request exits 1, with the error on standard error alone', async () => {
    const { workspace } = await places.open([{ status: 400, message: 'that will not do' }]);
    const ended = await workspace.start(['exec', 'task']).ended;
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^turnpin-agent: The model endpoint answered 400: that will not do\n$/);
  });

  it('an answer cut at the token ceiling is printed and exits 1', async () => {
    const { workspace } = await places.open([{ text: 'Half an ans', finish: 'length' }]);
    const ended = await workspace.start(['exec', 'task']).ended;
    expect(ended).toMatchObject({ code: 1, stdout: 'Half an ans\n' });
    expect(ended.stderr).toContain('token ceiling');
  });

  it('an empty last message does not hide earlier text', async () => {
    const { workspace } = await places.open([{ text: 'Earlier.' }, { text: '' }]);
    expect(await workspace.start(['exec', '--lines']).finish('one\ntwo\n')).toMatchObject({
      code: 0,
      stdout: 'Earlier.\n',
    });
  });

  it('a prompt that the hook blocks exits 1 with the reason', async () => {
    const { server, workspace } = await places.open([{ text: 'never' }]);
    await workspace.write('agent.yaml', 'hooks: {userPromptSubmit: "echo closed today >&2; exit 2"}\n');
    const ended = await workspace.start(['exec', 'task']).ended;
    expect(ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'turnpin-agent: the prompt was blocked: closed today\n',
    });
    expect(server.requests).toEqual([]);
  });

  it('a hook that fails is reported and the task is carried out', async () => {
    const { workspace } = await places.open([{ text: 'Done.' }]);
    await workspace.write('agent.yaml', 'hooks: {userPromptSubmit: "exit 3"}\n');
    const ended = await workspace.start(['exec', 'task']).ended;
    expect(ended).toMatchObject({ code: 0, stdout: 'Done.\n' });
    expect(ended.stderr).toContain('the hook userPromptSubmit exited with 3');
  });
});

describe('--lines (CLI-1, CLI-3)', () => {
  it('two lines give two model requests and two turn boundaries', async () => {
    const { server, workspace } = await places.open([{ text: 'First.' }, { text: 'Second.' }]);
    expect(await workspace.start(['exec', '--lines']).finish('one\n\n  \ntwo')).toMatchObject({
      code: 0,
      stdout: 'Second.\n',
    });
    expect(server.userTexts()).toEqual([['one'], ['one', 'two']]);
    expect(server.requests[1]?.messages.find(({ role }) => role === 'assistant')?.content).toBe('First.');
    const boundaries = (await workspace.events()).filter(
      ({ type }) => type === 'turn/start' || type === 'turn/end',
    );
    expect(boundaries.map(({ type }) => type)).toEqual(['turn/start', 'turn/end', 'turn/start', 'turn/end']);
  });

  it('a line is enqueued when it is read, also while a turn runs', async () => {
    const held = gate();
    const { server, workspace } = await places.open([
      { text: 'First.', hold: held.opened },
      { text: 'Second.' },
    ]);
    const agent = workspace.start(['exec', '--lines', '--json']);
    agent.write('one\n');
    await server.received(1);
    agent.write('two\nthree\n');
    await agent.until(({ stdout }) => stdout.includes('"three"'));
    expect(server.requests).toHaveLength(1);
    held.open();
    expect(await agent.finish()).toMatchObject({ code: 0 });
    expect(server.userTexts().at(-1)).toEqual(['one', 'two', 'three']);
  });

  it('the last turn decides, also after an earlier one that failed', async () => {
    const { workspace } = await places.open([{ status: 400, message: 'no' }, { text: 'Fine.' }]);
    const ended = await workspace.start(['exec', '--lines']).finish('one\ntwo\n');
    expect(ended).toMatchObject({ code: 0, stdout: 'Fine.\n' });
    expect(ended.stderr).toContain('answered 400');
  });

  it('every interval up to the end of input is owned', async () => {
    const { workspace } = await places.open([{ text: 'First.' }, { text: 'Second.' }]);
    const agent = workspace.start(['exec', '--lines', '--json']);
    agent.write('one\n');
    await agent.until(({ stdout }) => stdout.includes('"idle"'));
    expect(await agent.finish('two\n')).toMatchObject({ code: 0 });
    expect(agent.stdout.match(/\{"status":"(running|idle)"\}/g)).toHaveLength(4);
  });
});

describe('--json', () => {
  it('prints events and statuses as JSON lines, in the order of recording, and nothing else', async () => {
    const { workspace } = await places.open([{ text: 'An answer.' }]);
    const { stdout, code } = await workspace.start(['exec', '--json', 'task']).ended;
    expect(code).toBe(0);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { event?: object; status?: string });
    for (const line of lines) expect([['event'], ['status']]).toContainEqual(Object.keys(line));
    expect(lines.flatMap(({ event }) => (event === undefined ? [] : [event]))).toEqual(
      await workspace.events(),
    );
    expect(lines.flatMap(({ status }) => (status === undefined ? [] : [status]))).toEqual([
      'running',
      'idle',
    ]);
  });
});

describe('--session', () => {
  it('with --json shows what recovery wrote, before anything else', async () => {
    const { server, workspace } = await places.open([{ text: 'never', hold: forever }, { text: 'Again.' }]);
    const killed = workspace.start(['exec', 'one']);
    await server.received(1);
    killed.child.kill('SIGKILL');
    await killed.ended;
    const [id = ''] = await workspace.sessions();
    const before = (await workspace.events(id)).length;
    const { stdout, code } = await workspace.start(['exec', '--json', '--session', id, 'two']).ended;
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { event?: SessionEvent });
    const events = lines.flatMap(({ event }) => event ?? []);
    expect(code).toBe(0);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => before + index));
    expect(events.find(({ type }) => type === 'turn/end')).toMatchObject({
      data: { turn: 1, reason: { kind: 'interrupted' } },
    });
  });

  it('resumes a session and goes on in the same log', async () => {
    const { server, workspace } = await places.open([{ text: 'First.' }, { text: 'Second.' }]);
    await workspace.start(['exec', 'one']).ended;
    const [id] = await workspace.sessions();
    expect(await workspace.start(['exec', '--session', id ?? '', 'two']).ended).toMatchObject({
      code: 0,
      stdout: 'Second.\n',
    });
    expect(server.userTexts()[1]).toEqual(['one', 'two']);
    expect(await workspace.sessions()).toEqual([id]);
    expect(await workspace.endings()).toEqual(['completed', 'completed']);
  });

  it.each([
    ['no-such-session', 'There is no session'],
    ['../escape', 'A session id is made of'],
    ['', 'A session id is made of'],
  ])('refuses %j with exit 2', async (id, says) => {
    const { server, workspace } = await places.open([{ text: 'never' }]);
    const ended = await workspace.start(['exec', '--session', id, 'task']).ended;
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(says);
    expect(server.requests).toEqual([]);
  });
});

describe('what it cannot begin: exit 2, nothing asked, nothing written', () => {
  it.each([
    [['exce'], "unknown command 'exce'\n(Did you mean exec?)"],
    [['exec', '--jsn', 'task'], "unknown option '--jsn'\n(Did you mean --json?)"],
    [['exec', '--session'], 'argument missing'],
    [['exec', '--lines', 'task'], '--lines reads its tasks from standard input'],
    [['exec', '--config', 'none.yaml', 'task'], 'none.yaml: there is no such file'],
    [['exec', '   '], 'no task was given'],
    [['exec'], 'no task was given'],
    [[], 'Usage: turnpin-agent'],
  ])('%j', async (args, says) => {
    const { server, workspace } = await places.open([{ text: 'never' }]);
    const ended = await workspace.start(args).finish();
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(says);
    expect(ended.stderr).not.toMatch(NO_STACK);
    expect(server.requests).toEqual([]);
    expect(await workspace.sessions()).toEqual([]);
  });

  it('an agent.yaml that is wrong: file, line, column, the line and the nearest key', async () => {
    const { workspace } = await places.open([{ text: 'never' }]);
    await workspace.write('agent.yaml', 'persona: hi\nmodle: {}\n');
    const ended = await workspace.start(['exec', 'task']).ended;
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(
      'agent.yaml:2:1: unknown key "modle" at the top level. Did you mean "model"?',
    );
    expect(await workspace.sessions()).toEqual([]);
  });

  it('no key: the variables and the key to set', async () => {
    const { server, workspace } = await places.open([{ text: 'never' }]);
    const ended = await workspace.start(['exec', 'task'], { DEEPSEEK_API_KEY: '' }).ended;
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(/model\.apiKey.*DEEPSEEK_API_KEY.*OPENAI_API_KEY/);
    expect(server.requests).toEqual([]);
  });

  it('a session directory that cannot be made', async () => {
    const { workspace } = await places.open([{ text: 'never' }]);
    await workspace.write('file', '');
    await workspace.write('agent.yaml', 'sessions: {dir: file/below}\n');
    const ended = await workspace.start(['exec', 'task']).ended;
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('cannot be written');
  });
});

describe('agent.yaml', () => {
  it('switches tools off, sets the persona and the token ceiling', async () => {
    const { server, workspace } = await places.open([{ text: 'Done.' }]);
    await workspace.write(
      'own.yaml',
      'tools: {bash: false, write: false}\npersona: You are a gardener.\nmodel: {maxTokens: 77}\n',
    );
    expect((await workspace.start(['exec', '--config', 'own.yaml', 'task']).ended).code).toBe(0);
    const [request] = server.requests;
    expect(request?.tools?.map((tool) => tool.function.name)).toEqual(['edit', 'read']);
    expect(request?.messages[0]?.content).toContain('You are a gardener.');
    expect(request?.messages[0]?.content).not.toContain('`bash`');
    expect(request?.max_tokens).toBe(77);
  });

  it('permissions: ask refuses every tool, since nobody can answer here', async () => {
    const { server, workspace } = await places.open([
      { calls: [{ name: 'bash', arguments: { command: 'touch made' } }] },
      { text: 'Not done.' },
    ]);
    await workspace.write('agent.yaml', 'permissions: ask\n');
    expect((await workspace.start(['exec', 'task']).ended).code).toBe(0);
    expect(server.requests[1]?.messages.at(-1)?.content).toContain('no client here can answer');
    await expect(workspace.read('made')).rejects.toThrow('ENOENT');
  });

  it('title: true asks once, after the first turn, and records the title', async () => {
    const { server, workspace } = await places.open(({ tools }) =>
      tools === undefined ? { text: '"A Short Title."\n' } : { text: 'Answer.' },
    );
    await workspace.write('agent.yaml', 'title: true\n');
    expect(await workspace.start(['exec', '--lines']).finish('one\n')).toMatchObject({
      code: 0,
      stdout: 'Answer.\n',
    });
    const [id] = await workspace.sessions();
    await workspace.start(['exec', '--session', id ?? '', 'two']).ended;
    expect(
      (await workspace.events()).filter(({ type }) => type === 'session/title').map(({ data }) => data),
    ).toEqual([{ title: 'A Short Title' }]);
    expect(server.requests).toHaveLength(3);
  });
});

describe('--help and --version', () => {
  it.each([[['--help']], [['exec', '--help']], [['help', 'exec']]])(
    '%j prints help and exits 0',
    async (args) => {
      const { workspace } = await places.open([{ text: 'never' }]);
      const ended = await workspace.start(args).ended;
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      expect(ended.stdout).toContain('Usage: turnpin-agent');
    },
  );

  it('--version prints the version of the package', async () => {
    const { workspace } = await places.open([{ text: 'never' }]);
    expect((await workspace.start(['--version']).ended).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
