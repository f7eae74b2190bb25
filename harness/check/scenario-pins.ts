/** Where each pinned value of a scenario comes from, for `turnpin explain`. */
import { HEADER_PARTS } from '../observe/observations.ts';
import { Disk } from '../pins/disk.ts';
import { categoryClaims, holderOf } from '../pins/inheritance.ts';
import { layout } from '../pins/layout.ts';
import { readSnapshots } from '../pins/snapshot-files.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Suite } from '../scenario/suite.ts';

export interface ScenarioPin {
  readonly key: string;
  readonly file: string;
  readonly stands: boolean;
  /** Why the value stands in a file that is not the scenario's own. */
  readonly from: string | null;
}

/** The header parts of its category, then the scenario's own files. Reads the snapshots folder. */
export function pinsOf(scenario: Scenario, suite: Suite): ScenarioPin[] {
  const claims = layout(suite);
  const disk = new Disk(readSnapshots(suite.paths));
  const ofCategories = categoryClaims(claims);
  const stands = ({ file }: { readonly file: string }): boolean => disk.has(file);
  const inherited = HEADER_PARTS.flatMap((part): ScenarioPin[] => {
    const holder = holderOf(scenario.category, part, {
      categories: suite.categories,
      claims: ofCategories,
      stands,
    });
    if (holder === null || holder.owner.kind !== 'category') return [];
    const { category } = holder.owner;
    const from =
      category === scenario.category
        ? `category ${category}`
        : `category ${scenario.category} inherits it from ${category}`;
    return [{ key: holder.key, file: holder.file, stands: stands(holder), from }];
  });
  const own = claims.flatMap((claim): ScenarioPin[] =>
    claim.owner.kind !== 'category' && claim.owner.scenario === scenario.id
      ? [{ key: claim.key, file: claim.file, stands: stands(claim), from: null }]
      : [],
  );
  const borrowed = [...scenario.pinsChildSystemPrompts, ...scenario.pinsChildToolSchemas].flatMap(
    (pin): ScenarioPin[] => {
      const claim = claims.find(({ owner }) => owner.kind === 'child' && owner.scenario === pin.owner);
      return pin.owner === null || claim === undefined
        ? []
        : [
            {
              key: claim.key,
              file: claim.file,
              stands: stands(claim),
              from: `child ${pin.child} refers to ${pin.owner}`,
            },
          ];
    },
  );
  return [...inherited, ...own, ...borrowed];
}
