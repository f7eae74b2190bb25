/** A server on this process's standard input and output: what `serve` and `acp` have in common. */
import type { CommandEdge } from './edge.ts';
import { EXIT } from './interval.ts';
import type { Output } from './output.ts';

export interface StdioService {
  /** Takes in bytes from the client; resolves once more of them can be taken in. Never rejects. */
  receive(bytes: Buffer): Promise<void>;
  /** The client's input has ended, or nobody reads any more: answers what was read, disposes every session. */
  close(): Promise<void>;
  /** Resolves when the client has asked the server to end; never where the protocol has no words for that. */
  readonly ended: Promise<void>;
  /** False when a session's last flush has failed. */
  readonly saved: boolean;
}

/**
 * Serves until the client ends it, the end of input, a signal, or a client that reads no more; resolves to the exit code
 * once every session is on disk and every frame has left. While the client is slow to read, no more is read of what it
 * asks: the answers would only pile up.
 */
export async function serveStdio(service: StdioService, output: Output, edge: CommandEdge): Promise<number> {
  const { stdin } = edge;
  let serving = true;
  const takeIn = async (): Promise<void> => {
    for await (const bytes of stdin) {
      if (!serving) return;
      await service.receive(bytes as Buffer);
      await output.roomy();
    }
  };
  // Input that breaks off has ended.
  const inputEnded = takeIn().catch(() => {});
  const interrupted = edge.interruption.then(() => 'interrupted' as const);
  const how = await Promise.race([service.ended, inputEnded, output.closed, interrupted]);
  serving = false;
  await service.close();
  await output.flushed();
  if (how === 'interrupted') return EXIT.interrupted;
  return service.saved ? EXIT.completed : EXIT.notCompleted;
}
