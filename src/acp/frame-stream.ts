/**
 * Lines -> the message stream that the protocol's SDK works on, and back. In between stands what the SDK leaves open: a
 * frame over the cap is refused and later ones are served, an id is never invented, messages are handed over one after the
 * other, and at the end it can be told whether every request has been answered.
 */
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { FrameReader } from '../sdk/frames.ts';
import type { Frame } from '../sdk/frames.ts';
import { FRAME_CAP, RPC_ERROR } from '../sdk/protocol.ts';
import { errorLine, parseMessage } from '../sdk/rpc.ts';

export class FrameStream {
  readonly #send: (line: string) => void;
  readonly #frames = new FrameReader(FRAME_CAP);
  readonly #read: AnyMessage[] = [];
  #wake: () => void = () => {};
  #unanswered = 0;
  #waiting: { readonly met: () => boolean; readonly resolve: () => void }[] = [];
  /** What the SDK's connection is made with. */
  readonly stream: Stream;

  /** `send` takes one line with its end. */
  constructor(send: (line: string) => void) {
    this.#send = send;
    this.stream = {
      readable: new ReadableStream<AnyMessage>({ pull: (to) => this.#hand(to) }, { highWaterMark: 0 }),
      writable: new WritableStream<AnyMessage>({ write: (message) => this.#write(message) }),
    };
  }

  /** Takes in bytes from the client; resolves once all whole frames of them have been handed over. */
  receive(bytes: Buffer): Promise<void> {
    for (const frame of this.#frames.push(bytes)) this.#take(frame);
    return this.#settled(() => this.#read.length === 0);
  }

  /** The client's input has ended; what stood behind the last line end is taken in. Resolves once all is handed over. */
  end(): Promise<void> {
    for (const frame of this.#frames.end()) this.#take(frame);
    return this.#settled(() => this.#read.length === 0);
  }

  /** Resolves once every request that was read has been answered. */
  answered(): Promise<void> {
    return this.#settled(() => this.#read.length === 0 && this.#unanswered === 0);
  }

  #take(frame: Frame): void {
    if (frame.kind === 'too-long') {
      this.#refuse(null, RPC_ERROR.invalidRequest, `a frame is longer than ${FRAME_CAP} bytes`);
      return;
    }
    const message = parseMessage(frame.bytes);
    switch (message.kind) {
      case 'request':
        this.#unanswered += 1;
        this.#push({
          jsonrpc: '2.0',
          id: message.id,
          method: message.method,
          ...given('params', message.params),
        });
        return;
      case 'notification':
        this.#push({ jsonrpc: '2.0', method: message.method, ...given('params', message.params) });
        return;
      case 'response':
        // The SDK judges whether it is one that it waits for, and whether it is well made.
        this.#push({
          jsonrpc: '2.0',
          id: message.id,
          ...given('result', message.result),
          ...given('error', message.error),
        } as AnyMessage);
        return;
      case 'invalid':
        this.#send(errorLine(message.id, message.error));
        return;
      case 'blank':
        return;
    }
  }

  #refuse(id: null, code: number, what: string): void {
    this.#send(errorLine(id, { code, message: `Invalid request: ${what}.` }));
  }

  #push(message: AnyMessage): void {
    this.#read.push(message);
    this.#wake();
  }

  /** One message a round of the event loop, so that each has reached its handler before the next one is looked at. */
  async #hand(to: ReadableStreamDefaultController<AnyMessage>): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#read.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    const message = this.#read.shift();
    if (message !== undefined) to.enqueue(message);
    if (this.#read.length === 0) setImmediate(() => this.#wakeWaiting());
  }

  #write(message: AnyMessage): void {
    this.#send(`${JSON.stringify(message)}\n`);
    if ('method' in message) return;
    this.#unanswered -= 1;
    this.#wakeWaiting();
  }

  #settled(met: () => boolean): Promise<void> {
    return met() ? Promise.resolve() : new Promise((resolve) => this.#waiting.push({ met, resolve }));
  }

  #wakeWaiting(): void {
    for (const { resolve } of this.#waiting.filter(({ met }) => met())) resolve();
    this.#waiting = this.#waiting.filter(({ met }) => !met());
  }
}

function given<K extends string>(key: K, value: unknown): { [P in K]?: unknown } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: unknown });
}
