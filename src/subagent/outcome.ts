/** How a child ended, told from the events of one epoch or of one isolated run (SETTLE-4, CHILD-1). Pure. */
import type { SessionEvent, TurnEndReason } from '../session/events.ts';

/** The stop reason of an isolated run (core.md, "Subagents"). */
export type StopReason = 'completed' | 'aborted' | 'error' | 'max-tokens' | 'refusal';

/** How an epoch ended. `torn-down`: its parent was disposed; `interrupted`: the process died. */
export type Outcome =
  | { readonly kind: 'completed' | 'aborted' | 'max-tokens' | 'torn-down' | 'interrupted' }
  | { readonly kind: 'error' | 'refusal'; readonly message: string };

/** What the events of an epoch come to. */
export interface Ending {
  readonly outcome: Outcome;
  /** The last assistant text that is not empty; null where there is none (SETTLE-3, SETTLE-4). */
  readonly text: string | null;
}

/**
 * `events` are those of the epoch alone, so that an earlier one's words are never repeated. `failure` is the error that
 * was published outside any turn, where there was one.
 */
export function endingOf(events: readonly SessionEvent[], failure: Error | null): Ending {
  return { outcome: outcomeOf(events, failure), text: closingText(events) };
}

/** The stop reason that an outcome comes to. */
export function stopReasonOf({ kind }: Outcome): StopReason {
  switch (kind) {
    case 'completed':
    case 'aborted':
    case 'error':
    case 'max-tokens':
    case 'refusal':
      return kind;
    case 'torn-down':
    case 'interrupted':
      return 'aborted';
  }
}

function outcomeOf(events: readonly SessionEvent[], failure: Error | null): Outcome {
  const last = events.findLast((event) => event.type === 'turn/end' || cancelsOrdinaryInput(event));
  if (last?.type === 'turn/end') return outcomeOfTurn(last.data.reason, events);
  // A turn that could not even start leaves a cancelled message too; what was published tells the two apart.
  if (failure !== null) return { kind: 'error', message: failure.message };
  if (last !== undefined) return { kind: 'aborted' };
  return { kind: 'error', message: 'it ended before its first turn' };
}

function outcomeOfTurn(reason: TurnEndReason, events: readonly SessionEvent[]): Outcome {
  switch (reason.kind) {
    case 'completed':
    case 'max-tokens':
    case 'aborted':
    case 'interrupted':
      return { kind: reason.kind };
    case 'rejected':
      return { kind: 'refusal', message: blockReason(events) };
    case 'error':
      return {
        kind: reason.code === 'CONTENT_FILTER' ? 'refusal' : 'error',
        message: reason.message,
      };
  }
}

/** Accepted work that was dropped before any turn took it. */
function cancelsOrdinaryInput(event: SessionEvent): boolean {
  return (
    event.type === 'agent/inbox/spliced' &&
    event.data.target === 'next-turn' &&
    event.data.outcome === 'cancelled'
  );
}

function blockReason(events: readonly SessionEvent[]): string {
  const blocked = events.findLast((event) => event.type === 'prompt/blocked');
  return blocked?.type === 'prompt/blocked' ? blocked.data.reason : 'its task was not admitted';
}

function closingText(events: readonly SessionEvent[]): string | null {
  const last = events.findLast(
    (event) => event.type === 'assistant/message' && event.data.message.text.trim() !== '',
  );
  return last?.type === 'assistant/message' ? last.data.message.text : null;
}
