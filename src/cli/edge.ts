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
  const stdout = new Output(process.stdout);
  // Most commands never need it, and it takes its time to open.
  let stderr: Output | null = null;
  const edge: CommandEdge = {
    stdin: process.stdin,
    stdout,
    get stderr() {
      stderr ??= new Output(process.stderr);
      return stderr;
    },
    get cwd() {
      return currentDirectory();
    },
    env: process.env,
    interruption: firstInterruption(),
    framesOnly: () => {
      stdout.keepForItself(() => process.stderr);
      return stdout;
    },
    complain: (message) => edge.stderr.write(`turnpin-agent: ${message}\n`),
  };
  return edge;
}

function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    throw new UsageError('the current directory does not exist any more; change to one that does.');
  }
}
