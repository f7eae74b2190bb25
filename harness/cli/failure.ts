/** Makes a report of whatever a command threw: nothing that goes wrong ends without the document (report.md). */
import { problem, type Problem } from '../verdict/problem.ts';
import { UsageError } from './usage-error.ts';

/** Codes with which an operating system refuses to write. */
const REFUSALS = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENOTDIR', 'EEXIST', 'EISDIR', 'EDQUOT']);

/** The problem that a thrown value stands for: the user's, the directory's, or ours. */
export function problemOf(error: unknown, root: string | null): Problem {
  if (error instanceof UsageError)
    return problem({ kind: 'USAGE', key: error.subject, message: error.message });
  const refusal = refusalOf(error);
  if (refusal !== null) {
    const place = relative(refusal.path, root);
    return problem({
      kind: 'UNWRITABLE',
      key: place,
      message: `${place} cannot be used (${refusal.code}). turnpin has to read and write there; see whose it is, and that it is a folder, then run the command again.`,
    });
  }
  const message = error instanceof Error && error.message !== '' ? error.message : String(error);
  return problem({
    kind: 'HARNESS_ERROR',
    key: 'turnpin',
    message: `turnpin itself failed: ${message.split('\n')[0] ?? message}\nThis says nothing about the subject. Please report it, with the command and what stands on standard error.`,
  });
}

function refusalOf(error: unknown): { code: string; path: string } | null {
  if (!(error instanceof Error) || !('code' in error) || !('path' in error)) return null;
  const { code, path } = error;
  return typeof code === 'string' && typeof path === 'string' && REFUSALS.has(code) ? { code, path } : null;
}

function relative(path: string, root: string | null): string {
  return root !== null && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}
