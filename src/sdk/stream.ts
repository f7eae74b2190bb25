/** Values that arrive -> an async iterable. */

/** Holds what was pushed until somebody reads it. One reader. */
export class Stream<T> implements AsyncIterableIterator<T> {
  #held: T[] = [];
  #waiting: ((result: IteratorResult<T>) => void)[] = [];
  #failing: ((error: Error) => void)[] = [];
  #closed = false;
  #error: Error | null = null;
  readonly #onReturn: () => void;

  /** `onReturn` is called once, when the reader has left or the stream has ended. */
  constructor(onReturn: () => void) {
    this.#onReturn = onReturn;
  }

  push(value: T): void {
    if (this.#closed) return;
    const reader = this.#waiting.shift();
    this.#failing.shift();
    if (reader === undefined) this.#held.push(value);
    else reader({ value, done: false });
  }

  /** No more values come; with an error, the reader is told after the last value. */
  close(error: Error | null = null): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#error = error;
    for (const reader of this.#waiting.splice(0))
      if (error === null) reader({ value: undefined, done: true });
    for (const fail of this.#failing.splice(0)) if (error !== null) fail(error);
    this.#onReturn();
  }

  next(): Promise<IteratorResult<T>> {
    const [value] = this.#held.splice(0, 1);
    if (value !== undefined) return Promise.resolve({ value, done: false });
    if (this.#error !== null) {
      const error = this.#error;
      this.#error = null;
      return Promise.reject(error);
    }
    if (this.#closed) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => {
      this.#waiting.push(resolve);
      this.#failing.push(reject);
    });
  }

  return(): Promise<IteratorResult<T>> {
    this.#held = [];
    this.close();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
