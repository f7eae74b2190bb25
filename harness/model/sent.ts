import { bytesOf } from './framing.ts';

/** What was really sent in answer to a request. */
export class Sent {
  readonly #writes: (string | Uint8Array)[] = [];

  /** Writes, in order; a text stands for its UTF-8. */
  add(writes: readonly (string | Uint8Array)[]): void {
    for (const what of writes) this.#writes.push(what);
  }

  /** Length of each write, in bytes. */
  lengths(): number[] {
    return this.#writes.map((what) => Buffer.byteLength(what));
  }

  /** All of it. */
  bytes(): Uint8Array {
    return Buffer.concat(this.#writes.map(bytesOf));
  }
}
