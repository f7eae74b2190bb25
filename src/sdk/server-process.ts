/** The server as a child process of the client: its pipes, its last words, its end. */
import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { FrameReader } from './frames.ts';

/** Longest frame that a client reads, in bytes (256 MiB): an event holds whatever a model or a tool wrote. */
const CLIENT_FRAME_CAP = 256 * 1024 * 1024;

/** How much of the server's standard error is kept for errors, in characters. */
const STDERR_TAIL = 4096;

/** How long the last output may trail after the process has ended, in milliseconds. */
const TRAILING_OUTPUT_MS = 500;

/** The server is gone. Every pending and every later call fails with it. */
export class ServerExitError extends Error {
  readonly code = 'SERVER_EXITED';
  /** Null when a signal ended it, or it could not be started. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last of what it wrote to standard error. */
  readonly stderr: string;
  constructor(
    facts: { readonly exitCode: number | null; readonly signal: string | null; readonly stderr: string },
    cause?: Error,
  ) {
    super(describe(facts, cause), { cause });
    this.name = 'ServerExitError';
    this.exitCode = facts.exitCode;
    this.signal = facts.signal;
    this.stderr = facts.stderr;
  }
}

/** The server runs and has not answered `initialize` in time. Its process has been ended. */
export class StartTimeoutError extends Error {
  readonly code = 'START_TIMEOUT';
  /** The last of what it wrote to standard error. */
  readonly stderr: string;
  constructor(facts: {
    readonly command: readonly string[];
    readonly timeoutMs: number;
    readonly stderr: string;
  }) {
    const words = facts.stderr.trim();
    super(
      `The server did not answer "initialize" within ${facts.timeoutMs} ms and was ended. ` +
        `It was started as: ${facts.command.join(' ')}. ` +
        `It said: ${words === '' ? 'nothing on standard error' : words}\n` +
        `Check that this command runs "turnpin-agent serve"; if it only needs longer, set startTimeoutMs.`,
    );
    this.name = 'StartTimeoutError';
    this.stderr = facts.stderr;
  }
}

export interface ServerProcessOptions {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Each line that the server writes. */
  readonly onLine: (bytes: Buffer) => void;
  /** Called once, after the last line. */
  readonly onExit: (error: ServerExitError) => void;
}

export class ServerProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #frames = new FrameReader(CLIENT_FRAME_CAP);
  #stderr = '';
  /** Resolves when the process has ended and its last line has been delivered. */
  readonly exited: Promise<void>;

  constructor(options: ServerProcessOptions) {
    const [file, ...args] = options.command;
    this.#child = spawn(file, args, { cwd: options.cwd, env: options.env, stdio: ['pipe', 'pipe', 'pipe'] });
    const { stdin, stdout, stderr } = this.#child;
    // A write to a server that has gone is answered by its exit.
    stdin.on('error', () => {});
    stdout.on('error', () => {});
    stdout.on('data', (piece: Buffer) => {
      for (const frame of this.#frames.push(piece)) if (frame.kind === 'line') options.onLine(frame.bytes);
    });
    stderr.setEncoding('utf8');
    stderr.on('error', () => {});
    stderr.on('data', (piece: string) => {
      this.#stderr = (this.#stderr + piece).slice(-STDERR_TAIL);
    });
    this.exited = new Promise((resolve) => {
      let trailing: NodeJS.Timeout | undefined;
      let told = false;
      const end = (exitCode: number | null, signal: string | null, cause?: Error): void => {
        if (told) return;
        told = true;
        clearTimeout(trailing);
        for (const stream of [stdin, stdout, stderr]) stream.destroy();
        options.onExit(new ServerExitError({ exitCode, signal, stderr: this.#stderr }, cause));
        resolve();
      };
      this.#child.once('error', (error) => end(null, null, explained(error, options.cwd)));
      this.#child.once('exit', (code, signal) => {
        trailing = setTimeout(() => end(code, signal), TRAILING_OUTPUT_MS);
      });
      this.#child.once('close', (code, signal) => end(code, signal));
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The last of what it has written to standard error. */
  get stderr(): string {
    return this.#stderr;
  }

  send(line: string): void {
    if (this.#child.stdin.writable) this.#child.stdin.write(line);
  }

  /** Ends the process in every case: end of input, after `graceMs` TERM, after as much again KILL. */
  async end(graceMs: number): Promise<void> {
    this.#child.stdin.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await settlesWithin(this.exited, graceMs)) return;
      this.#child.kill(signal);
    }
    await this.exited;
  }
}

/** Longest wait of a timer of Node, in milliseconds (24 days); it takes a longer one for none at all. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** Is `promise` resolved or rejected within `milliseconds`? `Infinity` waits for it. Never rejects. */
export async function settlesWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.min(milliseconds, LONGEST_WAIT_MS));
  });
  const settled = promise.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, expired]);
  } finally {
    clearTimeout(timer);
  }
}

/** Node blames the command, too, where it is the directory that does not exist. */
function explained(error: Error, cwd: string): Error {
  return existsSync(cwd) ? error : new Error(`there is no directory ${cwd}`, { cause: error });
}

function describe(
  facts: { exitCode: number | null; signal: string | null; stderr: string },
  cause: Error | undefined,
): string {
  if (cause !== undefined) return `The server could not be started: ${cause.message}`;
  const how =
    facts.exitCode === null
      ? `was ended by ${facts.signal ?? 'a signal'}`
      : `exited with code ${facts.exitCode}`;
  const words = facts.stderr.trim();
  return `The server ${how}.${words === '' ? '' : ` It said: ${words}`}`;
}
