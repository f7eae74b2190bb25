/** Waiting without polling: a condition is looked at again whenever something that it may depend on has changed. */

/** A wait that came to its deadline. */
export class DeadlineError extends Error {
  constructor(milliseconds: number) {
    super(`nothing came of it within ${milliseconds} ms`);
    this.name = 'DeadlineError';
  }
}

type Subscribe = (listener: () => void) => () => void;

/** Sources of change, and the signal that gives the whole run up. */
export class Watch {
  readonly #sources: readonly Subscribe[];
  readonly #signal: AbortSignal;

  constructor(sources: readonly Subscribe[], signal: AbortSignal) {
    this.#sources = sources;
    this.#signal = signal;
  }

  /**
   * Resolves once `condition` is true. Rejects with `DeadlineError`, with what `condition` throws, or with the signal's reason.
   * `deadline` is asked again after each change, so that a wait that has become hopeless can be cut short.
   */
  until(condition: () => boolean, deadline: () => number): Promise<void> {
    return new Promise((resolve, reject) => {
      const started = performance.now();
      let timer: NodeJS.Timeout | undefined;
      let undo: readonly (() => void)[] = [];
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        for (const off of undo) off();
        this.#signal.removeEventListener('abort', aborted);
        act();
      };
      const aborted = (): void => settle(() => reject(this.#signal.reason as Error));
      const look = (): void => {
        try {
          if (condition()) return settle(resolve);
        } catch (error) {
          return settle(() => reject(error as Error));
        }
        clearTimeout(timer);
        const limit = deadline();
        timer = setTimeout(
          () => settle(() => reject(new DeadlineError(limit))),
          Math.max(0, limit - (performance.now() - started)),
        );
      };
      if (this.#signal.aborted) return aborted();
      this.#signal.addEventListener('abort', aborted);
      undo = this.#sources.map((subscribe) => subscribe(look));
      look();
    });
  }

  /** The promise, unless the deadline or the signal comes first. */
  within<T>(work: Promise<T>, milliseconds: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const aborted = (): void => settle(() => reject(this.#signal.reason as Error));
      const timer = setTimeout(() => settle(() => reject(new DeadlineError(milliseconds))), milliseconds);
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        this.#signal.removeEventListener('abort', aborted);
        act();
      };
      if (this.#signal.aborted) aborted();
      else this.#signal.addEventListener('abort', aborted);
      work.then(
        (value) => settle(() => resolve(value)),
        (error: unknown) => settle(() => reject(error as Error)),
      );
    });
  }
}
