/** What was really sent in answer to a request. */
export class Sent {
  readonly #parts: (string | Uint8Array)[] = [];
  /** Length of each write, in bytes. */
  readonly writes: number[] = [];

  /** Writes, in order; a text stands for its UTF-8. Kept as one flat text, which costs the least to keep. */
  add(writes: readonly (string | Uint8Array)[]): void {
    for (const what of writes) this.writes.push(Buffer.byteLength(what));
    if (writes.every((what) => typeof what === 'string')) this.#parts.push(writes.join(''));
    else this.#parts.push(...writes);
  }

  /** All of it. */
  bytes(): Uint8Array {
    return Buffer.concat(
      this.#parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'utf8') : part)),
    );
  }
}
