/** An owned run: from a message's durable inbox receipt through the next whole-agent idle (seed 000; RUN-1..5). Pure. */
import type { AgentStatus } from '../agent/contract.ts';
import type { MessageId, SessionEvent, SessionId } from '../session/events.ts';

/**
 * What a run observed. It is broader than the message that began it: steering, context and other queued turns of the
 * interval are in it, and nothing here says which of them made the final response (RUN-3).
 */
export interface RunResult {
  readonly sessionId: SessionId;
  readonly messageId: MessageId;
  /** Text of the last assistant message of the interval; empty if that message has none, or none came. */
  readonly finalResponse: string;
  /** Everything that the session recorded in the interval, the receipt first. */
  readonly events: readonly SessionEvent[];
}

/** One fact of a session as it came over the wire. */
export type Observed =
  | { readonly kind: 'event'; readonly event: SessionEvent }
  | { readonly kind: 'status'; readonly status: AgentStatus };

/**
 * Gathers one run. Facts are taken in from before the request is sent, so that a receipt that arrives before the
 * response is not lost; once the message id is known, what came before the receipt is dropped, an earlier idle included.
 */
export class RunCollector {
  readonly #sessionId: SessionId;
  readonly #done: (result: RunResult) => void;
  #early: Observed[] = [];
  #messageId: MessageId | null = null;
  #events: SessionEvent[] = [];
  #finished = false;

  constructor(sessionId: SessionId, done: (result: RunResult) => void) {
    this.#sessionId = sessionId;
    this.#done = done;
  }

  observe(fact: Observed): void {
    if (this.#messageId === null) this.#early.push(fact);
    else this.#collect(fact, this.#messageId);
  }

  /** The response has come: this is the message to look for. */
  began(messageId: MessageId): void {
    this.#messageId = messageId;
    const early = this.#early;
    this.#early = [];
    for (const fact of early) this.#collect(fact, messageId);
  }

  #collect(fact: Observed, messageId: MessageId): void {
    if (this.#finished) return;
    if (fact.kind === 'event') {
      if (this.#events.length > 0 || isReceipt(fact.event, messageId)) this.#events.push(fact.event);
    } else if (fact.status === 'idle' && this.#events.length > 0) {
      this.#finished = true;
      this.#done({
        sessionId: this.#sessionId,
        messageId,
        finalResponse: lastAnswer(this.#events),
        events: this.#events,
      });
    }
  }
}

function isReceipt(event: SessionEvent, messageId: MessageId): boolean {
  return (
    event.type === 'agent/inbox/spliced' && event.data.inserted.some((message) => message.id === messageId)
  );
}

function lastAnswer(events: readonly SessionEvent[]): string {
  const last = events.findLast((event) => event.type === 'assistant/message');
  return last?.type === 'assistant/message' ? last.data.message.text : '';
}
