/** Whether a check could leave what it has to leave, asked before anything runs (report.md, UNWRITABLE). */
import { accessSync, constants, statSync, type Stats } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { problem, type Problem } from '../verdict/problem.ts';

/** A problem for each place that cannot be written to: the pending folder, and where runs have their workspaces. */
export function unwritable(root: string, pending: string): Problem[] {
  const places = [
    { shown: pending, path: join(root, pending), use: 'what a check leaves for `turnpin accept`' },
    { shown: 'temporary directory', path: tmpdir(), use: 'the workspaces of the runs' },
  ];
  return places.flatMap(({ shown, path, use }) => {
    const refusal = refusalAt(path);
    if (refusal === null) return [];
    const message = `${shown} takes ${use}, but ${refusal}. Nothing was run. Make it a folder that this user may write to, or move it.`;
    return [problem({ kind: 'UNWRITABLE', key: shown, message })];
  });
}

/** Why no file can be made below a path, which need not exist yet; null where one can. */
function refusalAt(path: string): string | null {
  const found = statOf(path);
  if (found === undefined) return refusalAt(dirname(path));
  if (!found.isDirectory()) return 'a file stands in its place';
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return `writing there is refused (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown'})`;
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // A file stands where a folder above it should be; the next look upwards finds it.
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}
