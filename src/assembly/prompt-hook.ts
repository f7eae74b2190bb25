/**
 * `hooks.userPromptSubmit`: a shell command is asked about each message of the user (core.md, "Prompt, tools,
 * composition"). It gets JSON on standard input; exit 0 allows, and what it printed becomes one context message
 * before the prompt; exit 2 blocks, with standard error as the reason; anything else is reported and allows.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { Admission, Policies } from '../agent/contract.ts';
import type { SessionId, UserMessage } from '../session/events.ts';
import { cutText } from '../tools/text-file.ts';

/** How long a hook may take where the configuration is silent, in milliseconds. */
export const DEFAULT_HOOK_TIMEOUT = 60_000;

/** More than this of a hook's output, in characters, is cut off with a note. */
export const HOOK_OUTPUT_CAP = 256 * 1024;

/** How long output may trail after the command itself has ended, for what it left in the background. */
const TRAILING_OUTPUT_MS = 200;

/** A hook that neither allowed nor blocked. The prompt is admitted all the same. */
export class HookError extends Error {
  readonly code = 'HOOK_FAILED';
  constructor(message: string) {
    super(message);
    this.name = 'HookError';
  }
}

export interface PromptHook {
  readonly command: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly sessionId: SessionId;
  /** Told of each failure of the hook itself. */
  readonly report: (error: HookError) => void;
}

/** The hook as an admission policy. Rejects with the signal's reason when the turn is cancelled. */
export function promptHook(hook: PromptHook): NonNullable<Policies['admitPrompt']> {
  return async (message, signal) => {
    if (message.source.kind !== 'user') return { allow: true };
    signal.throwIfAborted();
    const ending = await run(hook, message, signal);
    signal.throwIfAborted();
    return decide(hook, ending);
  };
}

/** How the command ended. */
type Ending =
  | { readonly kind: 'exit'; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'not-started'; readonly message: string };

function decide(hook: PromptHook, ending: Ending): Admission {
  const failed = (what: string): Admission => {
    hook.report(
      new HookError(`the hook userPromptSubmit ${what}; the prompt was admitted. Command: ${hook.command}`),
    );
    return { allow: true };
  };
  switch (ending.kind) {
    case 'exit': {
      const stderr = ending.stderr.trim();
      if (ending.code === 2)
        return { allow: false, reason: stderr === '' ? 'blocked by the hook userPromptSubmit' : stderr };
      if (ending.code !== 0)
        return failed(`exited with ${ending.code}${stderr === '' ? '' : ` (${stderr.slice(0, 500)})`}`);
      const context = ending.stdout.trimEnd();
      return context === '' ? { allow: true } : { allow: true, context };
    }
    case 'signal':
      return failed(`was ended by ${ending.signal}`);
    case 'timeout':
      return failed(`did not end within ${hook.timeout} ms and was stopped`);
    case 'not-started':
      return failed(`could not be started (${ending.message})`);
    case 'aborted':
      return { allow: true };
  }
}

/**
 * Descriptor 3 is a lifeline, as that of a command (shell-process.ts): it breaks when this process dies, however that happens,
 * and then the whole group is killed. A line on it says that the hook has ended; what it left in the background stays.
 */
const WRAPPER = [
  '{ read -r ended <&3 || kill -KILL 0; } >/dev/null 2>&1 &',
  'exec /bin/sh -c "$1" 3<&-',
].join('\n');

function run(hook: PromptHook, message: UserMessage, signal: AbortSignal): Promise<Ending> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', WRAPPER, 'sh', hook.command], {
      cwd: hook.cwd,
      env: hook.env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    const lifeline = child.stdio[3] as Writable;
    // Whoever held the other end may have been killed.
    lifeline.on('error', () => {});
    const stdout = collect(child.stdout);
    const stderr = collect(child.stderr);
    let early: Ending | null = null;
    let trailing: NodeJS.Timeout | undefined;
    const stop = (ending: Ending): void => {
      early ??= ending;
      killGroup(child);
    };
    const onAbort = (): void => stop({ kind: 'aborted' });
    const timer = setTimeout(() => stop({ kind: 'timeout' }), hook.timeout);
    signal.addEventListener('abort', onAbort, { once: true });
    const settle = (ending: Ending): void => {
      clearTimeout(timer);
      clearTimeout(trailing);
      signal.removeEventListener('abort', onAbort);
      lifeline.end('ended\n');
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
      resolve(early ?? ending);
    };
    child.once('error', (error) => settle({ kind: 'not-started', message: error.message }));
    child.once('exit', (code, name) => {
      const ended = (): void =>
        settle(
          code === null
            ? { kind: 'signal', signal: name ?? 'a signal' }
            : { kind: 'exit', code, stdout: stdout(), stderr: stderr() },
        );
      child.once('close', ended);
      trailing = setTimeout(ended, TRAILING_OUTPUT_MS);
    });
    // A command that does not read its input, or ends before it has, is no error.
    child.stdin.on('error', () => {});
    child.stdin.end(`${JSON.stringify(input(hook, message))}\n`);
  });
}

function input(hook: PromptHook, message: UserMessage): object {
  return {
    hook_event_name: 'UserPromptSubmit',
    session_id: hook.sessionId,
    cwd: hook.cwd,
    prompt: message.content.map((block) => block.text).join('\n'),
  };
}

/** Gathers a stream's text up to the cap; the rest is read and dropped, so that the command is never stuck. */
function collect(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  let cut = false;
  stream.setEncoding('utf8');
  stream.on('error', () => {});
  stream.on('data', (piece: string) => {
    const room = HOOK_OUTPUT_CAP - text.length;
    cut ||= piece.length > room;
    text += cutText(piece, room);
  });
  return () => (cut ? `${text}\n[cut after ${HOOK_OUTPUT_CAP} characters]` : text);
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}
