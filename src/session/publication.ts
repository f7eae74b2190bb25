/** What listeners receive, and the one FIFO queue that carries it (core.md, "Session log"). */
import type { CancelCause, InboxTarget, SessionEvent, UserMessage } from './events.ts';
import { messageOf } from './thrown.ts';

/** Whole-agent status (STATUS-1). */
export type AgentStatus = 'idle' | 'running';

/** Live-only notifications; never in the log. */
export type LiveNotification =
  | { readonly type: 'agent/queued'; readonly target: InboxTarget; readonly message: UserMessage }
  | { readonly type: 'agent/status'; readonly status: AgentStatus }
  | { readonly type: 'agent/error'; readonly error: Error; readonly turn?: number }
  | { readonly type: 'agent/turn-stop'; readonly turn: number }
  | { readonly type: 'agent/inbox/claimed'; readonly messages: readonly UserMessage[] }
  | {
      readonly type: 'agent/inbox/discarded';
      readonly messages: readonly UserMessage[];
      readonly cause: CancelCause | 'turn-stop';
    };

/** Durable events and live notifications come in one order, the order of recording. */
export type Published =
  | { readonly kind: 'event'; readonly event: SessionEvent }
  | { readonly kind: 'live'; readonly live: LiveNotification };

/** A listener that throws, or whose promise rejects, is reported and contained (STATUS-5). */
export type Listener = (published: Published) => unknown;

/** A listener failed. It changed no outcome; the rest were still told. */
export class ListenerError extends Error {
  readonly code = 'LISTENER_FAILED';
  readonly during: string;
  constructor(during: string, cause: unknown) {
    super(`A listener of ${during} failed: ${messageOf(cause)}`, {
      cause,
    });
    this.name = 'ListenerError';
    this.during = during;
  }
}

type Entry = Published | { readonly kind: 'task'; readonly run: () => void };

/**
 * One FIFO of publications and tasks. Whoever enters it first drains it; entries made meanwhile, by listeners too,
 * queue behind. So what a listener does is recorded at once and published after what came before.
 */
export class PublicationQueue {
  #entries: Entry[] = [];
  #depth = 0;
  readonly #listeners = new Set<Listener>();

  subscribe(listener: Listener): () => void {
    // A wrapper of its own, so that one function subscribed twice is two subscriptions.
    const entry: Listener = (published) => listener(published);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  push(published: Published): void {
    this.#entries.push(published);
    this.#drain();
  }

  /** Runs `run` once everything queued so far is published: at once where nothing is. */
  pushTask(run: () => void): void {
    this.#entries.push({ kind: 'task', run });
    this.#drain();
  }

  /** Holds publication back until `work` has returned, so that listeners see its records as one. */
  together<T>(work: () => T): T {
    this.#depth += 1;
    try {
      return work();
    } finally {
      this.#depth -= 1;
      this.#drain();
    }
  }

  #drain(): void {
    if (this.#depth > 0) return;
    this.#depth += 1;
    try {
      // Entries are appended while this loop runs, so it reads the length anew each time.
      for (let at = 0; at < this.#entries.length; at += 1) {
        const entry = this.#entries[at];
        if (entry !== undefined) this.#deliver(entry);
      }
    } finally {
      this.#entries = [];
      this.#depth -= 1;
    }
  }

  #deliver(entry: Entry): void {
    if (entry.kind === 'task') {
      entry.run();
      return;
    }
    for (const listener of [...this.#listeners]) this.#tell(listener, entry);
  }

  #tell(listener: Listener, published: Published): void {
    try {
      const returned = listener(published);
      if (returned instanceof Promise) returned.catch((error: unknown) => this.#report(published, error));
    } catch (error) {
      this.#report(published, error);
    }
  }

  /** A failure while an error was told is contained without another report, which could go on for ever. */
  #report(published: Published, cause: unknown): void {
    const during = published.kind === 'event' ? published.event.type : published.live.type;
    if (during === 'agent/error') return;
    this.push({ kind: 'live', live: { type: 'agent/error', error: new ListenerError(during, cause) } });
  }
}
