/** JSON-RPC over the lines of a process: requests find their answers, and every frame of both sides is recorded. */
import type { JsonValue } from '../scenario/scenario.ts';
import { field, isObject, stringField } from './event-view.ts';
import { isRpcId, type ExpectedAnswer, type FrameText, type RpcId } from './frame-text.ts';
import type { ShownRecord } from './shown-record.ts';

/** `null`: the process has ended without an answer. An error is `{error: {code, message, …}}`, anything else the result. */
export type Answer = JsonValue | null;

export interface WireListeners {
  readonly notified: (method: string, params: JsonValue) => void;
  /** What the subject asks its client; the result to answer with, or undefined where the client has no such method. */
  readonly asked: (method: string, params: JsonValue) => JsonValue | undefined;
}

interface Pending {
  readonly label: string | null;
  readonly settle: (answer: Answer) => void;
}

/** The driver's own ids begin here, so that a scenario's raw frames can have small ones. */
const FIRST_ID = 1_001;

export class RpcWire {
  readonly #record: ShownRecord;
  readonly #listeners: WireListeners;
  #write: (text: string) => void = () => {};
  #nextId = FIRST_ID;
  readonly #pending = new Map<RpcId, Pending>();
  /** Frames that get an error with a null id, in the order in which they were sent. */
  readonly #nameless: Pending[] = [];
  #unfinished = '';

  constructor(record: ShownRecord, listeners: WireListeners) {
    this.#record = record;
    this.#listeners = listeners;
  }

  /** From now on frames go to this process. */
  attach(write: (text: string) => void): void {
    this.#write = write;
    this.#unfinished = '';
  }

  /** Has everything that was asked been answered? */
  get answered(): boolean {
    return this.#pending.size === 0 && this.#nameless.length === 0;
  }

  /** Resolves to the answer; a label makes it one of the scenario's. */
  request(method: string, params: JsonValue, label: string | null = null): Promise<Answer> {
    const id = this.#nextId++;
    const answer = this.#expect({ by: 'id', id }, label);
    this.#send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return answer;
  }

  notify(method: string, params: JsonValue): void {
    this.#send(JSON.stringify({ jsonrpc: '2.0', method, params }));
  }

  /** Sends a scenario's own lines in one write; the first answer that they get is the label's. */
  raw(lines: readonly FrameText[], label: string | null): void {
    let unused = label;
    for (const { answer } of lines) {
      if (answer.by === 'nothing') continue;
      void this.#expect(answer, unused);
      unused = null;
    }
    this.#send(...lines.map(({ line }) => line));
  }

  /** Takes in standard output of the process. */
  take(text: string): void {
    const lines = (this.#unfinished + text).split('\n');
    this.#unfinished = lines.pop() ?? '';
    for (const line of lines) this.#frame(line);
  }

  /** The process has ended: nothing that it owes will come. */
  ended(): void {
    const owed = [...this.#pending.values(), ...this.#nameless.splice(0)];
    this.#pending.clear();
    for (const { settle } of owed) settle(null);
  }

  #expect(expected: Exclude<ExpectedAnswer, { by: 'nothing' }>, label: string | null): Promise<Answer> {
    return new Promise((settle) => {
      if (expected.by === 'id') this.#pending.set(expected.id, { label, settle });
      else this.#nameless.push({ label, settle });
    });
  }

  #send(...lines: readonly string[]): void {
    for (const text of lines) this.#record.frame({ from: 'client', text });
    this.#write(lines.map((line) => `${line}\n`).join(''));
  }

  #frame(line: string): void {
    this.#record.frame({ from: 'subject', text: line });
    const frame = parsed(line);
    if (frame === undefined || field(frame, 'jsonrpc') !== '2.0')
      return this.#violation(`a line of standard output is no JSON-RPC frame: ${line.slice(0, 200)}`);
    const [id, method] = [field(frame, 'id'), stringField(frame, 'method')];
    const params = field(frame, 'params') ?? {};
    if (method === null) this.#response(frame, id);
    else if (isRpcId(id)) this.#respond(id, method, params);
    else this.#listeners.notified(method, params);
  }

  #response(frame: JsonValue, id: JsonValue | undefined): void {
    const pending = isRpcId(id) ? this.#pending.get(id) : this.#nameless.shift();
    if (pending === undefined)
      return this.#violation(
        `it answered a request that nobody made: ${JSON.stringify(frame).slice(0, 200)}`,
      );
    if (isRpcId(id)) this.#pending.delete(id);
    const error = field(frame, 'error');
    const answer = error === undefined ? (field(frame, 'result') ?? {}) : { error };
    pending.settle(answer);
    if (pending.label === null) this.#record.touch();
    else this.#record.answer(pending.label, answer);
  }

  #respond(id: RpcId, method: string, params: JsonValue): void {
    const result = this.#listeners.asked(method, params);
    const body =
      result === undefined ? { error: { code: -32601, message: `Method not found: ${method}` } } : { result };
    this.#send(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
  }

  #violation(message: string): void {
    this.#record.violation({ kind: 'SUBJECT_PROTOCOL', message });
  }
}

/** The error of an answer, where it is one. */
export function errorOf(answer: Answer): { readonly code: number; readonly message: string } | null {
  const error = field(answer ?? undefined, 'error');
  const code = field(error, 'code');
  return isObject(error) && typeof code === 'number'
    ? { code, message: stringField(error, 'message') ?? '' }
    : null;
}

function parsed(line: string): JsonValue | undefined {
  try {
    return JSON.parse(line) as JsonValue;
  } catch {
    return undefined;
  }
}
