/**
 * One prompt at a time of one session, and what becomes of it (seed 000; ACP-1..7). Pure: it is fed with what the session
 * records. This is the one place that may map a message to a turn, and only to attribute a model error to its prompt.
 */
import type { EventData, MessageId, SessionEvent, TurnEndReason } from '../session/events.ts';

/** What the core can say for a prompt at whole-agent idle; a token limit is an `end_turn` too (ACP-3). */
export type PromptOutcome = 'end_turn' | 'cancelled';

/** How the turn that claimed a prompt failed. */
export type PromptFailure = Extract<TurnEndReason, { readonly kind: 'error' }>;

interface Slot {
  readonly messageId: MessageId;
  readonly fail: (failure: PromptFailure) => void;
  /** The turn that claimed the message; null while none has. */
  claimedBy: number | null;
  cancelled: boolean;
}

export class PromptLane {
  /** Ordinary messages that wait, so that it can be told whose removal a splice is. */
  readonly #waiting: MessageId[] = [];
  #turn = 0;
  #slot: Slot | null = null;

  /** Is a prompt in flight? */
  get busy(): boolean {
    return this.#slot !== null;
  }

  /**
   * Takes the slot, before the message is sent. The promise resolves, and never rejects, when the prompt's own turn records
   * an error that the client has not preceded with a cancel; the slot is free then (ACP-4).
   */
  begin(messageId: MessageId): Promise<PromptFailure> {
    return new Promise((resolve) => {
      this.#slot = { messageId, claimedBy: null, cancelled: false, fail: resolve };
    });
  }

  /** The client has cancelled, or the session is being disposed: the prompt in flight ends as cancelled, at idle (ACP-5). */
  cancel(): void {
    if (this.#slot !== null) this.#slot.cancelled = true;
  }

  /** Settles what `begin` has begun, at whole-agent idle, and frees the slot. A prompt that no turn claimed is cancelled. */
  settle(): PromptOutcome {
    const slot = this.#slot;
    this.#slot = null;
    return slot === null || slot.cancelled || slot.claimedBy === null ? 'cancelled' : 'end_turn';
  }

  /** Every event of the session, from its first one, in order. */
  observe(event: SessionEvent): void {
    switch (event.type) {
      case 'turn/start':
        this.#turn = event.data.turn;
        return;
      case 'agent/inbox/spliced':
        if (event.data.target === 'next-turn') this.#splice(event.data);
        return;
      case 'turn/end':
        this.#endTurn(event.data);
        return;
      default:
        return;
    }
  }

  #splice({ start, removedCount = 0, inserted, outcome }: EventData['agent/inbox/spliced']): void {
    const removed = this.#waiting.splice(start, removedCount, ...inserted.map(({ id }) => id));
    const slot = this.#slot;
    // A removal without outcome is a claim.
    if (slot !== null && outcome === undefined && removed.includes(slot.messageId))
      slot.claimedBy = this.#turn;
  }

  #endTurn({ turn, reason }: EventData['turn/end']): void {
    const slot = this.#slot;
    if (slot === null || slot.claimedBy !== turn || slot.cancelled || reason.kind !== 'error') return;
    this.#slot = null;
    slot.fail(reason);
  }
}
