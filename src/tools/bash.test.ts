import { mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../session/events.ts';
import { createFirstPartyTools } from './first-party.ts';
import type { ToolOutcome } from './tool.ts';

let base: string;
let ws: string;
let spillDir: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'turnpin-bash-'));
  ws = join(base, 'ws');
  spillDir = join(base, 'deep', 'spill');
  await mkdir(ws);
});

afterEach(() => rm(base, { recursive: true, force: true }));

interface Call {
  readonly args?: { readonly [key: string]: Json };
  readonly signal?: AbortSignal;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly callId?: string;
}

function bash(
  command: string,
  { args = {}, signal, env = process.env, callId = 'call_1' }: Call = {},
): Promise<ToolOutcome> {
  const tool = createFirstPartyTools({ spillDir }).find(({ name }) => name === 'bash');
  if (tool === undefined) throw new Error('no bash tool');
  return tool.run(
    { command, ...args },
    { cwd: ws, env, callId, signal: signal ?? new AbortController().signal },
  );
}

/** A command line that no other process on the machine has, so that survivors can be found. */
const uniqueSleep = (): string => `sleep 6${String(process.pid)}.${String(Math.random()).slice(2, 10)}`;

/** Is a process with this command line alive? Zombies have none. */
async function isRunning(commandLine: string): Promise<boolean> {
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const line = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '');
    if (line.replaceAll('\0', ' ').trim() === commandLine) return true;
  }
  return false;
}

/** A process that has been killed takes the system a moment to end; one that was not lives for hours. */
const isGone = (commandLine: string): Promise<void> =>
  expect.poll(() => isRunning(commandLine), { timeout: 10_000, interval: 5 }).toBe(false);

/** Resolves once the file is there: the command says by it that it is running. */
async function appears(path: string): Promise<void> {
  while ((await stat(path).catch(() => null)) === null) await new Promise((resolve) => setImmediate(resolve));
}

/** Cancels the command as soon as it has made the file `ready`. */
async function cancelled(command: string): Promise<ToolOutcome> {
  const controller = new AbortController();
  const running = bash(command, { signal: controller.signal });
  await appears(join(ws, 'ready'));
  controller.abort('user');
  return running;
}

describe('what a command prints', () => {
  it('is shown with its exit code, standard error in place', async () => {
    expect(await bash('echo out; echo err >&2; printf more; exit 3')).toEqual({
      content: 'out\nerr\nmore\n[exit code 3]',
      isError: true,
      code: 'NONZERO_EXIT',
    });
    expect(await bash('true')).toEqual({ content: '[exit code 0]', isError: false });
  });

  it('can be written by way of /dev/stdout and /dev/stderr', async () => {
    expect((await bash('echo a >/dev/stderr; echo b >/dev/stdout')).content).toBe('a\nb\n[exit code 0]');
  });

  it('names a command that does not exist, and a syntax error, the same on every machine', async () => {
    expect((await bash('nosuchcommand')).content).toBe(
      'bash: line 1: nosuchcommand: command not found\n[exit code 127]',
    );
    expect((await bash('if')).content).toMatch(/^bash: .*syntax error/);
  });

  it('tells by which signal a shell ended', async () => {
    expect(await bash('kill -9 $$')).toMatchObject({ content: '[ended by SIGKILL]', isError: true });
    expect(await bash('kill $$')).toMatchObject({ content: '[ended by SIGTERM]' });
  });

  it('is never waited for on standard input, which is empty', async () => {
    expect((await bash('cat; read x; echo "$?"')).content).toBe('1\n[exit code 0]');
  });
});

