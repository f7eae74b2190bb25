/** Which scenarios would make a pin that does not exist yet: those are always run twice (pins.md, rule 7). Pure. */
import type { Claim, DiskFile } from '../pins/contract.ts';
import type { Scenario } from '../scenario/scenario.ts';

/** Ids of scenarios with an expected file of their own, or of their category, that is required and missing. */
export function freshlyPinned(
  scenarios: readonly Scenario[],
  claims: readonly Claim[],
  disk: readonly DiskFile[],
): ReadonlySet<string> {
  const standing = new Set(disk.map((file) => file.file));
  const categories = new Set<string>();
  const ids = new Set<string>();
  for (const { owner, required, file } of claims) {
    if (!required || standing.has(file)) continue;
    if (owner.kind === 'category') categories.add(owner.category);
    else ids.add(owner.scenario);
  }
  return new Set(
    scenarios
      .filter((scenario) => ids.has(scenario.id) || categories.has(scenario.category))
      .map(({ id }) => id),
  );
}
