/** What is pending, by distinct difference, for `turnpin review`. */
import { changeOf } from '../diff/change.ts';
import { Disk } from '../pins/disk.ts';
import type { StoredPending } from '../pins/pending.ts';
import { readSnapshots } from '../pins/snapshot-files.ts';
import type { Suite } from '../scenario/suite.ts';

export interface PendingChange {
  readonly keys: readonly string[];
  readonly files: readonly string[];
  readonly summary: string;
  /** Empty for a new file, which would be shown whole. */
  readonly diff: string;
}

/** Sorted by first key; values with one and the same difference stand together. Reads the snapshots folder. */
export function pendingChanges(suite: Suite, pending: readonly StoredPending[]): PendingChange[] {
  const disk = new Disk(readSnapshots(suite.paths));
  const distinct = new Map<string, { keys: string[]; files: string[]; summary: string; diff: string }>();
  for (const { key, file, text } of [...pending].sort((a, b) => (a.key < b.key ? -1 : 1))) {
    const { summary, diff } = difference(file, { before: disk.expected(file), after: text });
    // A new file is like no other.
    const same = diff === '' ? key : `${summary}\n${diff}`;
    const known = distinct.get(same) ?? { keys: [], files: [], summary, diff };
    distinct.set(same, known);
    known.keys.push(key);
    known.files.push(file);
  }
  return [...distinct.values()];
}

function difference(
  file: string,
  { before, after }: { before: string | null; after: string | null },
): { summary: string; diff: string } {
  if (after === null)
    return { summary: 'its pending file was removed or edited since; check again', diff: '' };
  if (before === null)
    return { summary: `new, ${after.trimEnd().split('\n').length} lines; see .turnpin/pending`, diff: '' };
  return changeOf(file, before, after);
}
