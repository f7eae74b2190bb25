/** What went wrong in an interval, if anything did: a goal does not go on after that (GOAL-4, GOAL-5). Pure. */
import type { Published } from '../agent/contract.ts';
import type { TurnEndReason } from '../session/events.ts';

/** Watches the whole agent, from idle to idle; no message is told apart from another. */
export class IntervalFate {
  #fault: string | null = null;

  /** Takes in one publication. */
  observe(published: Published): void {
    if (published.kind === 'event') {
      const { event } = published;
      if (event.type === 'turn/end') this.#fault ??= faultOf(event.data.reason);
      return;
    }
    const { live } = published;
    if (live.type !== 'agent/inbox/discarded') return;
    const cancelled = live.cause !== 'turn-stop' && live.cause !== 'disposed';
    if (cancelled) this.#fault ??= `cancelled (${live.cause})`;
  }

  /** The first fault of the interval that has ended; another one begins. */
  take(): string | null {
    const fault = this.#fault;
    this.#fault = null;
    return fault;
  }
}

function faultOf(reason: TurnEndReason): string | null {
  switch (reason.kind) {
    case 'completed':
    case 'interrupted':
    case 'rejected':
      // A round that was not admitted is the admission's affair; a person's message that was not stops no goal.
      return null;
    case 'max-tokens':
      return 'an answer reached the token ceiling';
    case 'aborted':
      // A goal outlives its process.
      return reason.cause === 'disposed' ? null : `cancelled (${reason.cause})`;
    case 'error':
      return `a turn failed: ${reason.message}`;
  }
}
