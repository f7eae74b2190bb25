/** Which tests the gate has, and which problems each of them is about. Pure; knows nothing of vitest. */
import type { Preparation } from '../check/preparation.ts';
import { lineage } from '../pins/inheritance.ts';
import type { Problem } from '../verdict/problem.ts';
import type { Report } from '../verdict/report.ts';
import type { Driver } from '../verdict/vocabulary.ts';

export interface GateRun {
  readonly scenario: string;
  readonly driver: Driver;
  /** The missing capability; such a run is shown as skipped. */
  readonly unsupported: string | null;
}

export interface GatePin {
  readonly key: string;
  /** Scenarios of this gate that show the value, of all that could. */
  readonly ran: number;
  readonly members: number;
}

export interface GatePlan {
  readonly runs: readonly GateRun[];
  readonly pins: readonly GatePin[];
}

/** The tests that a prepared check will have results for. */
export function planGate({ runs, claims, suite, runnable }: Preparation): GatePlan {
  const chosen = runs.filter((run) => run.selected);
  const running = new Set(chosen.filter((run) => run.unsupported === null).map((run) => run.scenario.id));
  const pins = claims.map(({ key, owner }): GatePin => {
    const members =
      owner.kind === 'category'
        ? suite.scenarios
            .filter((scenario) => lineage(suite.categories, scenario.category).includes(owner.category))
            .map(({ id }) => id)
        : [owner.scenario];
    const able = members.filter((id) => runnable.has(id));
    return { key, ran: able.filter((id) => running.has(id)).length, members: able.length };
  });
  return {
    runs: chosen.map(({ scenario, kind, unsupported }) => ({
      scenario: scenario.id,
      driver: kind.driver,
      unsupported,
    })),
    pins: pins.filter((pin) => pin.ran > 0),
  };
}

/** Every problem of a report, given to exactly one test, so that a red problem never leaves the gate green. */
export interface SharedOut {
  readonly ofRun: (run: Pick<GateRun, 'scenario' | 'driver'>) => readonly Problem[];
  readonly ofPin: (key: string) => readonly Problem[];
  readonly audit: readonly Problem[];
  /** What belongs to no run, pin or file: coverage, the harness itself. */
  readonly rest: readonly Problem[];
}

export function shareOut(report: Report, plan: GatePlan, audited: readonly Problem[]): SharedOut {
  const auditIds = new Set(audited.map((problem) => problem.id));
  const pinKeys = new Set(plan.pins.map((pin) => pin.key));
  const isAudit = (problem: Problem): boolean => auditIds.has(problem.id) || problem.blame === 'hygiene';
  const isPin = (problem: Problem): boolean => !isAudit(problem) && pinKeys.has(problem.key);
  const isRun = (problem: Problem): boolean =>
    !isAudit(problem) && !isPin(problem) && problem.affected.length > 0;
  return {
    ofRun: (run) =>
      report.problems.filter(
        (problem) =>
          isRun(problem) &&
          problem.affected.some(({ scenario, driver }) => scenario === run.scenario && driver === run.driver),
      ),
    ofPin: (key) => report.problems.filter((problem) => isPin(problem) && problem.key === key),
    audit: report.problems.filter((problem) => isAudit(problem) && problem.kind !== 'UNCOVERED_REQUIREMENT'),
    rest: report.problems.filter(
      (problem) =>
        problem.kind === 'UNCOVERED_REQUIREMENT' || (!isAudit(problem) && !isPin(problem) && !isRun(problem)),
    ),
  };
}
