/** An error that ended a command -> what the user reads, and the exit code. */
import { codeOf, messageOf } from '../session/thrown.ts';
import type { CommandEdge } from './edge.ts';
import { EXIT } from './interval.ts';

/** Is the command called, or configured, in a way that it cannot carry out? Nothing has been run then. */
function isUsage(code: string): boolean {
  return code === 'USAGE' || code === 'INVALID_CONFIG' || code.startsWith('SESSION_');
}

/** Reports `error` without a stack trace, unless it is a fault of the program itself and `TURNPIN_DEBUG` is set. */
export function failure(error: unknown, edge: CommandEdge): number {
  const code = codeOf(error);
  const message = messageOf(error);
  edge.complain(code === undefined ? `internal error: ${message}` : message);
  if (code === undefined && edge.env['TURNPIN_DEBUG'] !== undefined && error instanceof Error) {
    edge.stderr.write(`${error.stack ?? ''}\n`);
  }
  return code !== undefined && isUsage(code) ? EXIT.usage : EXIT.notCompleted;
}
