/** All runs of a check, several at a time. Of each only its judgement stays; the ledger keeps what differs from the pins. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createPinLedger, type PinLedger } from '../pins/judge.ts';
import { renderTimeline } from '../report/timeline.ts';
import { execute, executeAgain, type Execution, type ExecutionFacts } from './execution.ts';
import type { CheckOptions } from './options.ts';
import { forEachInPool } from './pool.ts';
import type { PlannedRun, Preparation } from './preparation.ts';
import type { JudgedRun } from './run-result.ts';

export interface RunsMade {
  /** In the order in which they ended. */
  readonly judged: readonly JudgedRun[];
  readonly ledger: PinLedger;
  /** Folder with what `--keep` has left, relative to the project. */
  readonly kept: string | null;
  readonly timeline: string | null;
}

/** Below the folder of the pending files, which git ignores. */
const KEPT = '.turnpin/kept';
/** More at a time only take each other's processor. */
const MOST_JOBS = 8;

/** Runs what was selected; an interruption ends what runs and starts nothing more. */
export async function runAll(preparation: Preparation, options: CheckOptions): Promise<RunsMade> {
  const { suite, claims, disk, runnable } = preparation;
  const ledger = createPinLedger({ suite, claims, disk, runnable });
  const todo = preparation.runs.filter((run) => run.selected && run.unsupported === null);
  const alone = new Set(todo.map((run) => run.scenario.id)).size === 1;
  const judged: JudgedRun[] = [];
  const timelines = new Map<PlannedRun, string>();
  const settle = (planned: PlannedRun, { run, observations, clean, partial }: Execution): void => {
    judged.push(run);
    options.progress.finished({ scenario: run.scenario, driver: run.driver, status: run.status });
    if (observations === null) return;
    ledger.add({ scenario: run.scenario, driver: run.driver, clean, partial, observations });
    if (alone) timelines.set(planned, renderTimeline(observations));
  };
  const pool = {
    width: options.jobs ?? Math.min(MOST_JOBS, availableParallelism()),
    signal: options.interrupt,
  };
  options.progress.started(todo.length);
  // What waits for its second run is kept until then, the one thing that grows with the number of runs.
  const waiting = new Map<PlannedRun, Execution>();
  await forEachInPool(todo, {
    ...pool,
    work: async (planned) => {
      const execution = await execute(factsOf(planned, preparation, options));
      const twice = options.twice || preparation.fresh.has(planned.scenario.id);
      if (twice && execution.clean) waiting.set(planned, execution);
      else settle(planned, execution);
    },
  });
  // In the opposite order: what one run leaves behind in the process meets others than before.
  await forEachInPool(todo.filter((planned) => waiting.has(planned)).reverse(), {
    ...pool,
    work: async (planned) => {
      const first = waiting.get(planned);
      if (first !== undefined)
        settle(planned, await executeAgain(factsOf(planned, preparation, options), first));
    },
  });
  options.progress.ended();
  const shown = todo.flatMap((planned) => timelines.get(planned) ?? []);
  return { judged, ledger, kept: options.keep ? KEPT : null, timeline: shown[0] ?? null };
}

function factsOf(
  { scenario, kind, covers }: PlannedRun,
  { suite }: Preparation,
  options: CheckOptions,
): ExecutionFacts {
  return {
    scenario,
    kind,
    covers,
    requirements: suite.requirements,
    category: suite.categories.get(scenario.category) ?? null,
    keep: options.keep ? join(suite.paths.root, KEPT, scenario.id, kind.driver) : null,
    signal: options.interrupt,
  };
}