describe('where a command runs', () => {
  it('is the workspace, or a directory in it', async () => {
    await mkdir(join(ws, 'd'));
    expect((await bash('pwd')).content).toBe(`${ws}\n[exit code 0]`);
    expect((await bash('pwd', { args: { workdir: 'd' } })).content).toBe(`${ws}/d\n[exit code 0]`);
  });

  it('is no directory outside', async () => {
    await symlink('..', join(ws, 'out'));
    for (const workdir of ['..', 'out', '/']) {
      await expect(bash('pwd', { args: { workdir } })).rejects.toMatchObject({ code: 'OUTSIDE_WORKSPACE' });
    }
    await expect(bash('pwd', { args: { workdir: 'nosuch' } })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('has the environment that it was given, and no other', async () => {
    expect(
      (await bash('echo "$MINE-$HOME"', { env: { PATH: process.env['PATH'], MINE: 'x' } })).content,
    ).toBe('x-\n[exit code 0]');
  });

  it('needs a command that a system can take', async () => {
    expect((await bash(`echo ${'x'.repeat(119_000)} | wc -c`)).content).toBe('119001\n[exit code 0]');
    await expect(bash(`: ${'x'.repeat(120_000)}`)).rejects.toMatchObject({ code: 'COMMAND_TOO_LONG' });
    await expect(bash('a\0b')).rejects.toMatchObject({ code: 'INVALID_ARGS' });
    const env = { PATH: process.env['PATH'], BIG: 'x'.repeat(200_000) };
    expect(await bash('true', { env })).toMatchObject({ content: '[bash could not be started (E2BIG)]' });
  });

  it('needs a bash', async () => {
    expect(await bash('true', { env: { PATH: ws } })).toEqual({
      content: '[bash could not be started (ENOENT)]',
      isError: true,
      code: 'SHELL_NOT_STARTED',
    });
  });
});

describe('long output', () => {
  it('is shown with its middle left out, and is whole in a file that only the user can read', async () => {
    const { content } = await bash('for i in $(seq 1 20000); do echo "line $i"; done', {
      callId: 'call/../1',
    });
    const path = join(spillDir, 'call____1.txt');
    expect(content).toMatch(/^line 1\n/);
    expect(content).toMatch(/line 20000\n\[exit code 0\]$/);
    expect(content).toContain(`bytes left out here; the whole output is in ${path}]`);
    expect(Buffer.byteLength(content)).toBeLessThan(33_500);
    const whole = await readFile(path, 'utf8');
    expect(whole).toBe(Array.from({ length: 20_000 }, (_, index) => `line ${String(index + 1)}\n`).join(''));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('never overwrites an earlier one', async () => {
    await bash('yes a | head -c 50000', { callId: 'same' });
    expect((await bash('yes b | head -c 50000', { callId: 'same' })).content).toContain('same-2.txt');
    expect((await readdir(spillDir)).sort()).toEqual(['same-2.txt', 'same.txt']);
  });

  it('does not fail the command where it cannot be saved', async () => {
    await writeFile(join(base, 'deep'), 'a file');
    const result = await bash('yes a | head -c 50000');
    expect(result.isError).toBe(false);
    expect(result.content).toContain('they could not be saved');
  });

  it('without end ends with the time, and costs no memory', async () => {
    const before = process.memoryUsage().rss;
    const result = await bash('yes', { args: { timeout: 1 } });
    expect(result).toMatchObject({ isError: true, code: 'TIMED_OUT' });
    expect(result.content).toMatch(/^y\ny\n[^]*y\n\[stopped after 1 s, the limit for this call\]$/);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });
});

describe('what a command leaves behind', () => {
  it.each([
    ['a background process that keeps the pipe', (sleep: string) => `${sleep} & echo hi`],
    ['one that its own shell has left', (sleep: string) => `(${sleep} &); echo hi`],
    ['one that has let go of the pipe', (sleep: string) => `${sleep} >/dev/null 2>&1 & echo hi`],
    [
      'one that ignores SIGTERM',
      (sleep: string) => `(trap '' TERM; exec ${sleep}) >/dev/null 2>&1 & echo hi`,
    ],
    [
      'one that ignores SIGTERM and keeps the pipe',
      (sleep: string) => `(trap '' TERM; exec ${sleep}) & echo hi`,
    ],
  ])('%s is stopped, and is not waited for', async (_, script) => {
    const sleep = uniqueSleep();
    expect(await bash(script(sleep))).toEqual({ content: 'hi\n[exit code 0]', isError: false });
    await isGone(sleep);
  });

  it('lives on only where it left the group on purpose (setsid), and is not waited for either', async () => {
    const sleep = uniqueSleep();
    const leave = `setsid bash -c 'echo $$ >pid.new; mv pid.new pid; exec ${sleep}' &`;
    const result = await bash(`${leave} while [ ! -e pid ]; do sleep 0.01; done; echo hi`);
    try {
      expect(result.content).toBe('hi\n[exit code 0]');
      expect(await isRunning(sleep)).toBe(true);
    } finally {
      process.kill(Number(await readFile(join(ws, 'pid'), 'utf8')));
    }
  });
});

describe('the time limit', () => {
  it.each([
    ['a shell', (sleep: string) => `echo x; ${sleep}`],
    ['its grandchildren', (sleep: string) => `echo x; bash -c 'bash -c "${sleep}; true"; true'`],
    ['what ignores SIGTERM', (sleep: string) => `trap '' TERM; echo x; ${sleep}`],
    ['a background process', (sleep: string) => `${sleep} & echo x; wait`],
  ])('ends %s, and keeps the output until then', async (_, script) => {
    const sleep = uniqueSleep();
    expect(await bash(script(sleep), { args: { timeout: 1 } })).toEqual({
      content: 'x\n[stopped after 1 s, the limit for this call]',
      isError: true,
      code: 'TIMED_OUT',
    });
    await isGone(sleep);
  });

  it('lets a process that obeys say its last words', async () => {
    const result = await bash("trap 'echo bye; exit 0' TERM; while :; do sleep 0.01; done", {
      args: { timeout: 1 },
    });
    expect(result.content).toMatch(/bye\n\[stopped after 1 s, the limit for this call\]$/);
  });
});

describe('a cancel (CANCEL-4)', () => {
  it.each([
    ['a shell', (sleep: string) => `echo x; touch ready; ${sleep}`],
    ['what ignores SIGTERM', (sleep: string) => `trap '' TERM; echo x; touch ready; ${sleep}`],
    ['background processes', (sleep: string) => `${sleep} & echo x; touch ready; wait`],
  ])('ends %s, and keeps the output until then', async (_, script) => {
    const sleep = uniqueSleep();
    expect(await cancelled(script(sleep))).toEqual({
      content: 'x\n[cancelled; the command was stopped]',
      isError: true,
      code: 'ABORTED',
    });
    await isGone(sleep);
  });

  it('ends a command that never stops writing', async () => {
    expect(await cancelled('touch ready; yes')).toMatchObject({ code: 'ABORTED' });
  });

  it('that came before the start ends it at once', async () => {
    expect(await bash('sleep 60', { signal: AbortSignal.abort() })).toMatchObject({ code: 'ABORTED' });
  });
});
