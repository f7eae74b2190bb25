/** May a pending value be written, and if not, why (pins.md, rule 6). Pure: a decision for each value, and the files of all. */
import { conflictMarkers } from '../document/conflict-markers.ts';
import type { Suite } from '../scenario/suite.ts';
import type { FileChange } from './batch.ts';
import type { Claim } from './contract.ts';
import { declarationDigest } from './declaration-digest.ts';
import type { Disk } from './disk.ts';
import { digestOf } from './expected-file.ts';
import type { StoredPending } from './pending.ts';
import { planPrune, type PrunePlan } from './prune-plan.ts';
import { redundancies } from './redundancy.ts';

export interface AcceptanceFacts {
  readonly suite: Suite;
  readonly claims: readonly Claim[];
  readonly disk: Disk;
  readonly subject: string;
}

export type Decision =
  | { readonly kind: 'write'; readonly pending: StoredPending & { readonly text: string } }
  /** The file says it already. */
  | { readonly kind: 'done'; readonly pending: StoredPending }
  | { readonly kind: 'refuse'; readonly pending: StoredPending; readonly reason: string };

/** What is to become of one pending value. */
export function decide(pending: StoredPending, facts: AcceptanceFacts): Decision {
  const { text } = pending;
  const current = facts.disk.get(pending.file)?.text ?? null;
  if (text !== null && current === text) return { kind: 'done', pending };
  const reason = stale(pending, facts) ?? incomplete(pending, facts);
  if (text === null) {
    return {
      kind: 'refuse',
      pending,
      reason: `Its pending file was removed or edited since. ${again(pending)}`,
    };
  }
  return reason === null
    ? { kind: 'write', pending: { ...pending, text } }
    : { kind: 'refuse', pending, reason };
}

function again({ scenarios, complete }: StoredPending): string {
  const ids = Object.keys(scenarios);
  const [only] = ids;
  return `Run it again: turnpin check${complete && ids.length === 1 && only !== undefined ? ` ${only}` : ''}`;
}

function stale(pending: StoredPending, { suite, claims, disk }: AcceptanceFacts): string | null {
  if (!claims.some(({ key, file }) => key === pending.key && file === pending.file)) {
    return 'Nothing declares this file any more.';
  }
  const current = disk.get(pending.file)?.text ?? null;
  const [conflict] = conflictMarkers((current ?? '').replaceAll('\r\n', '\n'));
  if (conflict !== undefined) {
    return `The expected file is in conflict (line ${conflict.position.line}); keep one side first, then check again.`;
  }
  if (disk.digest(pending.file) !== pending.base) {
    return `The expected file has changed since the check. ${again(pending)}`;
  }
  const byId = new Map(suite.scenarios.map((scenario) => [scenario.id, scenario]));
  for (const [id, digest] of Object.entries(pending.scenarios)) {
    const scenario = byId.get(id);
    if (scenario === undefined)
      return `Scenario "${id}", which showed it, is gone. Run it again: turnpin check`;
    if (declarationDigest(scenario, suite) !== digest) {
      return `Scenario "${id}" or its category has changed since the check. ${again(pending)}`;
    }
  }
  return null;
}

function incomplete(pending: StoredPending, { suite, claims }: AcceptanceFacts): string | null {
  const claim = claims.find(({ key }) => key === pending.key);
  if (claim?.owner.kind !== 'category') return null;
  if (!pending.complete) {
    return "Not all members of the category ran. A category's pin is accepted from a full run: turnpin check";
  }
  // Categories that were judged with this file: the owner's, and those of which a member is known.
  const shown = suite.scenarios.filter(({ id }) => pending.scenarios[id] !== undefined);
  const together = new Set([claim.owner.category, ...shown.map(({ category }) => category)]);
  const joined = suite.scenarios.find(
    ({ id, category }) => pending.scenarios[id] === undefined && together.has(category),
  );
  return joined === undefined
    ? null
    : `Scenario "${joined.id}" has joined since and has not run yet. Run it again: turnpin check`;
}

export interface AcceptancePlan {
  readonly changes: readonly FileChange[];
  /** Overrides that would have become equal to what they inherit. */
  readonly prune: PrunePlan;
}

/**
 * The files that change when these values are written. An override that they make equal to its pin is pruned in the same
 * batch: not written at all where it is one of them.
 */
export function planAcceptance(writes: ReadonlyMap<string, string>, facts: AcceptanceFacts): AcceptancePlan {
  const textOf = (file: string): string | null => writes.get(file) ?? facts.disk.expected(file);
  const found = redundancies(facts.suite, { claims: facts.claims, subject: facts.subject, textOf });
  const caused = found.filter(({ file, equals }) => writes.has(file) || writes.has(equals));
  const prune = planPrune(facts.suite, caused);
  const gone = new Set(prune.deletes);
  const changes = [...writes]
    .filter(([file]) => !gone.has(file))
    .map(([file, after]): FileChange => ({ file, before: facts.disk.digest(file), after }))
    .filter(({ before, after }) => after === null || before !== digestOf(after));
  const deletes = prune.deletes
    .filter((file) => facts.disk.has(file))
    .map((file): FileChange => ({ file, before: facts.disk.digest(file), after: null }));
  return { changes: [...changes, ...deletes].sort((a, b) => (a.file < b.file ? -1 : 1)), prune };
}
