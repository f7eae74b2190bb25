/** A response body that a carrier fills while a client reads it, in process. */

/** Chunks reach the reader one by one, and an end or an error only after them, as on a socket. */
export class BodyStream {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #queue: Uint8Array[] = [];
  #ending: 'none' | 'closed' | { readonly error: unknown } = 'none';
  #wake: () => void = () => {};
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null;

  /** `onCancel`: the reader has gone away. */
  constructor(onCancel: () => void) {
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: (controller) => this.#pull(controller),
        cancel: () => {
          this.#ending = 'closed';
          this.#queue.length = 0;
          this.#wake();
          onCancel();
        },
      },
      { highWaterMark: 0 },
    );
  }

  push(bytes: Uint8Array): void {
    this.#queue.push(bytes);
    this.#wake();
  }

  close(): void {
    this.#end('closed');
  }

  /** The reader gets what was pushed, then the error. */
  fail(error: unknown): void {
    this.#end({ error });
  }

  /** The reader gets the error at once, whatever was pushed. */
  abort(reason: unknown): void {
    this.#queue.length = 0;
    this.#end({ error: reason });
    this.#controller?.error(reason);
  }

  #end(ending: 'closed' | { readonly error: unknown }): void {
    if (this.#ending === 'none') this.#ending = ending;
    this.#wake();
  }

  #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> | undefined {
    const next = this.#queue.shift();
    if (next !== undefined) controller.enqueue(next);
    else if (this.#ending === 'closed') controller.close();
    else if (this.#ending !== 'none') controller.error(this.#ending.error);
    else return this.#more().then(() => this.#pull(controller));
    return undefined;
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
