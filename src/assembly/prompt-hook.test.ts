import { mkdtemp, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Admission } from '../agent/contract.ts';
import type { MessageId, MessageSource, SessionId, UserMessage } from '../session/events.ts';
import { HOOK_OUTPUT_CAP, promptHook } from './prompt-hook.ts';

async function workspace(): Promise<string> {
  return mkdtemp(path.join(tmpdir(), 'turnpin-hook-'));
}

function message(text: string, source: MessageSource = { kind: 'user' }): UserMessage {
  return { id: 'm-1' as MessageId, role: 'user', content: [{ type: 'text', text }], source };
}

interface Asked {
  readonly admission: Admission;
  readonly reports: readonly string[];
  readonly cwd: string;
}

async function ask(
  command: string,
  options: {
    text?: string;
    source?: MessageSource;
    timeout?: number;
    signal?: AbortSignal;
    cwd?: string;
  } = {},
): Promise<Asked> {
  const cwd = options.cwd ?? (await workspace());
  const reports: string[] = [];
  const admit = promptHook({
    command,
    timeout: options.timeout ?? 20_000,
    cwd,
    env: { PATH: process.env['PATH'] },
    sessionId: 's-1' as SessionId,
    report: (error) => reports.push(error.message),
  });
  const admission = await admit(
    message(options.text ?? 'hello', options.source),
    options.signal ?? new AbortController().signal,
  );
  return { admission, reports, cwd };
}

/** Resolves once `file` exists. */
async function appears(file: string): Promise<void> {
  for (;;) {
    if (
      await stat(file).then(
        () => true,
        () => false,
      )
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('hooks.userPromptSubmit', () => {
  it('gets the prompt, the session and the workspace as JSON on standard input', async () => {
    const { cwd, admission } = await ask('cat > seen.json', { text: 'what “now”?\nsecond line' });
    expect(admission).toEqual({ allow: true });
    expect(JSON.parse(await readFile(path.join(cwd, 'seen.json'), 'utf8'))).toEqual({
      hook_event_name: 'UserPromptSubmit',
      session_id: 's-1',
      cwd,
      prompt: 'what “now”?\nsecond line',
    });
  });

  it('exit 0 allows, and what it printed becomes context', async () => {
    const { admission, reports } = await ask('echo "The branch is main."');
    expect(admission).toEqual({ allow: true, context: 'The branch is main.' });
    expect(reports).toEqual([]);
  });

  it('exit 0 without output adds no context', async () => {
    expect((await ask('echo; echo noise >&2')).admission).toEqual({ allow: true });
  });

  it('exit 2 blocks with standard error as the reason', async () => {
    const { admission, reports } = await ask('echo ignored; echo "not that word" >&2; exit 2');
    expect(admission).toEqual({ allow: false, reason: 'not that word' });
    expect(reports).toEqual([]);
  });

  it('exit 2 without a reason says who blocked', async () => {
    expect((await ask('exit 2')).admission).toEqual({
      allow: false,
      reason: 'blocked by the hook userPromptSubmit',
    });
  });

  it.each([
    ['exit 1', 'exited with 1'],
    ['echo broken >&2; exit 7', 'exited with 7 (broken)'],
    ['no-such-command-here', 'exited with 127'],
    ['kill -KILL $$', 'was ended by SIGKILL'],
  ])('%s is reported and allows', async (command, says) => {
    const { admission, reports } = await ask(command);
    expect(admission).toEqual({ allow: true });
    expect(reports).toHaveLength(1);
    expect(reports[0]).toContain(says);
  });

  it('a workspace that is gone is reported and allows', async () => {
    const { admission, reports } = await ask('exit 0', { cwd: '/no/such/workspace' });
    expect(admission).toEqual({ allow: true });
    expect(reports[0]).toContain('could not be started');
  });

  it('a timeout is reported and allows, and nothing of the group is left', async () => {
    const { admission, reports, cwd } = await ask('sleep 600 & echo $! > pid; wait', { timeout: 300 });
    expect(admission).toEqual({ allow: true });
    expect(reports[0]).toContain('did not end within 300 ms');
    const pid = Number(await readFile(path.join(cwd, 'pid'), 'utf8'));
    await gone(pid);
  });

  it('cancelling the turn stops the group and rejects with the reason', async () => {
    const cwd = await workspace();
    const controller = new AbortController();
    const asked = ask('sleep 600 & echo $! > pid.part; mv pid.part pid; wait', {
      cwd,
      signal: controller.signal,
    });
    await appears(path.join(cwd, 'pid'));
    controller.abort(new Error('cancelled by the test'));
    await expect(asked).rejects.toThrow('cancelled by the test');
    await gone(Number(await readFile(path.join(cwd, 'pid'), 'utf8')));
  });

  it('a turn that is cancelled already starts no command', async () => {
    const cwd = await workspace();
    await expect(
      ask('touch started', { cwd, signal: AbortSignal.abort(new Error('too late')) }),
    ).rejects.toThrow('too late');
    await expect(stat(path.join(cwd, 'started'))).rejects.toThrow('ENOENT');
  });

  it.each<MessageSource>([
    { kind: 'plugin' },
    { kind: 'tool' },
    { kind: 'subagent-report', senderSessionId: 'c' as SessionId },
    { kind: 'goal', goalId: 'g', revision: 1, round: 1 },
  ])('is not asked about a message of source $kind', async (source) => {
    expect((await ask('exit 2', { source })).admission).toEqual({ allow: true });
  });

  it('a command that never reads a large prompt is no error', async () => {
    const { admission, reports } = await ask('exit 0', { text: 'x'.repeat(1_000_000) });
    expect(admission).toEqual({ allow: true });
    expect(reports).toEqual([]);
  });

  it('what it leaves in the background does not hold the prompt back', async () => {
    const { admission, cwd } = await ask('echo ready; sleep 600 & echo $! > pid');
    expect(admission).toEqual({ allow: true, context: 'ready' });
    process.kill(Number(await readFile(path.join(cwd, 'pid'), 'utf8')), 'SIGKILL');
  });

  it('output without end is cut', async () => {
    const { admission } = await ask('head -c 3000000 /dev/zero | tr "\\0" x');
    const context = admission.allow ? admission.context : undefined;
    expect(context?.length).toBeLessThan(HOOK_OUTPUT_CAP + 100);
    expect(context).toContain('[cut after');
  });
});

/** Resolves once no process with this id runs; one that only waits to be reaped has ended. */
async function gone(pid: number): Promise<void> {
  for (;;) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z');
    if (stat.includes(') Z')) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
