/** Errors that an agent raises or reports. */
import type { CancelCause, TurnEndReason } from '../session/events.ts';
import { codeOf, messageOf } from '../session/thrown.ts';
import { ModelError } from '../model/model.ts';

/** Input or work that the agent does not take. Nothing was enqueued or logged (SEND-8). */
export class AgentError extends Error {
  readonly code: 'DISPOSED' | 'DUPLICATE_MESSAGE' | 'INVALID_MESSAGE' | 'NOT_IDLE';
  constructor(code: AgentError['code'], message: string) {
    super(message);
    this.name = 'AgentError';
    this.code = code;
  }
}

/** The reason of an aborted signal: who cancelled first (CANCEL-9). */
export class CancelledError extends Error {
  readonly code = 'CANCELLED';
  readonly by: CancelCause;
  constructor(by: CancelCause) {
    super(`Cancelled (${by}).`);
    this.name = 'CancelledError';
    this.by = by;
  }
}

/** A turn fails for a reason of its own, such as a content filter. */
export class TurnError extends Error {
  readonly code: string;
  readonly status: number | undefined;
  constructor(code: string, message: string, facts: { status?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause: facts.cause });
    this.name = 'TurnError';
    this.code = code;
    this.status = facts.status;
  }
}

/** A checkpoint was rejected: what it covers is not known to be on disk (TURN-4). `cause` says why. */
export class CheckpointError extends Error {
  readonly code = 'CHECKPOINT_FAILED';
  constructor(cause: unknown) {
    super(`The checkpoint failed, so the latest events may not be on disk: ${messageOf(cause)}`, { cause });
    this.name = 'CheckpointError';
  }
}

/** One of the agent's own maintenance jobs failed. */
export class MaintenanceError extends Error {
  readonly code = 'MAINTENANCE_FAILED';
  constructor(job: string, cause: unknown) {
    super(`Maintenance "${job}" failed: ${messageOf(cause)}`, { cause });
    this.name = 'MaintenanceError';
  }
}

/** The `turn/end` reason for what a turn threw. */
export function errorReason(error: unknown): TurnEndReason & { readonly kind: 'error' } {
  const known = error instanceof ModelError || error instanceof TurnError;
  const status = known ? error.status : undefined;
  return {
    kind: 'error',
    message: messageOf(error),
    code: codeOf(error) ?? 'INTERNAL',
    ...(status === undefined ? {} : { status }),
  };
}
