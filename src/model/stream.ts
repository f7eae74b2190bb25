/** Decoding a chat-completions stream: bytes to an answer. Knows nothing of HTTP. */
import { createParser, type EventSourceParser, type ParseError } from 'eventsource-parser';
import type { AssistantChunk, FinishReason, Usage } from '../session/events.ts';
import { AnswerBuilder } from './answer.ts';
import { streamError, vendorError, type Redact } from './errors.ts';
import type { ModelAnswer, ModelError } from './model.ts';
import { readUsage, readWireChunk, type WireChunk } from './wire-chunk.ts';

/** The longest single event, and the most of a whole answer, that is held in memory, in UTF-16 units. */
const LARGEST_EVENT = 16 * 1024 * 1024;
const LARGEST_ANSWER = 64 * 1024 * 1024;

const DONE_AT_THE_END = /(?:^|[\r\n])data: ?\[DONE\]\s*$/;

/**
 * Feeds on the stream's bytes in pieces of any size. Comments, `event:`, `id:` and `retry:` lines, chunks without
 * choices and a missing blank line after `[DONE]` are furniture and do no harm; a plain-text line, an error object
 * and a missing finish reason fail the attempt (TURN-11). Failures are retryable only while nothing was visible.
 */
export class StreamDecoder {
  readonly #text = new TextDecoder();
  readonly #parser: EventSourceParser;
  readonly #answer: AnswerBuilder;
  readonly #redact: Redact;
  #finish: Exclude<FinishReason, 'tool-calls'> | null = null;
  #usage: Usage | undefined;
  #failure: ModelError | null = null;
  #done = false;
  #size = 0;
  #events = 0;

  constructor(emit: (chunk: AssistantChunk) => void, redact: Redact) {
    this.#answer = new AnswerBuilder(emit);
    this.#redact = redact;
    this.#parser = createParser({
      maxBufferSize: LARGEST_EVENT,
      onEvent: (event) => {
        this.#onData(event.data);
      },
      onError: (error) => {
        this.#onParseError(error);
      },
    });
  }

  /** Did `[DONE]` come? Whatever follows it is none of ours. */
  get done(): boolean {
    return this.#done;
  }

  /** Counts the events that carried something, so that a stall can be told from keep-alive comments. */
  get events(): number {
    return this.#events;
  }

  get visible(): boolean {
    return this.#answer.visible;
  }

  /** Is the answer whole, even if the connection breaks now? */
  get finished(): boolean {
    return this.#finish !== null;
  }

  /** Throws the `ModelError` of the first thing that was wrong. */
  feed(bytes: Uint8Array): void {
    this.#feedText(this.#text.decode(bytes, { stream: true }));
    if (this.#failure !== null) throw this.#failure;
  }

  /** The stream has ended, cleanly or, once finished, not. Throws `ModelError` where no finish reason has come. */
  end(): ModelAnswer {
    if (this.#failure !== null) throw this.#failure;
    const wasFinished = this.finished;
    // The last event may lack its blank line.
    this.#feedText(`${this.#text.decode()}\n\n`);
    // A scrap at the end of an answer that was whole before it costs nothing.
    if (this.#failure !== null && !wasFinished) throw this.#failure;
    if (this.#finish === null) {
      throw this.#fail('STREAM_ENDED', 'The answer ended without a finish reason, so it may be cut');
    }
    return this.#answer.finish(this.#finish, this.#usage);
  }

  #feedText(text: string): void {
    if (this.#done || text === '') return;
    this.#size += text.length;
    if (this.#size > LARGEST_ANSWER) {
      this.#failure = this.#fail(
        'ANSWER_TOO_LARGE',
        `The answer is larger than ${String(LARGEST_ANSWER)} characters`,
      );
      return;
    }
    this.#parser.feed(text);
    // Some servers leave out the blank line after the mark, and keep the connection open.
    if (this.finished && DONE_AT_THE_END.test(text)) this.#done = true;
  }

  #onData(data: string): void {
    if (this.#done || this.#failure !== null || data.trim() === '') return;
    this.#events += 1;
    if (data.trim() === '[DONE]') {
      this.#done = true;
      return;
    }
    const chunk = readWireChunk(data);
    if (chunk === undefined) {
      this.#failure = this.#fail(
        'STREAM_MALFORMED',
        `The answer holds an event that is no completion chunk: ${quote(data)}`,
      );
    } else if (chunk.error !== undefined && chunk.error !== null) {
      const said = vendorError(JSON.stringify({ error: chunk.error })).message;
      this.#failure = this.#fail(
        'STREAM_ERROR',
        `The model endpoint reported an error in the middle of the answer: ${said}`,
      );
    } else {
      this.#onChunk(chunk);
    }
  }

  #onChunk(chunk: WireChunk): void {
    if (chunk.usage !== null && chunk.usage !== undefined) this.#usage = readUsage(chunk.usage);
    const choice = chunk.choices?.find(({ index }) => (index ?? 0) === 0);
    if (choice === undefined) return;
    if (choice.delta !== null && choice.delta !== undefined) this.#answer.add(choice.delta);
    if (choice.finish_reason !== null && choice.finish_reason !== undefined)
      this.#onFinish(choice.finish_reason);
  }

  #onFinish(reason: string): void {
    switch (reason) {
      case 'stop':
      case 'tool_calls':
      case 'function_call':
        this.#finish = 'stop';
        return;
      case 'length':
        this.#finish = 'length';
        return;
      case 'content_filter':
        this.#finish = 'content-filter';
        return;
      case 'insufficient_system_resource':
        this.#failure = this.#fail(
          'INSUFFICIENT_RESOURCES',
          'The model endpoint ran out of resources and broke off the answer',
        );
        return;
      default:
        this.#failure = this.#fail(
          'STREAM_MALFORMED',
          `The answer ended for an unknown reason: ${quote(reason)}`,
        );
    }
  }

  #onParseError(error: ParseError): void {
    if (this.#done || this.#failure !== null) return;
    switch (error.type) {
      case 'invalid-retry':
        return;
      case 'max-buffer-size-exceeded':
        this.#failure = this.#fail(
          'ANSWER_TOO_LARGE',
          `One event of the answer is larger than ${String(LARGEST_EVENT)} characters`,
        );
        return;
      case 'unknown-field':
        this.#failure = this.#fail(
          'STREAM_MALFORMED',
          `The answer holds a line that is no event stream: ${quote(error.line ?? '')}`,
        );
    }
  }

  #fail(code: string, message: string): ModelError {
    return streamError(code, this.#redact(message), !this.#answer.visible);
  }
}

function quote(text: string): string {
  return JSON.stringify(text.length <= 200 ? text : `${text.slice(0, 200)}…`);
}
