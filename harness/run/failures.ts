/** Which kind of failure an error is, and what it says. */
import { SubjectError } from '../subject/subject.ts';
import type { RunFailure } from './recording.ts';
import { DeadlineError } from './watch.ts';

/** `atStart`: a subject that does not come up has a set-up problem, whatever the cause. */
export function failureKind(error: unknown, atStart: boolean): RunFailure['kind'] {
  if (error instanceof SubjectError) return error.code;
  if (error instanceof DeadlineError) return atStart ? 'SETUP_FAILED' : 'STEP_TIMEOUT';
  return 'HARNESS_ERROR';
}

/** The message; with its stack only where the harness itself is at fault. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const known = error instanceof SubjectError || error instanceof DeadlineError;
  return known ? error.message : (error.stack ?? error.message);
}
