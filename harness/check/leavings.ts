/** What a check leaves behind: pending values for `accept`, and `turnpin.patch` for a machine that cannot accept (pins.md, rule 6). */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pending, PinJudgement } from '../pins/contract.ts';
import { Disk } from '../pins/disk.ts';
import { REFERENCE_SUBJECT } from '../pins/names.ts';
import { acceptableChanges, writePending } from '../pins/store.ts';
import { renderPatch } from '../report/patch.ts';
import { problem, type Problem } from '../verdict/problem.ts';
import type { Preparation } from './preparation.ts';

export const PATCH_FILE = 'turnpin.patch';

export interface Left {
  /** Files for the report. */
  readonly written: readonly string[];
  /** UNWRITABLE: the results stand all the same. */
  readonly problems: readonly Problem[];
}

/** Writes both, and takes away what an earlier check left and this one has settled. Never rejects. */
export async function leaveBehind(preparation: Preparation, judgement: PinJudgement): Promise<Left> {
  try {
    return { written: await leave(preparation, judgement), problems: [] };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `The runs were made and judged, but what they showed could not be left for \`turnpin accept\`: ${reason}`;
    return {
      written: [],
      problems: [problem({ kind: 'UNWRITABLE', key: preparation.suite.paths.pending, message })],
    };
  }
}

async function leave(preparation: Preparation, judgement: PinJudgement): Promise<readonly string[]> {
  const { root, pending: folder } = preparation.suite.paths;
  const nothing = judgement.pending.length === 0 && !existsSync(join(root, folder));
  const pending = nothing ? [] : await writePending(preparation.suite, judgement);
  const patch = renderPatch(changesOf(preparation, pending));
  if (patch === '') {
    removePatch(root);
    return [];
  }
  writeFileSync(join(root, PATCH_FILE), patch);
  return [PATCH_FILE];
}

/** Takes the patch away: what it would do has been done in part, so that it would no longer apply. */
export function removePatch(root: string): void {
  rmSync(join(root, PATCH_FILE), { force: true });
}

/** The files before and after an `accept` of everything that it would take. */
function changesOf(
  { suite, claims, disk }: Preparation,
  pending: readonly Pending[],
): Parameters<typeof renderPatch>[0] {
  const changes = acceptableChanges(pending, {
    suite,
    claims,
    disk: new Disk(disk),
    subject: REFERENCE_SUBJECT,
  });
  return changes.map(({ file, before, after }) => ({
    file,
    before: before === null ? null : readFileSync(join(suite.paths.root, file), 'utf8'),
    after,
  }));
}
