/** Errors of session files, locks and stores. */
import { messageOf } from './thrown.ts';

export type SessionFileErrorCode =
  | 'SESSION_NOT_FOUND'
  | 'SESSION_EXISTS'
  | 'SESSION_ID_UNSAFE'
  | 'SESSION_UNREADABLE'
  | 'SESSION_UNWRITABLE'
  | 'SESSION_NO_HEADER'
  | 'SESSION_VERSION'
  | 'SESSION_UNKNOWN_EVENT'
  | 'SESSION_CORRUPT'
  | 'SESSION_LOCKED'
  | 'SESSION_LOCK_UNREADABLE';

/** A session file that cannot be opened. It has been left as it was (LOG-6). `line` counts from 1. */
export class SessionFileError extends Error {
  readonly code: SessionFileErrorCode;
  readonly line: number | undefined;
  constructor(code: SessionFileErrorCode, message: string, facts: { line?: number; cause?: unknown } = {}) {
    super(message, { cause: facts.cause });
    this.name = 'SessionFileError';
    this.code = code;
    this.line = facts.line;
  }
}

/** The pre-commit check refused an event: nothing of it was recorded (core.md, "Session log"). */
export class EventRefusedError extends Error {
  readonly code = 'EVENT_REFUSED';
  readonly eventType: string;
  constructor(eventType: string, reason: string) {
    super(`The session's check refused ${eventType}: ${reason}`);
    this.name = 'EventRefusedError';
    this.eventType = eventType;
  }
}

/** A write or an fsync failed. What was not written stays in order and goes first at the next flush (core.md, "Store"). */
export class StoreError extends Error {
  readonly code = 'STORE_FAILED';
  constructor(action: string, file: string, cause: unknown) {
    super(
      `Could not ${action} the session file ${file}: ${messageOf(cause)}. Unwritten events are kept and written at the next flush.`,
      {
        cause,
      },
    );
    this.name = 'StoreError';
  }
}

/** An event that the session's state does not allow, such as a second open turn. */
export class ImpossibleEventError extends Error {
  readonly code = 'IMPOSSIBLE_EVENT';
  constructor(message: string) {
    super(message);
    this.name = 'ImpossibleEventError';
  }
}
