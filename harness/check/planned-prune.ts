/** What `turnpin prune` would do, for `--dry-run`. */
import { Disk } from '../pins/disk.ts';
import { REFERENCE_SUBJECT } from '../pins/names.ts';
import { planPrune } from '../pins/prune-plan.ts';
import { redundancies } from '../pins/redundancy.ts';
import { readSnapshots } from '../pins/snapshot-files.ts';
import type { StoreFacts } from '../pins/store.ts';
import { problem, type Problem } from '../verdict/problem.ts';

export interface PlannedPrune {
  readonly deletes: readonly string[];
  readonly edits: readonly string[];
  readonly pruned: readonly string[];
  readonly problems: readonly Problem[];
}

/** No keys: everything that is redundant. Reads the snapshots folder, writes nothing. */
export function plannedPrune({ suite, claims }: StoreFacts, keys: readonly string[]): PlannedPrune {
  const disk = new Disk(readSnapshots(suite.paths));
  const found = redundancies(suite, {
    claims,
    subject: REFERENCE_SUBJECT,
    textOf: (file) => disk.expected(file),
  });
  const chosen = keys.length === 0 ? found : found.filter(({ key }) => keys.includes(key));
  const plan = planPrune(suite, chosen);
  const files = new Map(suite.scenarios.map(({ id, file }) => [id, file]));
  const unknown = keys.filter((key) => !found.some((one) => one.key === key));
  return {
    deletes: plan.deletes,
    edits: [...plan.edits.keys()].map((id) => files.get(id) ?? id),
    pruned: plan.pruned,
    problems: unknown.map((key) =>
      problem({
        kind: 'ACCEPT_REFUSED',
        key,
        message: 'Nothing redundant has this key; turnpin check lists what is.',
      }),
    ),
  };
}
