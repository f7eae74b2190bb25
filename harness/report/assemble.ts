/** Puts a report together, so that its sums, its order, its verdict and its exit code always follow from its parts. */
import { sortProblems, type Affected, type Problem } from '../verdict/problem.ts';
import {
  exitCode,
  totalsOf,
  verdictOf,
  type Coverage,
  type PinState,
  type Report,
  type Result,
} from '../verdict/report.ts';
import type { Driver } from '../verdict/vocabulary.ts';

/** What a command found out. Everything that is left out is empty. */
export interface ReportFacts {
  readonly turnpin: string;
  readonly suite?: { readonly digest: string; readonly scenarios: number };
  readonly subject?: {
    readonly name: string;
    readonly version: string | null;
    readonly drivers: readonly Driver[];
  };
  readonly filtered?: boolean;
  readonly selectors?: readonly string[];
  /** Were scenarios run? Only then can the verdict be `conformant`. */
  readonly ran?: boolean;
  readonly results?: readonly Result[];
  readonly pins?: readonly PinState[];
  readonly problems?: readonly Problem[];
  readonly coverage?: Readonly<Record<string, Coverage>>;
  readonly written?: readonly string[];
  readonly output?: unknown;
  readonly startedAt: Date;
  readonly durationMs: number;
}

const NO_SUITE = { digest: '', scenarios: 0 } as const;
const THE_CORE = { name: 'core', version: null, drivers: [] } as const;

/** The report of report.md: sorted, with one problem an id, exit code and verdict derived. */
export function assembleReport(facts: ReportFacts): Report {
  const problems = withoutDoubles(sortProblems(facts.problems ?? []));
  const results = [...(facts.results ?? [])].sort(byScenarioAndDriver);
  const statuses = results.map((result) => result.status);
  const exit = exitCode(problems, statuses);
  const filtered = facts.filtered ?? false;
  return {
    schema: 'turnpin.report/1',
    turnpin: facts.turnpin,
    suite: facts.suite ?? NO_SUITE,
    subject: facts.subject ?? THE_CORE,
    filtered,
    selectors: facts.selectors ?? [],
    verdict: verdictOf(exit, { filtered, ran: facts.ran ?? false, statuses }),
    exit,
    totals: totalsOf(results),
    results,
    pins: [...(facts.pins ?? [])].sort((a, b) => rank(a.key, b.key)),
    problems,
    coverage: facts.coverage ?? {},
    written: [...(facts.written ?? [])].sort(rank),
    output: facts.output ?? null,
    startedAt: facts.startedAt.toISOString(),
    durationMs: Math.max(0, Math.round(facts.durationMs)),
  };
}

function byScenarioAndDriver(a: Affected, b: Affected): number {
  return rank(a.scenario, b.scenario) || rank(a.driver, b.driver);
}

function rank(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The same thing found twice, by two runs or two rules, is told once, with everybody whom it affects. */
function withoutDoubles(problems: readonly Problem[]): Problem[] {
  const byId = new Map<string, Problem>();
  for (const problem of problems) {
    const known = byId.get(problem.id);
    byId.set(problem.id, known === undefined ? problem : merged(known, problem));
  }
  return [...byId.values()];
}

function merged(one: Problem, other: Problem): Problem {
  const affected = new Map(
    [...one.affected, ...other.affected].map((run) => [`${run.scenario} ${run.driver}`, run] as const),
  );
  const drivers = new Set([...affected.values()].map((run) => run.driver));
  return {
    ...one,
    driver: drivers.size > 1 ? null : one.driver,
    affected: [...affected.values()].sort(byScenarioAndDriver),
    diff: one.diff ?? other.diff,
    fix: one.fix ?? other.fix,
  };
}
