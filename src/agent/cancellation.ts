/** One `AbortSignal` for each turn and each maintenance (core.md, "Cancel"). */
import { setMaxListeners } from 'node:events';
import type { CancelCause } from '../session/events.ts';
import { CancelledError } from './errors.ts';

/** Work that can be cancelled. The first cause wins (CANCEL-9). */
export class Cancellable {
  readonly #controller = new AbortController();
  #cause: CancelCause | null = null;

  constructor() {
    // Each call that runs beside others listens, and so does what it waits for: more than Node takes for a leak.
    setMaxListeners(0, this.signal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }
  get cause(): CancelCause | null {
    return this.#cause;
  }

  cancel(cause: CancelCause): void {
    if (this.#cause !== null) return;
    this.#cause = cause;
    this.#controller.abort(new CancelledError(cause));
  }
}
