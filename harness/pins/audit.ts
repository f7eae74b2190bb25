/** The closed world of the snapshots folder: every file claimed once, every declared file there (pins.md, rules 2 and 5). Pure. */
import type { Suite } from '../scenario/suite.ts';
import { problem, sortProblems, type Problem } from '../verdict/problem.ts';
import { formProblem } from './canonical-form.ts';
import type { Claim, DiskFile } from './contract.ts';
import { Disk } from './disk.ts';
import { REFERENCE_SUBJECT } from './names.ts';
import { brokenReferences, missingSidecars } from './sidecar-audit.ts';
import { twoOwners, unclaimed } from './stray-files.ts';
import { redundancies, redundancyProblem } from './redundancy.ts';
import { declares, volatileValues } from './volatile.ts';

export interface AuditFacts {
  readonly suite: Suite;
  readonly claims: readonly Claim[];
  /** Everything below the snapshots folder, as far as it belongs to the subjects whose claims these are. */
  readonly disk: readonly DiskFile[];
  readonly subject?: string;
  /** Scenarios that the subject can run through some driver; a sidecar of another one may be missing. All by default. */
  readonly runnable?: ReadonlySet<string>;
}

/** Every layout problem, before anything runs and whatever is filtered. It stops no run. */
export function audit(facts: AuditFacts): Problem[] {
  const { suite, claims } = facts;
  const subject = facts.subject ?? REFERENCE_SUBJECT;
  const disk = new Disk(facts.disk);
  const byId = new Map(suite.scenarios.map((scenario) => [scenario.id, scenario]));
  const files = facts.disk.map(({ file }) => file);
  const redundant = redundancies(suite, { claims, subject, textOf: (file) => disk.expected(file) });
  return sortProblems([
    ...twoOwners(claims),
    ...unclaimed({ suite, claims, files, subject }),
    ...missingSidecars({ claims, disk, runnable: facts.runnable ?? new Set(byId.keys()) }),
    ...brokenReferences({ suite, subject, files }),
    ...redundant.map((one) => redundancyProblem(one, byId)),
    ...claims.flatMap((claim) => contentProblems(claim, disk, suite)),
  ]);
}

function contentProblems(claim: Claim, disk: Disk, suite: Suite): Problem[] {
  const found = disk.get(claim.file);
  if (found === null) return [];
  const form = formProblem(claim, found, () =>
    disk.reformats(claim.file) ? { command: ['turnpin', 'accept', claim.key], writes: 1 } : null,
  );
  return [...(form === null ? [] : [form]), ...survivors(claim, found.text ?? '', suite)];
}

function survivors(claim: Claim, text: string, suite: Suite): Problem[] {
  const values = volatileValues(text, (value) => declares(declarationOf(claim, suite), value));
  const seen = new Set<string>();
  return values.flatMap(({ what, placeholder, value, line, column }) => {
    if (seen.has(value)) return [];
    seen.add(value);
    return [
      problem({
        kind: 'VOLATILE_VALUE',
        key: claim.key,
        file: claim.file,
        line,
        column,
        message: `${value} looks like ${what}, which the next run shows otherwise. ${placeholder} stands for such a value where it is the run's own; a port covers others under "volatile" of its manifest, and a scenario lets none of them in.`,
        seen: value,
      }),
    ];
  });
}

/** What says the same in every run, because somebody wrote it down. */
function declarationOf(claim: Claim, suite: Suite): unknown {
  const { owner } = claim;
  if (owner.kind === 'category') return suite.categories.get(owner.category)?.agent;
  const scenario = suite.scenarios.find(({ id }) => id === owner.scenario);
  if (scenario === undefined) return null;
  const { model, steps, workspace, agent, expect, category } = scenario;
  return [model, steps, workspace, agent, expect, suite.categories.get(category)?.agent];
}
