/** One planned run, carried out: run, observe, judge; and once more where a second look is asked for. */
import { join } from 'node:path';
import { judgeRun } from '../judge/judge.ts';
import { observe } from '../observe/observe.ts';
import type { Observations } from '../observe/observations.ts';
import type { Recording } from '../run/recording.ts';
import { runScenario } from '../run/scenario-run.ts';
import type { Category, Scenario } from '../scenario/scenario.ts';
import type { Requirement } from '../scenario/suite.ts';
import type { SubjectKind } from '../subject/subject.ts';
import { problem } from '../verdict/problem.ts';
import { differenceBetween } from './determinism.ts';
import type { JudgedRun } from './run-result.ts';

export interface ExecutionFacts {
  readonly scenario: Scenario;
  readonly kind: SubjectKind;
  readonly category: Category | null;
  readonly requirements: readonly Requirement[];
  /** The rules that a run this way may be credited with. */
  readonly covers: readonly string[];
  readonly twice: boolean;
  /** Absolute; below it the directories of the run stay. Null: nothing stays. */
  readonly keep: string | null;
  readonly signal: AbortSignal;
}

export interface Execution {
  readonly run: JudgedRun;
  /** Null where the harness itself failed. */
  readonly observations: Observations | null;
  /** No problem of its own: what it shows may become a pin. */
  readonly clean: boolean;
  /** It never came to its end. */
  readonly partial: boolean;
}

/** What varies between the two runs of rule 7, beside directory, home and port, which always do. Both exist everywhere. */
const ELSEWHERE = { TZ: 'Pacific/Chatham', LANG: 'C' } as const;

/** Rejects only when interrupted: a fault of the harness is a HARNESS_ERROR of this run, and the others go on. */
export async function execute(facts: ExecutionFacts): Promise<Execution> {
  try {
    return await carriedOut(facts);
  } catch (error) {
    if (facts.signal.aborted) throw error;
    return failed(facts, error);
  }
}

async function carriedOut(facts: ExecutionFacts): Promise<Execution> {
  const { scenario, kind, requirements, covers } = facts;
  const { recording, observations } = await seen(facts, {});
  const judgement = judgeRun(recording, observations, { requirements, capabilities: kind.capabilities });
  const clean = judgement.problems.length === 0;
  const difference =
    clean && facts.twice
      ? differenceBetween(observations, (await seen(facts, ELSEWHERE)).observations)
      : null;
  const run: JudgedRun = {
    scenario: scenario.id,
    driver: kind.driver,
    status: difference === null ? judgement.status : 'fail',
    reason: difference === null ? judgement.reason : 'a second run showed something else',
    covers: judgement.status === 'pass' && judgement.reason !== null ? [] : covers,
    sections: [...observations.sections.keys()],
    problems: difference === null ? judgement.problems : [difference],
    durationMs: recording.durationMs,
  };
  return { run, observations, clean: clean && difference === null, partial: recording.failures.length > 0 };
}

async function seen(
  { scenario, kind, category, keep, signal }: ExecutionFacts,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly recording: Recording; readonly observations: Observations }> {
  const recording = await runScenario(scenario, kind, {
    category,
    keep: keep === null ? null : join(keep, scenario.id, kind.driver),
    signal,
    env,
  });
  return { recording, observations: observe(recording, { varying: category?.headers.varying ?? [] }) };
}

function failed({ scenario, kind, covers }: ExecutionFacts, error: unknown): Execution {
  const affected = { scenario: scenario.id, driver: kind.driver };
  const found = problem({
    kind: 'HARNESS_ERROR',
    key: scenario.id,
    affected: [affected],
    message: `turnpin itself failed in this run; the other runs are not touched by it.\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    fix: { command: ['turnpin', 'check', scenario.id, '--keep'], writes: 0 },
  });
  const run: JudgedRun = {
    ...affected,
    status: 'harness-error',
    reason: 'turnpin itself failed',
    covers,
    sections: [],
    problems: [found],
    durationMs: 0,
  };
  return { run, observations: null, clean: false, partial: true };
}
