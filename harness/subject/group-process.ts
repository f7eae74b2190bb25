/** A process of its own group: started with a given environment, ended so that nothing of it is left (ports.md). */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { SubjectError, type Exit } from './subject.ts';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** All of it; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

/** Receives what the process prints, as text, in pieces that never cut a character. */
export interface Sinks {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/** How long standard output may stay open after the process has ended: a grandchild may hold it. */
const DRAIN_MS = 500;
const TERM_PATIENCE_MS = 2_000;

export class GroupProcess {
  /** Resolves when the process has ended and its output is read. Rejects with SETUP_FAILED where it could not be started. */
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #sent = new Set<NodeJS.Signals>();
  #exit: Exit | null = null;

  constructor({ program, args, cwd, env }: Command, sinks: Sinks) {
    this.#child = spawn(program, args, {
      cwd,
      env: { ...env },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    // A write to a process that is gone is no news: its end is told by `exited`.
    this.#child.stdin.on('error', () => {});
    pipeText(this.#child.stdout, sinks.stdout);
    pipeText(this.#child.stderr, sinks.stderr);
    this.exited = this.#watch(program);
    this.exited.catch(() => {});
  }

  /** Null while it runs. */
  get exit(): Exit | null {
    return this.#exit;
  }

  /** Did it die by a signal that we did not send? */
  get crashed(): boolean {
    const signal = this.#exit?.signal ?? null;
    return signal !== null && !this.#sent.has(signal as NodeJS.Signals);
  }

  write(text: string): void {
    this.#child.stdin.write(text);
  }

  endInput(): void {
    this.#child.stdin.end();
  }

  /** To the process alone, as a terminal's user or a supervisor would send it. */
  signal(name: NodeJS.Signals): void {
    this.#sent.add(name);
    if (this.#exit === null) this.#child.kill(name);
  }

  /** To the whole group, without warning. */
  async kill(): Promise<Exit> {
    this.#sent.add('SIGKILL');
    this.#killGroup();
    return this.exited;
  }

  /** End of input, patience, TERM, KILL of the group. Resolves to true when end of input was enough. */
  async end(patienceMs: number): Promise<boolean> {
    this.endInput();
    const willing = await this.#endsWithin(patienceMs);
    if (!willing) {
      this.signal('SIGTERM');
      await this.#endsWithin(TERM_PATIENCE_MS);
    }
    await this.kill();
    return willing;
  }

  /** TERM, patience, KILL of the group: a process that is asked can still end what it has started in groups of its own. */
  async stop(): Promise<void> {
    this.signal('SIGTERM');
    await this.#endsWithin(TERM_PATIENCE_MS);
    await this.kill();
  }

  async #endsWithin(milliseconds: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), milliseconds);
    });
    const ended = await Promise.race([this.exited.then(() => true as const), late]);
    clearTimeout(timer);
    return ended;
  }

  #watch(program: string): Promise<Exit> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      child.once('error', (error) => {
        if (child.pid === undefined)
          reject(new SubjectError('SETUP_FAILED', `${program} could not be started: ${error.message}`));
      });
      child.once('exit', (code, signal) => {
        const settle = (): void => {
          clearTimeout(timer);
          this.#exit = { code, signal };
          resolve(this.#exit);
        };
        const timer = setTimeout(() => {
          child.stdout.destroy();
          child.stderr.destroy();
          settle();
        }, DRAIN_MS);
        child.once('close', settle);
      });
    });
  }

  #killGroup(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // ESRCH: nobody of the group is left.
    }
  }
}

function pipeText(stream: NodeJS.ReadableStream, sink: (text: string) => void): void {
  const decoder = new StringDecoder('utf8');
  stream.on('data', (bytes: Buffer) => sink(decoder.write(bytes)));
  stream.on('end', () => {
    const rest = decoder.end();
    if (rest !== '') sink(rest);
  });
}
