/** What became of one run, in the closed statuses of report.md. Pure. */
import type { Driver, Section, Status } from '../verdict/vocabulary.ts';
import type { Affected, Problem } from '../verdict/problem.ts';
import type { Result } from '../verdict/report.ts';

/** A run that was made, judged against its own scenario; differences from pins come later. */
export interface JudgedRun {
  readonly scenario: string;
  readonly driver: Driver;
  readonly status: Status;
  readonly reason: string | null;
  readonly covers: readonly string[];
  readonly sections: readonly Section[];
  readonly problems: readonly Problem[];
  readonly durationMs: number;
}

/**
 * The result of a run, given what the pins have to say as well. A scenario's own pins count as its own; those of a
 * category are one problem of the category, however many runs see it (pins.md, rule 1).
 */
export function resultOf(run: JudgedRun, pinProblems: ProblemsByRun): Result {
  const ofPins = pinProblems(run);
  const [own] = ofPins.filter((problem) => isAbout(problem, run.scenario));
  const failsByPin = own !== undefined && run.status === 'pass';
  return {
    scenario: run.scenario,
    driver: run.driver,
    status: failsByPin ? 'fail' : run.status,
    reason: failsByPin ? `${own.kind} ${own.key}` : run.reason,
    covers: run.covers,
    sections: run.sections,
    problems: [...new Set([...run.problems, ...ofPins].map((problem) => problem.id))].sort(),
    durationMs: Math.round(run.durationMs),
  };
}

/** The problems that affect a run. */
export type ProblemsByRun = (run: Affected) => readonly Problem[];

/** Looks through all problems once, however many runs ask. */
export function problemsByRun(problems: readonly Problem[]): ProblemsByRun {
  const key = ({ scenario, driver }: Affected): string => `${driver} ${scenario}`;
  const byRun = new Map<string, Problem[]>();
  for (const problem of problems) {
    for (const run of problem.affected) {
      const known = byRun.get(key(run));
      if (known === undefined) byRun.set(key(run), [problem]);
      else known.push(problem);
    }
  }
  return (run) => byRun.get(key(run)) ?? [];
}

/** A run that was planned and not made. */
export function notRun(
  run: { readonly scenario: string; readonly driver: Driver; readonly covers: readonly string[] },
  status: 'unsupported' | 'not-run',
  reason: string,
): Result {
  return { ...run, status, reason, sections: [], problems: [], durationMs: 0 };
}

/** Keys may begin with the subject's name and a colon. */
function isAbout(problem: Problem, scenario: string): boolean {
  return problem.key.slice(problem.key.indexOf(':') + 1).startsWith(`${scenario}/`);
}
