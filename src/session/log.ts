/** The append-only event log of one session (core.md, "Session log"; LOG-1). */
import { EventRefusedError } from './errors.ts';
import type { EventData, EventType, SessionEvent, SessionHeader } from './events.ts';
import { snapshotJson } from './json.ts';
import { PublicationQueue, type Listener, type LiveNotification } from './publication.ts';
import { SessionState } from './state.ts';
import type { SessionStore } from './store.ts';

/** Appends one event. The parts of a session that write events take this and nothing more. */
export type Append = <T extends EventType>(type: T, data: EventData[T]) => SessionEvent<T>;

/**
 * May refuse an event by returning why. It is not asked about what keeps a record balanced: changes of the inbox, a
 * committed answer's calls and results, and ends.
 */
export type PreCommitCheck = (event: {
  readonly type: EventType;
  readonly data: unknown;
}) => string | undefined;

export interface SessionLogParts {
  readonly header: SessionHeader;
  readonly store: SessionStore;
  /** Events that were read from the file, already in `state`. */
  readonly events?: readonly SessionEvent[];
  readonly state?: SessionState;
  readonly check?: PreCommitCheck | undefined;
  readonly now?: (() => Date) | undefined;
}

export class SessionLog {
  readonly header: SessionHeader;
  readonly store: SessionStore;
  readonly state: SessionState;
  readonly #events: SessionEvent[];
  readonly #queue = new PublicationQueue();
  readonly #check: PreCommitCheck | undefined;
  readonly #now: () => Date;

  constructor(parts: SessionLogParts) {
    this.header = parts.header;
    this.store = parts.store;
    this.state = parts.state ?? new SessionState();
    this.#events = [...(parts.events ?? [])];
    this.#check = parts.check;
    this.#now = parts.now ?? (() => new Date());
  }

  /** All events so far, oldest first. Grows in place. */
  get events(): readonly SessionEvent[] {
    return this.#events;
  }

  /**
   * Snapshots and freezes `data`, asks the check, commits, then publishes. From within a listener it commits at once
   * and is published after what came before.
   * @throws {NotJsonError} for data that JSON cannot carry; {EventRefusedError} where the check says no;
   * {ImpossibleEventError} for a caller's mistake. Nothing is recorded then.
   */
  readonly append: Append = <T extends EventType>(type: T, data: EventData[T]) => {
    const frozen = snapshotJson(data);
    const refusal = isBalance(type) ? undefined : this.#check?.({ type, data: frozen });
    if (refusal !== undefined) throw new EventRefusedError(type, refusal);
    const event = Object.freeze({
      type,
      seq: this.#events.length,
      time: this.#now().toISOString(),
      data: frozen,
    });
    this.#commit(event as unknown as SessionEvent);
    // Made from this very type and data; TypeScript cannot see that through the mapped type.
    return event as unknown as SessionEvent<T>;
  };

  /** Publishes a live notification behind everything recorded so far. */
  notify(live: LiveNotification): void {
    this.#queue.push({ kind: 'live', live: Object.freeze(live) });
  }

  /** Runs `work` and publishes what it recorded once it has returned. */
  together<T>(work: () => T): T {
    return this.#queue.together(work);
  }

  /** Runs `task` once everything recorded so far has been published: at once, unless a listener is the caller. */
  afterPublication(task: () => void): void {
    this.#queue.pushTask(task);
  }

  subscribe(listener: Listener): () => void {
    return this.#queue.subscribe(listener);
  }

  #commit(event: SessionEvent): void {
    this.#queue.together(() => {
      this.state.apply(event);
      this.#events.push(event);
      this.store.append(JSON.stringify(event));
      this.#queue.push({ kind: 'event', event });
    });
  }
}

function isBalance(type: EventType): boolean {
  switch (type) {
    case 'agent/inbox/spliced':
    case 'tool/call':
    case 'tool/result':
    case 'step/end':
    case 'turn/end':
      return true;
    default:
      return false;
  }
}
