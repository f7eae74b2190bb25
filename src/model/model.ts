/**
 * What the loop asks of a model, whatever wire it speaks. One implementation: `chat-completions.ts`.
 */
import type {
  AssistantChunk,
  AssistantMessage,
  FinishReason,
  HistoryMessage,
  Json,
  RequestHeader,
  ToolSchema,
  Usage,
} from '../session/events.ts';

export type { HistoryMessage } from '../session/events.ts';

/** A whole model request. The header part is REQ-2's, the history REQ-3's. */
export interface ModelRequest {
  readonly systemPrompt: string;
  readonly tools: readonly ToolSchema[];
  readonly history: readonly HistoryMessage[];
  /** Overrides for a side request such as a title (body fields, for example `max_tokens`). */
  readonly parameters?: { readonly [key: string]: Json };
}

/** A successful attempt: what was collected from the stream. */
export interface ModelAnswer {
  readonly message: AssistantMessage;
  readonly finish: FinishReason;
  readonly usage?: Usage;
}

/**
 * A failed attempt. `retryable` is the built-in decision (408, 409, 429, 5xx, a connection that broke before
 * anything visible arrived); `retryAfterMs` what a sane `Retry-After` said.
 */
export class ModelError extends Error {
  readonly code: string;
  readonly status: number | undefined;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  constructor(
    message: string,
    facts: {
      code: string;
      status?: number | undefined;
      retryable: boolean;
      retryAfterMs?: number | undefined;
      cause?: unknown;
    },
  ) {
    super(message, { cause: facts.cause });
    this.name = 'ModelError';
    this.code = facts.code;
    this.status = facts.status;
    this.retryable = facts.retryable;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

export interface Model {
  /** The header that `request` would be sent with, without credentials. Pure. */
  header(request: ModelRequest): RequestHeader;
  /**
   * One attempt, no retries. Calls `onChunk` for each piece in wire order, synchronously with its arrival.
   * Rejects with `ModelError` on failure, or with `signal.reason` when the signal aborted it.
   */
  attempt(
    request: ModelRequest,
    onChunk: (chunk: AssistantChunk) => void,
    signal: AbortSignal,
  ): Promise<ModelAnswer>;
}
