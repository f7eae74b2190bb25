/** Frames as bytes: server-sent events, or the elements of a JSON array. */
import type { Frame } from './wires/wire.ts';

/** Writes frames one after the other; an array needs to know which is the first. */
export class FrameWriter {
  readonly #kind: 'events' | 'array';
  readonly #lineEnd: string;
  #count = 0;

  constructor(kind: 'events' | 'array', crlf: boolean) {
    this.#kind = kind;
    this.#lineEnd = crlf ? '\r\n' : '\n';
  }

  frames(frames: readonly Frame[]): string {
    let text = '';
    for (const frame of frames) text += this.#frame(frame);
    return text;
  }

  /** What comes after the last frame. */
  end(): string {
    return this.#kind === 'array' ? (this.#count === 0 ? '[]' : ']') : '';
  }

  /** Something that keeps a connection alive and says nothing. */
  keepAlive(): string {
    return this.#kind === 'array' ? this.#lineEnd : `: keep-alive${this.#lineEnd}${this.#lineEnd}`;
  }

  /** A line that belongs to no protocol, as a proxy in between writes it. */
  junk(): string {
    return `upstream connect error or disconnect before headers${this.#lineEnd}${this.#lineEnd}`;
  }

  /** Frames whose JSON ends in the middle. */
  badJson(frames: readonly Frame[]): string {
    return this.frames(
      frames.map(({ event, data }) => ({ event, data: data.slice(0, Math.ceil(data.length / 2)) })),
    );
  }

  #frame({ event, data }: Frame): string {
    this.#count += 1;
    if (this.#kind === 'array') return `${this.#count === 1 ? '[' : `,${this.#lineEnd}`}${data}`;
    const name = event === null ? '' : `event: ${event}${this.#lineEnd}`;
    return `${name}data: ${data}${this.#lineEnd}${this.#lineEnd}`;
  }
}
