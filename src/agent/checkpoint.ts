/** The durability barrier after a turn or maintenance, and what follows once it has settled (core.md, "Checkpoint"). */
import type { SessionLog } from '../session/log.ts';
import { moveLeftOvers } from '../session/repair.ts';
import { CheckpointError } from './errors.ts';
import type { Inbox } from './inbox.ts';

/**
 * Waits until everything recorded is on disk, or publishes that it is not known to be (TURN-4). Resolves to that failure's
 * message, null where there is none; never rejects. `told`: a failure that was published before and is not published again.
 */
export async function checkpoint(log: SessionLog, told: string | null = null): Promise<string | null> {
  try {
    await log.store.flush();
    return null;
  } catch (cause) {
    const error = new CheckpointError(cause);
    if (error.message !== told) log.notify({ type: 'agent/error', error });
    return error.message;
  }
}

/** Steering that is still waiting becomes ordinary input (STEER-4), or is cancelled where the terminal policy said so. */
export function settleLeftOvers(log: SessionLog, inbox: Inbox, discard: boolean): void {
  log.together(() => {
    if (discard) inbox.cancelLeftOvers();
    moveLeftOvers(log.state, log.append);
  });
}
