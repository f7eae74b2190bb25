/** One `AbortSignal` for each turn and each maintenance (core.md, "Cancel"). */
import type { CancelCause } from '../session/events.ts';
import { CancelledError } from './errors.ts';

/** Work that can be cancelled. The first cause wins (CANCEL-9). */
export class Cancellable {
  readonly #controller = new AbortController();
  #cause: CancelCause | null = null;

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

/**
 * What `work` gives, or a rejection with the signal's reason as soon as it is aborted: nobody waits for work that does
 * not heed its signal. Its late result or error goes nowhere.
 */
export async function untilAborted<T>(work: T | PromiseLike<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    const result = await Promise.race([work, aborted]);
    signal.throwIfAborted();
    return result;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
