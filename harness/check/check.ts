/** `check`: one way from a project to its report (architecture.md, "One scenario's way through the harness"). */
import { mergeFindings } from '../pins/judge.ts';
import { assembleReport, type ReportFacts } from '../report/assemble.ts';
import { coverageOf, uncoveredProblems } from '../requirements/coverage.ts';
import { problem, type Problem } from '../verdict/problem.ts';
import type { Report, Result } from '../verdict/report.ts';
import { leaveBehind } from './leavings.ts';
import type { CheckOptions, CheckOutcome } from './options.ts';
import { prepare, type PlannedRun, type Preparation } from './preparation.ts';
import { notRun, problemsByRun, resultOf, type JudgedRun } from './run-result.ts';
import { runAll } from './runs.ts';

export type { CheckOptions, CheckOutcome };

/**
 * Loads, plans, runs and judges. A declaration that is wrong means that nothing is run and nothing is written; whatever
 * happens afterwards is in the report. Rejects only where the harness itself fails outside every run.
 */
export async function check(options: CheckOptions): Promise<CheckOutcome> {
  const started = { at: options.now(), ticks: options.ticks() };
  const preparation = await prepare(options);
  return checkPrepared(preparation, options, started);
}

/** The second half of `check`, for whoever needs the plan first (the vitest gate). */
export async function checkPrepared(
  preparation: Preparation,
  options: CheckOptions,
  started: { readonly at: Date; readonly ticks: number } = { at: options.now(), ticks: options.ticks() },
): Promise<CheckOutcome> {
  const report = (facts: Omit<ReportFacts, 'turnpin' | 'startedAt' | 'durationMs'>): Report =>
    assembleReport({
      suite: { digest: preparation.suite.digest, scenarios: preparation.suite.scenarios.length },
      subject: subjectOf(preparation),
      selectors: options.selectors,
      filtered: options.selectors.length > 0 || options.drivers !== null,
      ...facts,
      turnpin: options.turnpin,
      startedAt: started.at,
      durationMs: options.ticks() - started.ticks,
    });
  if (preparation.refusals.length > 0)
    return { report: report({ problems: preparation.refusals }), remarks: [], timeline: null };

  const { judged, ledger, kept, timeline } = await runAll(preparation, options);
  const interrupted = options.interrupt.aborted;
  const judgement = ledger.judge({ filtered: preparation.filtered || interrupted });
  const pinProblems = mergeFindings(preparation.audited, judgement.problems);
  const results = resultsOf(preparation, judged, pinProblems);
  const coverage = coverageOf({
    requirements: preparation.suite.requirements,
    scenarios: preparation.suite.scenarios,
    results,
    credits: (result) => result.covers,
    capabilities: new Set(preparation.kinds.flatMap((kind) => [...kind.capabilities])),
    filtered: preparation.filtered || interrupted,
  });
  const left =
    options.writes && !interrupted
      ? await leaveBehind(preparation, judgement)
      : { written: [], problems: [] };
  const problems = [
    ...pinProblems,
    ...judged.flatMap((run) => run.problems),
    ...uncoveredProblems(
      preparation.suite.requirements,
      coverage,
      `${preparation.suite.paths.scenarios}/requirements.yaml`,
    ),
    ...left.problems,
    ...(interrupted ? [interruption(judged.length, preparation)] : []),
  ];
  return {
    report: report({ ran: true, results, pins: judgement.pins, problems, coverage, written: left.written }),
    remarks: kept === null ? [] : [`kept ${kept}: workspace, home, frames and journal of each run`],
    timeline,
  };
}

function resultsOf(
  preparation: Preparation,
  judged: readonly JudgedRun[],
  pinProblems: readonly Problem[],
): Result[] {
  const ran = new Map(judged.map((run) => [`${run.scenario} ${run.driver}`, run] as const));
  const ofPins = problemsByRun(pinProblems);
  return preparation.runs.map((planned) => {
    const run = ran.get(`${planned.scenario.id} ${planned.kind.driver}`);
    return run === undefined ? resultOfNoRun(planned) : resultOf(run, ofPins);
  });
}

function resultOfNoRun({ scenario, kind, covers, unsupported, selected }: PlannedRun): Result {
  const run = { scenario: scenario.id, driver: kind.driver, covers };
  if (!selected) return notRun(run, 'not-run', 'not selected');
  return unsupported === null
    ? notRun(run, 'not-run', 'interrupted')
    : notRun(run, 'unsupported', unsupported);
}

function subjectOf({ kinds }: Preparation): Report['subject'] {
  const [first] = kinds;
  return {
    name: first?.name ?? 'core',
    version: first?.version ?? null,
    drivers: kinds.map((kind) => kind.driver).sort(),
  };
}

function interruption(done: number, { runs }: Preparation): Problem {
  const selected = runs.filter((run) => run.selected && run.unsupported === null).length;
  return problem({
    kind: 'INTERRUPTED',
    key: 'check',
    message: `Interrupted after ${done} of ${selected} runs. What was started has been ended, and no pending file was left.`,
    seen: 'check',
  });
}
