/** One planned run, carried out: run, observe, judge; and once more elsewhere, where a second look is asked for. */
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
  /** Absolute: where the directories of the run stay, and those of a second one beside it. Null: nothing stays. */
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
export function execute(facts: ExecutionFacts): Promise<Execution> {
  return orFailed(facts, async () => {
    const { scenario, kind, requirements, covers } = facts;
    const { recording, observations } = await seen(facts, {});
    const judgement = judgeRun(recording, observations, { requirements, capabilities: kind.capabilities });
    const run: JudgedRun = {
      scenario: scenario.id,
      driver: kind.driver,
      status: judgement.status,
      reason: judgement.reason,
      covers: judgement.status === 'pass' && judgement.reason !== null ? [] : covers,
      sections: [...observations.sections.keys()],
      problems: judgement.problems,
      durationMs: recording.durationMs,
    };
    return {
      run,
      observations,
      clean: judgement.problems.length === 0,
      partial: recording.failures.length > 0,
    };
  });
}

/** Makes the run of a clean execution once more, elsewhere; where it shows something else, the execution is clean no more. */
export function executeAgain(facts: ExecutionFacts, first: Execution): Promise<Execution> {
  const { observations } = first;
  if (observations === null) return Promise.resolve(first);
  return orFailed(facts, async () => {
    const second = await seen(
      { ...facts, keep: facts.keep === null ? null : `${facts.keep}-again` },
      ELSEWHERE,
    );
    const difference = differenceBetween(observations, second.observations);
    if (difference === null) return first;
    const run: JudgedRun = {
      ...first.run,
      status: 'fail',
      reason: 'a second run showed something else',
      problems: [difference],
    };
    return { ...first, run, clean: false };
  });
}

async function orFailed(facts: ExecutionFacts, work: () => Promise<Execution>): Promise<Execution> {
  try {
    return await work();
  } catch (error) {
    if (facts.signal.aborted) throw error;
    return failed(facts, error);
  }
}

async function seen(
  { scenario, kind, category, keep, signal }: ExecutionFacts,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly recording: Recording; readonly observations: Observations }> {
  const recording = await runScenario(scenario, kind, {
    category,
    keep,
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
