/** Running one shell command as a process group of its own, and leaving nothing of it behind. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { codeOf } from '../session/thrown.ts';

export interface ShellRequest {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Standard output and standard error, mixed as they were written. The next piece waits for the promise, which must not reject. */
  readonly onOutput: (piece: Buffer) => Promise<void>;
}

export type ShellEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: string }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'aborted' }
  /** The shell itself could not be started. */
  | { readonly kind: 'not-started'; readonly code: string };

/** From the request to stop (SIGTERM) to the end of patience (SIGKILL). */
const KILL_DELAY_MS = 500;

/**
 * Both streams go through one real pipe: Node's own are sockets, two of them, which lose the order of writing and
 * cannot be opened as `/dev/stderr`. The `cat` at its end ignores SIGTERM, from before its start, so that it passes on
 * the last words of the processes that obey it.
 *
 * Descriptor 4 is a lifeline: only this process holds its other end, so it breaks when this process dies, however that
 * happens, and then the whole group is killed.
 */
const WRAPPER = [
  'trap "" TERM INT HUP',
  '{ read -r -u 4; kill -KILL 0; } >&- &',
  'exec 3> >(exec cat 4<&-)',
  'trap - TERM INT HUP',
  'exec "$BASH" -c "$1" bash >&3 2>&1 3>&- 4<&-',
].join('\n');

/**
 * Runs `command` in bash with nothing on standard input. Settles soon after the shell itself has ended: what it left in
 * its process group is stopped then, as it is on a timeout or an abort. A process that leaves the group (`setsid`)
 * outlives the command; its output is no longer read. Never rejects.
 */
export async function runShell(request: ShellRequest): Promise<ShellEnd> {
  try {
    const child = start(request);
    return await supervise(child, request, pump(child.stdout, request.onOutput));
  } catch (error) {
    return { kind: 'not-started', code: codeOf(error) ?? 'UNKNOWN' };
  }
}

/** Throws where the system refuses; a program that is missing shows later, as an `error` event. */
function start(request: ShellRequest): Shell {
  const child = spawn('bash', ['-c', WRAPPER, 'bash', request.command], {
    cwd: request.cwd,
    env: request.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore', 'ignore', 'pipe'],
  });
  // Out of file descriptors, Node hands over a child without streams.
  return Object.assign(child, { stdout: (child.stdout as Readable | undefined) ?? Readable.from([]) });
}

type Shell = ChildProcess & { readonly stdout: Readable };

async function supervise(child: Shell, request: ShellRequest, output: Promise<void>): Promise<ShellEnd> {
  const group = new ProcessGroup(child);
  let stopped: 'timed-out' | 'aborted' | null = null;
  const stop = (why: 'timed-out' | 'aborted'): void => {
    stopped ??= why;
    group.stop();
  };
  const onAbort = (): void => {
    stop('aborted');
  };
  const timer = setTimeout(() => {
    stop('timed-out');
  }, request.timeoutMs);
  request.signal.addEventListener('abort', onAbort, { once: true });
  if (request.signal.aborted) onAbort();
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    await group.clear(output);
    if (stopped !== null) return { kind: stopped };
    return code === null ? { kind: 'killed', signal: signal ?? 'UNKNOWN' } : { kind: 'exited', code };
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', onAbort);
    group.forget();
  }
}

class ProcessGroup {
  readonly #child: Shell;
  #killer: NodeJS.Timeout | undefined;

  constructor(child: Shell) {
    this.#child = child;
  }

  /** Asks the whole group to end, and kills it where it has not within the delay. */
  stop(): void {
    this.#send('SIGTERM');
    this.#killer ??= setTimeout(() => {
      this.#send('SIGKILL');
    }, KILL_DELAY_MS);
  }

  /**
   * After the shell's end: stops what it left behind. Whoever holds on to the pipe has until the kill; whoever has let
   * go of it, or never had it, is killed once the last output has been read.
   */
  async clear(output: Promise<void>): Promise<void> {
    this.stop();
    // Only a `cat` that even SIGKILL cannot end would need this.
    const giveUp = setTimeout(() => this.#child.stdout.destroy(), 2 * KILL_DELAY_MS);
    await output;
    clearTimeout(giveUp);
    this.#send('SIGKILL');
  }

  forget(): void {
    clearTimeout(this.#killer);
    this.#child.stdio[4]?.destroy();
  }

  #send(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, signal);
    } catch {
      // The group is gone already.
    }
  }
}

/** Reads no faster than `onOutput` can take it, which bounds memory for a command that never stops writing. */
async function pump(stream: Readable, onOutput: (piece: Buffer) => Promise<void>): Promise<void> {
  try {
    for await (const piece of stream) await onOutput(piece as Buffer);
  } catch {
    // A stream that breaks, or is given up, has come to its end.
  }
}
