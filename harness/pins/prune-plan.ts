/** What `prune` does: redundant files go, and their entries in `pinsChild…`; nothing else (pins.md, rule 3). Pure. */
import type { Scenario } from '../scenario/scenario.ts';
import type { Suite } from '../scenario/suite.ts';
import type { ChildEdit } from './scenario-edit.ts';
import { referents, type Redundancy } from './redundancy.ts';

export interface PrunePlan {
  /** Expected files that go. */
  readonly deletes: readonly string[];
  /** By scenario id, in this order. */
  readonly edits: ReadonlyMap<string, readonly ChildEdit[]>;
  readonly pruned: readonly string[];
}

/** The plan for these redundancies; those that want a decision of somebody's are left out. */
export function planPrune(suite: Suite, chosen: readonly Redundancy[]): PrunePlan {
  const deletes = new Set<string>();
  const edits = new Map<string, ChildEdit[]>();
  const pruned: string[] = [];
  const edit = (scenario: string, one: ChildEdit): void => {
    edits.set(scenario, [...(edits.get(scenario) ?? []), one]);
  };
  for (const one of chosen) {
    if (one.blocked !== null) continue;
    pruned.push(one.key);
    switch (one.kind) {
      case 'category-inherits':
        deletes.add(one.file);
        break;
      case 'reference-inherits':
        edit(one.scenario, { do: 'remove', part: one.part, child: one.child });
        break;
      case 'child-inherits':
        deletes.add(one.file);
        edit(one.scenario, { do: 'remove', part: one.part, child: one.child });
        for (const other of referents(suite, one))
          edit(other.scenario, { do: 'remove', part: one.part, child: other.child });
        break;
      case 'child-has-owner':
        deletes.add(one.file);
        edit(one.scenario, { do: 'refer', part: one.part, child: one.child, owner: one.owner });
        for (const other of referents(suite, one)) {
          edit(other.scenario, { do: 'refer', part: one.part, child: other.child, owner: one.owner });
        }
        break;
      case 'categories-agree':
        break;
    }
  }
  return { deletes: [...deletes].sort(), edits, pruned };
}

/** Scenario files that a plan edits. */
export function editedFiles(plan: PrunePlan, byId: ReadonlyMap<string, Scenario>): string[] {
  return [...plan.edits.keys()].flatMap((id) => byId.get(id)?.file ?? []).sort();
}
