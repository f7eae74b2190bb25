/** The public surface of an agent and of what is plugged into it (core.md, "Public API"). */
import type { CancelCause, SessionEvent, SessionId, UserMessage } from '../session/events.ts';
import type { AgentStatus, Listener } from '../session/publication.ts';
import type { ModelError } from '../model/model.ts';

export type { AgentStatus, Listener, LiveNotification, Published } from '../session/publication.ts';

/** The built-in decision about a failed attempt, which `onRequestError` may replace. */
export type RetryDecision = { readonly retry: true; readonly delayMs: number } | { readonly retry: false };

/** Plain functions, each with the default that changes nothing. One that throws fails its turn. */
export interface Policies {
  /** Asked about every claimed `next-turn` message, whatever its source. */
  readonly admitPrompt?: (message: UserMessage, signal: AbortSignal) => Admission | Promise<Admission>;
  /** Asked when another step would follow. May stop the turn there; can force nothing. */
  readonly continueTurn?: (facts: {
    turn: number;
    step: number;
  }) => 'continue' | 'stop' | Promise<'continue' | 'stop'>;
  /** Asked once, when no step follows, before `turn/end`. `discard` cancels steering still waiting after the checkpoint. */
  readonly onTurnStop?: (facts: { turn: number }) => 'keep' | 'discard' | Promise<'keep' | 'discard'>;
  /** `attempt` counts from 1 and is the one that failed. */
  readonly onRequestError?: (
    error: ModelError,
    facts: { turn: number; step: number; attempt: number; decision: RetryDecision },
  ) => RetryDecision | Promise<RetryDecision>;
}

/** `context`, where given, becomes one `user/message` before the prompt (the prompt hook's stdout). */
export type Admission =
  { readonly allow: true; readonly context?: string } | { readonly allow: false; readonly reason: string };

/** Exclusive work of the driver's own, done before it publishes idle, at most once an interval. */
export interface MaintenanceJob {
  readonly name: string;
  /** Is there something to do? Asked at whole-agent rest, before idle. */
  due(): boolean;
  /** A rejection is published as one `agent/error`. */
  run(signal: AbortSignal): Promise<void>;
}

/**
 * Finer than `status`, for who must choose how to deliver (core.md, "Subagents"). A turn's and maintenance's checkpoint
 * belong to it. `closing`: disposal has begun and `inject()` is still kept; `closed`: nothing is.
 */
export type AgentPhase = 'idle' | 'turn' | 'maintenance' | 'closing' | 'closed';

export interface Agent {
  readonly sessionId: SessionId;
  readonly status: AgentStatus;
  readonly phase: AgentPhase;
  /** Enqueues one ordinary message (SEND-1..8). */
  followup(message: UserMessage): void;
  /** Steers a busy agent; on an idle one it is `followup()` (STEER-1..7). */
  steer(message: UserMessage): void;
  /** Adds context; wakes nothing (INJECT-1..3). */
  inject(message: UserMessage): void;
  /** Whole-agent cancel (CANCEL-1..9). `keepInbox` keeps the queue, which then drains at once. */
  cancel(cause?: CancelCause, options?: { readonly keepInbox?: boolean }): void;
  /** Resolves at whole-agent quiescence, at once when idle (STATUS-3). */
  whenIdle(): Promise<void>;
  /** Idempotent (STATUS-4). Resolves once the log is flushed, or its failure is reported, and the lock released. */
  dispose(): Promise<void>;
  /**
   * Exclusive work that is no turn; rejects unless the agent is idle (MAINT-1). Settles after its checkpoint: with the
   * task's result or error, or with `CancelledError`; a task that does not heed its signal is not waited for.
   */
  runMaintenance<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Returns the function that unsubscribes. */
  subscribe(listener: Listener): () => void;
  /** All durable events so far. Grows in place. */
  events(): readonly SessionEvent[];
}
