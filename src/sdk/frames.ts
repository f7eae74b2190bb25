/** Bytes -> lines. Memory stays bounded whatever arrives. */

/** One line without its end, or the news that one was longer than the cap and has been dropped. */
export type Frame = { readonly kind: 'line'; readonly bytes: Buffer } | { readonly kind: 'too-long' };

const LINE_FEED = 0x0a;

/** Cuts a byte stream at line feeds. */
export class FrameReader {
  readonly #cap: number;
  #pieces: Buffer[] = [];
  #held = 0;
  /** The line being read is longer than the cap; its rest is skipped. */
  #skipping = false;

  /** `cap` counts bytes without the line end. */
  constructor(cap: number) {
    this.#cap = cap;
  }

  /** The frames that this piece completes, in order; an over-long one is told as soon as it is known to be so. */
  push(piece: Buffer): readonly Frame[] {
    const frames: Frame[] = [];
    let from = 0;
    for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, from)) {
      this.#take(piece.subarray(from, at), frames);
      this.#finish(frames);
      from = at + 1;
    }
    this.#take(piece.subarray(from), frames);
    return frames;
  }

  /** What stood behind the last line feed. */
  end(): readonly Frame[] {
    const frames: Frame[] = [];
    if (this.#held > 0) this.#finish(frames);
    return frames;
  }

  #take(bytes: Buffer, frames: Frame[]): void {
    if (this.#skipping || bytes.length === 0) return;
    if (this.#held + bytes.length > this.#cap) {
      this.#pieces = [];
      this.#held = 0;
      this.#skipping = true;
      frames.push({ kind: 'too-long' });
      return;
    }
    this.#pieces.push(bytes);
    this.#held += bytes.length;
  }

  #finish(frames: Frame[]): void {
    if (!this.#skipping) frames.push({ kind: 'line', bytes: Buffer.concat(this.#pieces) });
    this.#pieces = [];
    this.#held = 0;
    this.#skipping = false;
  }
}
