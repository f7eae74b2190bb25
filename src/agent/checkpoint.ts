/** The durability barrier after a turn or maintenance, and what follows once it has settled (core.md, "Checkpoint"). */
import type { SessionLog } from '../session/log.ts';
import { moveLeftOvers } from '../session/repair.ts';
import { CheckpointError } from './errors.ts';
import type { Inbox } from './inbox.ts';

/** Waits until everything recorded is on disk, or publishes that it is not known to be. Never rejects (TURN-4). */
export async function checkpoint(log: SessionLog): Promise<void> {
  try {
    await log.store.flush();
  } catch (error) {
    log.notify({ type: 'agent/error', error: new CheckpointError(error) });
  }
}

/** Steering that is still waiting becomes ordinary input (STEER-4), or is cancelled where the terminal policy said so. */
export function settleLeftOvers(log: SessionLog, inbox: Inbox, discard: boolean): void {
  log.together(() => {
    if (discard) inbox.cancelLeftOvers();
    moveLeftOvers(log.state, log.append);
  });
}
