/** Where a command touches the world: streams, signals, directory and environment. */
import { firstInterruption } from './interrupt.ts';
import type { Interruption } from './interrupt.ts';
import { Output } from './output.ts';
import { UsageError } from './usage-error.ts';

export interface CommandEdge {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: Output;
  readonly stderr: Output;
  /** The current directory. Throws `UsageError` where it has been removed. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Resolves with the user's first signal. */
  readonly interruption: Promise<Interruption>;
  /** Standard output for frames alone: what anything else prints from now on goes to standard error. */
  framesOnly(): Output;
  /** One message to the user, on standard error. */
  complain(message: string): void;
}

/** The edge of this process. */
export function processEdge(): CommandEdge {
  const stderr = new Output(process.stderr);
  const stdout = new Output(process.stdout);
  return {
    stdin: process.stdin,
    stdout,
    stderr,
    get cwd() {
      return currentDirectory();
    },
    env: process.env,
    interruption: firstInterruption(),
    framesOnly: () => {
      stdout.keepForItself(process.stderr);
      return stdout;
    },
    complain: (message) => stderr.write(`turnpin-agent: ${message}\n`),
  };
}

function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    throw new UsageError('the current directory does not exist any more; change to one that does.');
  }
}
