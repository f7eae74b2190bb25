/** How the one-shot command behaves as a process: signals, pipes, a disk that is full. */
import { execFileSync } from 'node:child_process';
import { mkdir, open, readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { requireBuild } from '../sdk/fixtures/agent-process.ts';
import { Places, forever } from '../sdk/fixtures/places.ts';
import { eventually } from '../tools/fixtures/processes.ts';

beforeAll(requireBuild);

const places = new Places();
afterEach(() => places.close());

it('leaves nothing in the place for temporary files: output that is too long to show lies beside the log', async () => {
  const { workspace } = await places.open([
    { calls: [{ name: 'bash', arguments: { command: 'seq 100000' } }] },
    { text: 'Counted.' },
  ]);
  const temporary = path.join(workspace.dir, 'temporary');
  await mkdir(temporary);
  expect(await workspace.start(['exec', 'count'], { TMPDIR: temporary }).ended).toMatchObject({ code: 0 });
  expect(await readdir(temporary)).toEqual([]);
  const [id] = await workspace.sessions();
  expect(await readdir(path.join(workspace.sessionsDir, `${id}.output`))).toHaveLength(1);
});

describe('signals', () => {
  it('SIGINT cancels the running turn, keeps what was visible, and exits 130 with a balanced log', async () => {
    const { server, workspace } = await places.open([{ text: 'never', holdAfter: 'Partial', hold: forever }]);
    const agent = workspace.start(['exec', '--json', 'task']);
    await server.received(1);
    await agent.until(({ stdout }) => stdout.includes('Partial'));
    agent.child.kill('SIGINT');
    const ended = await agent.ended;
    expect(ended.code).toBe(130);
    const [id] = await workspace.sessions();
    expect(ended.stderr).toBe(`turnpin-agent: interrupted. Continue with --session ${id}\n`);
    const events = await workspace.events();
    expect(events.at(-1)).toMatchObject({
      type: 'turn/end',
      data: { reason: { kind: 'aborted', cause: 'user' } },
    });
    expect(events.find(({ type }) => type === 'assistant/message')?.data).toMatchObject({
      interrupted: true,
      message: { text: 'Partial' },
    });
  });

  it('SIGINT with --lines drains and exits 130 though standard input stays open', async () => {
    const { server, workspace } = await places.open([{ text: 'never', hold: forever }]);
    const agent = workspace.start(['exec', '--lines']);
    agent.write('one\ntwo\n');
    await server.received(1);
    agent.child.kill('SIGINT');
    expect((await agent.ended).code).toBe(130);
    expect(await workspace.endings()).toEqual(['aborted']);
    const cancelled = (await workspace.events()).filter(
      (event) => event.type === 'agent/inbox/spliced' && event.data.outcome === 'cancelled',
    );
    expect(cancelled).toHaveLength(1);
    expect(server.requests).toHaveLength(1);
  });

  it('SIGTERM disposes: the turn ends aborted, what had not started is cancelled, exit 130', async () => {
    const { server, workspace } = await places.open([{ text: 'never', hold: forever }]);
    const agent = workspace.start(['exec', '--lines']);
    agent.write('one\ntwo\n');
    await server.received(1);
    agent.child.kill('SIGTERM');
    expect((await agent.ended).code).toBe(130);
    expect((await workspace.events()).find(({ type }) => type === 'turn/end')?.data).toMatchObject({
      reason: { kind: 'aborted', cause: 'disposed' },
    });
  });

  it('SIGINT while it waits for a task on standard input exits 130 and writes nothing', async () => {
    const { workspace } = await places.open([{ text: 'never' }]);
    // Opening a pipe for writing returns once the command has opened it for reading: it is up then.
    const config = path.join(workspace.dir, 'agent.yaml');
    execFileSync('mkfifo', [config]);
    const agent = workspace.start(['exec']);
    agent.write('half a ta');
    const pipe = await open(config, 'w');
    agent.child.kill('SIGINT');
    await pipe.close();
    expect((await agent.ended).code).toBe(130);
    expect(await workspace.sessions()).toEqual([]);
  });

  it('a second SIGINT ends at once, also when nobody reads what is being printed', async () => {
    const { server, workspace } = await places.open([
      { text: 'never', holdAfter: 'x'.repeat(4_000_000), hold: forever },
    ]);
    const agent = workspace.start(['exec', 'task']);
    agent.child.stdout.pause();
    await server.received(1);
    const file = async (): Promise<string> => (await workspace.events()).map(({ type }) => type).join(' ');
    await eventually(async () => (await file()).includes('assistant/chunk'));
    agent.child.kill('SIGINT');
    await agent.until(({ stderr }) => stderr.includes('interrupted'));
    agent.child.kill('SIGINT');
    const code = await new Promise((resolve) => agent.child.once('exit', resolve));
    expect(code).toBe(130);
    agent.child.stdout.resume();
  });
});

describe('a command that the agent has started', () => {
  const command = "trap '' TERM; echo $$ > pid.new; mv pid.new pid; sleep 3600; true";

  it.each([
    ['an agent that is killed', ['SIGKILL'] as const],
    ['an agent that is interrupted twice', ['SIGINT', 'SIGINT'] as const],
  ])('ends with %s', async (_, signals) => {
    const { workspace } = await places.open([{ calls: [{ name: 'bash', arguments: { command } }] }]);
    const agent = workspace.start(['exec', 'task']);
    await eventually(async () => (await workspace.read('pid')) !== '');
    const pid = (await workspace.read('pid')).trim();
    // Killed, and not yet waited for, it has no command line any more.
    const commandLine = (): Promise<string> => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    expect(await commandLine()).toContain('sleep 3600');
    for (const signal of signals) {
      agent.child.kill(signal);
      await Promise.race([agent.until(({ stderr }) => stderr.includes('interrupted')), agent.ended]);
    }
    await eventually(async () => (await commandLine()) === '');
    await agent.ended;
  });
});

describe('a prompt hook', () => {
  it('ends with an agent that is killed, and so does what it has started', async () => {
    const { workspace } = await places.open();
    const hook = 'sleep 3600 & echo $! > pid.new; mv pid.new pid; wait';
    await workspace.write('agent.yaml', `hooks: { userPromptSubmit: "${hook}" }\n`);
    const agent = workspace.start(['exec', 'task']);
    await eventually(async () => (await workspace.read('pid')) !== '');
    const pid = (await workspace.read('pid')).trim();
    const commandLine = (): Promise<string> => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    expect(await commandLine()).toContain('sleep');
    agent.child.kill('SIGKILL');
    await agent.ended;
    await eventually(async () => (await commandLine()) === '');
  });
});

describe('output', () => {
  it('a large answer reaches a slow pipe whole', async () => {
    const text = 'y'.repeat(200 * 1024);
    const { workspace } = await places.open([{ text }]);
    const ended = await workspace
      .shell('{ $AGENT exec task; echo "exit $?" >&2; } | (sleep 0.5; wc -c)')
      .finish();
    expect(ended.stdout.trim()).toBe(String(text.length + 1));
    expect(ended.stderr).toBe('exit 0\n');
  });

  it('a reader that leaves early is no error', async () => {
    const { workspace } = await places.open([{ text: 'z'.repeat(1_000_000) }]);
    const ended = await workspace.shell('{ $AGENT exec task; echo "exit $?" >&2; } | head -c 10').finish();
    expect(ended).toMatchObject({ stdout: 'zzzzzzzzzz', stderr: 'exit 0\n' });
  });

  it('a last flush that fails: the answer is printed, the failure reported, exit 1', async () => {
    const { workspace } = await places.open([{ text: 'a'.repeat(50_000) }]);
    // Files may grow to a few KiB only: the log's writes fail from then on.
    const ended = await workspace.shell('ulimit -f 8; $AGENT exec task').finish();
    expect(ended.code).toBe(1);
    expect(ended.stdout).toBe(`${'a'.repeat(50_000)}\n`);
    // The turn's checkpoint says that it may be lost, the end that it is; nothing is said twice.
    const lines = ended.stderr.trimEnd().split('\n');
    expect(lines).toEqual([
      expect.stringContaining('The checkpoint failed, so the latest events may not be on disk'),
      expect.stringContaining('the session was not saved completely'),
    ]);
    expect(ended.stderr).not.toMatch(/^\s+at /m);
  });

  it.each([
    ['a disk that is full', '$AGENT exec task > /dev/full'],
    ['one that takes only the beginning', 'ulimit -f 16; $AGENT exec task > answer'],
  ])('on %s is reported, and exits 1 though the task was completed', async (_, script) => {
    const { workspace } = await places.open([{ text: 'b'.repeat(20_000) }]);
    const ended = await workspace.shell(script).finish();
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('turnpin-agent: the output could not be written: ');
    expect(ended.stderr).not.toMatch(/^\s+at /m);
  });
});

describe('a disk without room for a session', () => {
  it('is said before anything is asked, and nothing is left there', async () => {
    const { server, workspace } = await places.open();
    const ended = await workspace.shell('ulimit -f 0; exec $AGENT exec task').finish();
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/^turnpin-agent: The session file .* cannot be written: EFBIG/);
    expect(await readdir(workspace.sessionsDir)).toEqual([]);
    expect(server.requests).toEqual([]);
  });
});

describe('a current directory that has been removed', () => {
  it('is a usage error, without a stack trace', async () => {
    const { workspace } = await places.open();
    const agent = workspace.shell('mkdir gone && cd gone && rmdir ../gone && exec $AGENT exec task');
    expect(await agent.finish()).toMatchObject({
      code: 2,
      stderr: 'turnpin-agent: the current directory does not exist any more; change to one that does.\n',
    });
  });
});
