/** From the build: what a scenario costs in process, and a cold `turnpin check` of one scenario from the build. */
import { spawnSync } from 'node:child_process';
import { execute } from '../harness/check/execution.ts';
import { loadSuite } from '../harness/scenario/load.ts';
import { inprocSubject } from '../harness/subject/inproc.ts';
import { ROOT, median, paired, timed } from './measure.ts';

const COMMAND = `${ROOT}/dist/harness/cli/turnpin.js`;

export interface ScenarioFigures {
  /** Median of one run, observed and judged. Goal: under 10. */
  readonly inProcessMs: number;
  /** Cold, from the build. Goal: under 500. */
  readonly coldCheckMs: number;
  /** The same, as a multiple of starting Node for nothing. */
  readonly coldCheckRatio: number;
}

/** Scenarios without a process of their own: what is left is the harness and the core. */
const PLAIN = [
  'turns/one-followup',
  'turns/two-followups',
  'turns/two-followups-while-held',
  'turns/token-limit',
];

export async function benchScenario(): Promise<ScenarioFigures> {
  const cold = await paired(
    5,
    () =>
      spawnSync(process.execPath, [COMMAND, 'check', 'turns/one-followup', '--driver', 'inproc'], {
        cwd: ROOT,
      }),
    () => spawnSync(process.execPath, ['-e', '0']),
  );
  return { inProcessMs: await inProcess(), coldCheckMs: cold.a, coldCheckRatio: cold.ratio };
}

async function inProcess(): Promise<number> {
  const suite = await loadSuite(ROOT);
  const kind = inprocSubject();
  const scenarios = suite.scenarios.filter(({ id }) => PLAIN.includes(id));
  const { signal } = new AbortController();
  const times: number[] = [];
  for (let round = 0; round < 30; round += 1) {
    for (const scenario of scenarios) {
      const category = suite.categories.get(scenario.category) ?? null;
      const run = {
        scenario,
        kind,
        category,
        requirements: suite.requirements,
        covers: [],
        keep: null,
        signal,
      };
      times.push(await timed(() => execute(run)));
    }
  }
  return median(times.slice(scenarios.length * 5));
}
