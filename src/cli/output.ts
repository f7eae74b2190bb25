/** Standard output and standard error as a command uses them: nothing is cut, and a reader that left is no error. */

/** Text that goes out in order. */
export class Output {
  readonly #stream: NodeJS.WriteStream;
  readonly #write: NodeJS.WriteStream['write'];
  #open = true;
  #written: Promise<void> = Promise.resolve();
  /** Resolves when the reader has gone away. */
  readonly closed: Promise<void>;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    this.#write = stream.write.bind(stream);
    this.closed = new Promise((resolve) => {
      // A reader that went away (EPIPE) wants no more; there is nobody left to tell.
      stream.on('error', () => {
        this.#open = false;
        resolve();
      });
    });
  }

  write(text: string): void {
    if (!this.#open || text === '') return;
    this.#written = new Promise((resolve) => {
      this.#write(text, () => resolve());
    });
  }

  /** Resolves once all that was written has left the process, or nobody reads any more. */
  flushed(): Promise<void> {
    return this.#written;
  }

  /** From now on whatever else in this process writes to the stream (`console.log` too) goes to `other`. */
  keepForItself(other: NodeJS.WriteStream): void {
    this.#stream.write = other.write.bind(other);
  }
}
