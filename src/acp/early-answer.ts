/**
 * The bridge, but for an editor's first question: that is answered before the protocol's package is loaded, which takes longer
 * than all the rest of a start. The package hears the question too, and its answer, which is the same, is not sent again.
 */
import { parseMessage, resultLine } from '../sdk/rpc.ts';
import { messageOf } from '../session/thrown.ts';
import type { AcpBridge } from './bridge.ts';
import { initializeResponse } from './initialize.ts';

export interface EarlyAnswerParts {
  /** Loads the bridge, which sends its lines by `send`. */
  readonly load: (send: (line: string) => void) => Promise<AcpBridge>;
  /** Sends one line. */
  readonly send: (line: string) => void;
  /** Tells the operator; never the client. */
  readonly report: (message: string) => void;
  readonly version: string;
}

const LINE_END = 0x0a;

export class EarlyAnswer {
  readonly #parts: EarlyAnswerParts;
  #bridge: Promise<AcpBridge> | null = null;
  #loaded: AcpBridge | null = null;
  /** The protocol has no words for the end of a server. */
  readonly ended: Promise<void> = new Promise(() => {});

  constructor(parts: EarlyAnswerParts) {
    this.#parts = parts;
  }

  /** Takes in bytes from the client; resolves once each whole frame has been handed over. */
  async receive(bytes: Buffer): Promise<void> {
    this.#bridge ??= this.#load(this.#answer(bytes));
    return (await this.#bridge).receive(bytes);
  }

  /** The client's input has ended: answers what was read, disposes every session. Idempotent. */
  async close(): Promise<void> {
    await (await this.#bridge)?.close();
  }

  /** False when a session's last flush has failed. */
  get saved(): boolean {
    return this.#loaded?.saved ?? true;
  }

  /** Answers the first frame, where all of it is there and the package would answer it too; returns what was sent. */
  #answer(bytes: Buffer): string | null {
    const end = bytes.indexOf(LINE_END);
    if (end < 0) return null;
    const message = parseMessage(bytes.subarray(0, end));
    if (message.kind !== 'request' || message.method !== 'initialize' || !isAnswered(message.params))
      return null;
    const line = resultLine(message.id, initializeResponse(this.#parts.version));
    this.#parts.send(line);
    return line;
  }

  async #load(sent: string | null): Promise<AcpBridge> {
    let known = sent;
    const send = (line: string): void => {
      if (line === known) known = null;
      else this.#parts.send(line);
    };
    try {
      this.#loaded = await this.#parts.load(send);
      return this.#loaded;
    } catch (error) {
      this.#parts.report(`the protocol could not be loaded: ${messageOf(error)}`);
      throw error;
    }
  }
}

/** Of its parameters the protocol insists on the version alone: whatever else is malformed counts as left out. */
function isAnswered(params: unknown): boolean {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return false;
  const version: unknown = Reflect.get(params, 'protocolVersion');
  return typeof version === 'number' && Number.isInteger(version) && version >= 0 && version <= 65_535;
}
