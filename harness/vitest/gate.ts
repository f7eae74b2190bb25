/**
 * A corpus as vitest tests (architecture.md): the pool runs once, then one test a scenario and driver, one a pin, one for
 * the audit. The only file outside tests that imports vitest.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { checkPrepared } from '../check/check.ts';
import type { CheckOptions } from '../check/options.ts';
import { prepare } from '../check/preparation.ts';
import { turnpinVersion } from '../cli/version.ts';
import { renderProblem } from '../report/console.ts';
import { SILENT } from '../report/progress.ts';
import type { Problem } from '../verdict/problem.ts';
import type { Report } from '../verdict/report.ts';
import { planGate, shareOut, type SharedOut } from './gate-plan.ts';

export interface GateOptions {
  /** Absolute folder of the project. */
  readonly root: string;
  /** As for `turnpin check`; none: everything. */
  readonly selectors?: readonly string[];
  /** Leave pending files for `turnpin accept`; off in CI, where nothing is written. */
  readonly writes?: boolean;
  /** How long all runs together may take, in milliseconds. */
  readonly deadline?: number;
}

/** Registers the tests. To be awaited at the top of a test file: their names come from the plan. */
export async function registerGate({
  root,
  selectors = [],
  writes = false,
  deadline = 600_000,
}: GateOptions): Promise<void> {
  const stop = new AbortController();
  const options: CheckOptions = {
    root,
    selectors,
    drivers: null,
    jobs: null,
    keep: false,
    twice: false,
    writes,
    interrupt: stop.signal,
    progress: SILENT,
    turnpin: turnpinVersion(),
    now: () => new Date(),
    ticks: () => performance.now(),
  };
  const preparation = await prepare(options);
  const plan = planGate(preparation);
  const found: { report: Report | null; shared: SharedOut | null } = { report: null, shared: null };

  beforeAll(async () => {
    const timer = setTimeout(() => stop.abort(), deadline);
    try {
      const { report } = await checkPrepared(preparation, options);
      found.report = report;
      found.shared = shareOut(report, plan, preparation.audited);
    } finally {
      clearTimeout(timer);
    }
  }, deadline + 30_000);

  const none = (pick: (shared: SharedOut) => readonly Problem[]): void => {
    const { report, shared } = found;
    if (report === null || shared === null)
      throw new Error('The runs have not been made: see the error of beforeAll.');
    const problems = pick(shared);
    if (problems.length === 0) return;
    const texts = problems.map((problem, index) =>
      renderProblem(problem, index + 1, report, { colors: false, chosenRoot: null }),
    );
    expect.fail(`\n${texts.join('\n\n')}`);
  };

  describe('scenarios', () => {
    for (const run of plan.runs) {
      const name = `${run.scenario} (${run.driver})`;
      if (run.unsupported === null) test(name, () => none((shared) => shared.ofRun(run)));
      else test.skip(`${name}: unsupported, ${run.unsupported}`);
    }
  });
  describe('pins', () => {
    for (const pin of plan.pins) {
      test(`${pin.key} (${pin.ran} of ${pin.members} members)`, () =>
        none((shared) => shared.ofPin(pin.key)));
    }
  });
  test('audit: every expected file is claimed once, canonical and needed', () =>
    none((shared) => shared.audit));
  test('the suite: declarations, coverage and the harness itself', () => none((shared) => shared.rest));
}
