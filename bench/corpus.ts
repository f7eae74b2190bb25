/** What a whole check costs as the corpus grows, by the built command in projects of its own. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, timed } from './measure.ts';

const COMMAND = join(ROOT, 'dist/harness/cli/turnpin.js');
const SMALL = join(ROOT, 'harness/cli/fixtures/small/scenarios');
/** Makes Node say at its end how much memory it had at the most. */
const PEAK = `data:text/javascript,process.on('exit', () => process._rawDebug('PEAK ' + process.resourceUsage().maxRSS))`;

export interface CorpusFigures {
  /** Time of a scenario more, between 200 and 800 scenarios, through that between 50 and 200. Goal: about 1. */
  readonly timeRatio: number;
  /** Peak memory with 800 scenarios through that with 50. Goal: near 1; what is left are the scenarios themselves. */
  readonly memoryRatio: number;
}

export async function benchCorpus(): Promise<CorpusFigures> {
  const [few, some, many] = [await whole(50), await whole(200), await whole(800)];
  return {
    timeRatio: (many.ms - some.ms) / 600 / ((some.ms - few.ms) / 150),
    memoryRatio: many.peak / few.peak,
  };
}

/** One check of a project of that many scenarios, all of whose pins are accepted. */
async function whole(scenarios: number): Promise<{ readonly ms: number; readonly peak: number }> {
  const dir = mkdtempSync(join(tmpdir(), 'turnpin-bench-'));
  try {
    cpSync(join(SMALL, 'requirements.yaml'), join(dir, 'scenarios/requirements.yaml'), { recursive: true });
    const text = readFileSync(join(SMALL, 'turns/one-followup.yaml'), 'utf8');
    for (let index = 0; index < scenarios; index += 1) {
      const topic = join(dir, `scenarios/topic-${String(Math.floor(index / 100))}`);
      mkdirSync(topic, { recursive: true });
      writeFileSync(join(topic, `scenario-${String(index)}.yaml`), text);
    }
    const turnpin = (...args: string[]) => {
      const ended = spawnSync(process.execPath, ['--import', PEAK, COMMAND, ...args], {
        cwd: dir,
        encoding: 'utf8',
        maxBuffer: 1e9,
      });
      return { code: ended.status, peak: Number(/PEAK (\d+)/.exec(ended.stderr)?.[1]) };
    };
    turnpin('check', '--driver', 'inproc');
    // One transcript a scenario, and the request header, the system prompt and the tool schemas of the category.
    turnpin('accept', '--all', '--expect', String(scenarios + 3));
    let check = { code: null as number | null, peak: 0 };
    const ms = await timed(() => (check = turnpin('check', '--driver', 'inproc')));
    if (check.code !== 0)
      throw new Error(`the check of ${String(scenarios)} scenarios exits ${String(check.code)}`);
    return { ms, peak: check.peak };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
