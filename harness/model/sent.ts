import { unchunked } from './chunked.ts';
import { bytesOf } from './bytes.ts';

/** What was really sent in answer to a request. */
export class Sent {
  readonly #parts: (string | Uint8Array | { readonly chunks: string })[] = [];

  /** A write; a text stands for its UTF-8. */
  add(what: string | Uint8Array): void {
    this.#parts.push(what);
  }

  /** Writes that went out together, as `chunked` makes them: one flat text, which costs little to keep. */
  addChunks(chunks: string): void {
    this.#parts.push({ chunks });
  }

  /** Length of each write, in bytes. */
  lengths(): number[] {
    return this.#writes().map((write) => write.length);
  }

  /** All of it. */
  bytes(): Uint8Array {
    return Buffer.concat(this.#writes());
  }

  #writes(): Uint8Array[] {
    return this.#parts.flatMap((part) =>
      typeof part === 'object' && 'chunks' in part ? unchunked(part.chunks) : [bytesOf(part)],
    );
  }
}
