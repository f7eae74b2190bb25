/** Standard output and standard error as a command uses them: nothing is cut, and a reader that left is no error. */

/** Text that goes out in order. */
export class Output {
  readonly #stream: NodeJS.WriteStream;
  #open = true;
  #written: Promise<void> = Promise.resolve();

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    // A reader that went away (EPIPE) wants no more; there is nobody left to tell.
    stream.on('error', () => {
      this.#open = false;
    });
  }

  write(text: string): void {
    if (!this.#open || text === '') return;
    this.#written = new Promise((resolve) => {
      this.#stream.write(text, () => resolve());
    });
  }

  /** Resolves once all that was written has left the process, or nobody reads any more. */
  flushed(): Promise<void> {
    return this.#written;
  }
}
