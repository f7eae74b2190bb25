/** Is a process that takes its tasks from standard input idle? Told from the events and the status that it prints. Pure. */
import { field, inserted, numberField, stringField } from './event-view.ts';
import type { RecordedEvent } from './subject.ts';

/**
 * Follows one session of a process. It is quiet when every line that was written has been taken in, nothing is queued, no turn is open
 * and the last status is idle: at no other point of the stream are all four true, since a message is recorded before the
 * status turns to running, and idle comes after the last turn's checkpoint.
 */
export class LineProgress {
  readonly #known = new Set<string>();
  #written = 0;
  #taken = 0;
  #queued = 0;
  #turnIsOpen = false;
  #running = false;

  /** `earlier`: the events of the session that is resumed; what they left queued starts nothing by itself (LOG-4). */
  constructor(earlier: readonly RecordedEvent[]) {
    for (const event of earlier) this.event(event);
    this.#taken = 0;
    this.#turnIsOpen = false;
  }

  get allTaken(): boolean {
    return this.#taken >= this.#written;
  }

  get hasTaken(): boolean {
    return this.#taken > 0;
  }

  get quiet(): boolean {
    const drained = this.#queued === 0 || this.#taken === 0;
    return this.allTaken && drained && !this.#turnIsOpen && !this.#running;
  }

  wrote(): void {
    this.#written += 1;
  }

  status(status: 'running' | 'idle'): void {
    this.#running = status === 'running';
  }

  event(event: RecordedEvent): void {
    switch (event.type) {
      case 'turn/start':
        this.#turnIsOpen = true;
        return;
      case 'turn/end':
        this.#turnIsOpen = false;
        return;
      case 'agent/inbox/spliced':
        if (stringField(event.data, 'target') === 'next-turn') this.#splice(event);
    }
  }

  #splice(event: RecordedEvent): void {
    const messages = inserted(event);
    this.#queued += messages.length - (numberField(event.data, 'removedCount') ?? 0);
    if (field(event.data, 'outcome') !== undefined) return;
    for (const { id, source } of messages) {
      if (source === 'user' && !this.#known.has(id)) this.#taken += 1;
      this.#known.add(id);
    }
  }
}
