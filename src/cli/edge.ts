/** Where a command touches the world: streams, signals, directory and environment. */
import { firstInterruption } from './interrupt.ts';
import type { Interruption } from './interrupt.ts';
import { Output } from './output.ts';

export interface CommandEdge {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Resolves with the user's first signal. */
  readonly interruption: Promise<Interruption>;
  /** One message to the user, on standard error. */
  complain(message: string): void;
}

/** The edge of this process. */
export function processEdge(): CommandEdge {
  const stderr = new Output(process.stderr);
  return {
    stdin: process.stdin,
    stdout: new Output(process.stdout),
    stderr,
    cwd: process.cwd(),
    env: process.env,
    interruption: firstInterruption(),
    complain: (message) => stderr.write(`turnpin-agent: ${message}\n`),
  };
}
