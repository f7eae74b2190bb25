/** Everything that is known before the first run: suite, layout, plan, selection. Reads the disk, writes nothing but what it read. */
import { join } from 'node:path';
import { audit } from '../pins/audit.ts';
import type { Claim, DiskFile } from '../pins/contract.ts';
import { layout } from '../pins/layout.ts';
import { readSnapshots } from '../pins/snapshot-files.ts';
import { recoverSnapshots } from '../pins/store.ts';
import { creditsOf } from '../scenario/credit.ts';
import { loadSuite } from '../scenario/load.ts';
import { PARSED, ParsedScenarios } from '../scenario/parsed-scenarios.ts';
import { planDriver } from '../scenario/plan.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { select } from '../scenario/select.ts';
import type { Suite } from '../scenario/suite.ts';
import type { SubjectKind } from '../subject/subject.ts';
import { problem, type Problem } from '../verdict/problem.ts';
import type { Driver } from '../verdict/vocabulary.ts';
import { freshlyPinned } from './fresh-pins.ts';
import { subjectKinds } from './subjects.ts';
import { unwritable } from './writable.ts';

/** A scenario through one driver that can express it. */
export interface PlannedRun {
  readonly scenario: Scenario;
  readonly kind: SubjectKind;
  readonly covers: readonly string[];
  /** The missing capability; null where the run can be made. */
  readonly unsupported: string | null;
  /** False where selectors or `--driver` leave it out. */
  readonly selected: boolean;
}

export interface Preparation {
  readonly suite: Suite;
  /** Where there are any, nothing is run and nothing written. */
  readonly refusals: readonly Problem[];
  readonly filtered: boolean;
  readonly kinds: readonly SubjectKind[];
  /** Every scenario × driver, sorted. */
  readonly runs: readonly PlannedRun[];
  readonly claims: readonly Claim[];
  readonly disk: readonly DiskFile[];
  /** Layout problems: told, and no reason not to run. */
  readonly audited: readonly Problem[];
  /** Ids of scenarios that some driver can run. */
  readonly runnable: ReadonlySet<string>;
  /** Ids of scenarios whose pins do not exist yet. */
  readonly fresh: ReadonlySet<string>;
}

export interface PreparationFacts {
  readonly root: string;
  readonly selectors: readonly string[];
  readonly drivers: readonly Driver[] | null;
  readonly writes: boolean;
}

/** Never throws for what a user can have done wrong. */
export async function prepare({ root, selectors, drivers, writes }: PreparationFacts): Promise<Preparation> {
  const parsed = new ParsedScenarios(join(root, PARSED));
  const suite = await settledSuite(root, parsed);
  const kinds = await subjectKinds();
  if (suite.problems.length > 0) return refused(suite, kinds, suite.problems);
  const selection = select(suite, selectors);
  const selected = new Set(selection.scenarios.map(({ id }) => id));
  const runs = planned(
    suite,
    kinds,
    (id, driver) => selected.has(id) && (drivers === null || drivers.includes(driver)),
  );
  const refusals = [
    ...selection.problems,
    ...(selection.problems.length === 0 && !runs.some((run) => run.selected)
      ? [nothingSelected(suite, selectors, drivers)]
      : []),
    ...(writes ? unwritable(root, suite.paths.pending) : []),
  ];
  if (refusals.length > 0) return refused(suite, kinds, refusals);
  if (writes) parsed.save();
  const claims = layout(suite);
  const disk = readSnapshots(suite.paths);
  const runnable = new Set(runs.filter((run) => run.unsupported === null).map((run) => run.scenario.id));
  return {
    suite,
    refusals: [],
    filtered: selection.filtered || drivers !== null,
    kinds,
    runs,
    claims,
    disk,
    audited: audit({ suite, claims, disk }),
    runnable,
    fresh: freshlyPinned(suite.scenarios, claims, disk),
  };
}

/** The suite, once what a killed `accept` or `prune` began is finished (pins.md, rule 6). */
async function settledSuite(root: string, parsed: ParsedScenarios): Promise<Suite> {
  const suite = loadSuite(root, parsed);
  return (await recoverSnapshots(suite.paths)).length === 0 ? suite : loadSuite(root, parsed);
}

function refused(suite: Suite, kinds: readonly SubjectKind[], refusals: readonly Problem[]): Preparation {
  return {
    suite,
    kinds,
    refusals,
    filtered: false,
    runs: [],
    claims: [],
    disk: [],
    audited: [],
    runnable: new Set(),
    fresh: new Set(),
  };
}

function planned(
  suite: Suite,
  kinds: readonly SubjectKind[],
  chosen: (id: string, driver: Driver) => boolean,
): PlannedRun[] {
  return suite.scenarios.flatMap((scenario) =>
    kinds.flatMap((kind): PlannedRun[] => {
      const plan = planDriver(scenario, kind);
      if (plan.outcome === 'not-expressible') return [];
      return [
        {
          scenario,
          kind,
          covers: creditsOf(scenario, suite.requirements, kind),
          unsupported: plan.outcome === 'unsupported' ? (plan.reason ?? 'a capability is missing') : null,
          selected: chosen(scenario.id, kind.driver),
        },
      ];
    }),
  );
}

function nothingSelected(
  suite: Suite,
  selectors: readonly string[],
  drivers: readonly Driver[] | null,
): Problem {
  const message =
    suite.scenarios.length === 0
      ? `There are no scenarios below ${suite.paths.scenarios}/. \`turnpin new turns/my-case\` writes the first one.`
      : `No driver${drivers === null ? '' : ` of ${drivers.join(', ')}`} can express what was selected. \`turnpin explain ${selectors[0] ?? suite.scenarios[0]?.id ?? ''}\` says why.`;
  return problem({
    kind: 'USAGE',
    key: selectors[0] ?? (drivers === null ? 'scenarios' : '--driver'),
    message,
  });
}
