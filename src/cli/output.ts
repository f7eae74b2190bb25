/** Standard output and standard error as a command uses them: nothing is cut, and a reader that left is no error. */
import fs from 'node:fs';
import { codeOf } from '../session/thrown.ts';

/**
 * How much may wait for a reader before its writer is held up, in bytes (4 MiB). What is under way then still comes on top:
 * a frame can be large.
 */
export const CROWDED = 4 * 1024 * 1024;

type StandardStream = NodeJS.WriteStream & { readonly fd: number };

/** Text that goes out in order. */
export class Output {
  readonly #stream: StandardStream;
  readonly #write: (text: string, done: () => void) => void;
  #open = true;
  #failure: Error | null = null;
  #written: Promise<void> = Promise.resolve();
  #held: (() => void)[] = [];
  /** Resolves when the reader has gone away. */
  readonly closed: Promise<void>;

  constructor(stream: StandardStream) {
    this.#stream = stream;
    this.closed = new Promise((resolve) => {
      stream.on('error', (error: Error) => {
        this.#open = false;
        // A reader that went away wants no more; there is nobody left to tell.
        if (codeOf(error) !== 'EPIPE') this.#failure ??= error;
        this.#letGo();
        resolve();
      });
    });
    this.#write = isFile(stream) ? (text, done) => this.#writeWhole(text, done) : stream.write.bind(stream);
  }

  /** Why output was lost, such as a disk that is full; null where none was, or nobody wanted it any more. */
  get failure(): Error | null {
    return this.#failure;
  }

  write(text: string): void {
    if (!this.#open || text === '') return;
    this.#written = new Promise((resolve) => {
      this.#write(text, () => {
        resolve();
        this.#letGo();
      });
    });
  }

  /** More waits for the reader than is good; whoever makes more of it should wait until it is `roomy()`. */
  get crowded(): boolean {
    return this.#open && this.#stream.writableLength > CROWDED;
  }

  /** Resolves once it is not crowded: at once, but for a reader that is slow. */
  roomy(): Promise<void> {
    return this.crowded ? new Promise((resolve) => this.#held.push(resolve)) : Promise.resolve();
  }

  /** Resolves once all that was written has left the process, or nobody reads any more. */
  flushed(): Promise<void> {
    return this.#written;
  }

  /** From now on whatever else in this process writes to the stream (`console.log` too) goes to `other`. */
  keepForItself(other: () => NodeJS.WriteStream): void {
    this.#stream.write = ((...args: Parameters<NodeJS.WriteStream['write']>) =>
      other().write(...args)) as NodeJS.WriteStream['write'];
  }

  #letGo(): void {
    if (!this.crowded) for (const go of this.#held.splice(0)) go();
  }

  /** Node's own stream for files takes a short write, as on a disk that is nearly full, for a whole one. */
  #writeWhole(text: string, done: () => void): void {
    try {
      fs.writeFileSync(this.#stream.fd, text);
    } catch (error) {
      this.#stream.emit('error', error);
    }
    done();
  }
}

function isFile({ fd }: StandardStream): boolean {
  try {
    return fs.fstatSync(fd).isFile();
  } catch {
    return false;
  }
}
