/** `turnpin check`: runs scenarios and judges them. */
import type { Driver } from '../../verdict/vocabulary.ts';
import { liveProgress, sparseProgress, type Progress } from '../../report/progress.ts';
import { driverNames, wholeNumber } from '../arguments.ts';
import { openFrame } from '../frame.ts';
import type { DefineCommand } from '../command.ts';
import type { World } from '../world.ts';

interface CheckFlags {
  readonly jobs?: number;
  readonly keep?: true;
  readonly driver?: readonly Driver[];
  readonly twice?: true;
}

export const defineCheck: DefineCommand = (program, { world, done }) => {
  program
    .command('check')
    .description('Run scenarios and judge them against their expectations, rules and pins.')
    .argument('[selectors...]', 'scenario ids, topics, pin keys or patterns; none: everything')
    .option('-j, --jobs <n>', 'runs at a time (default: by the number of processors)', (text) =>
      wholeNumber('--jobs', text, 1),
    )
    .option('--keep', 'leave workspace, home, frames and journal of each run')
    .option('--driver <names>', 'only these drivers', driverNames)
    .option('--twice', 'run each scenario again elsewhere, and compare')
    .action(async (selectors: string[], flags: CheckFlags, command) => {
      const frame = openFrame(command, world);
      const { check } = await import('../../check/check.ts');
      const progress = progressOn(world);
      const { report, remarks, timeline } = await check({
        root: frame.root,
        selectors,
        drivers: flags.driver ?? null,
        jobs: flags.jobs ?? null,
        keep: flags.keep ?? false,
        twice: flags.twice ?? false,
        writes: true,
        interrupt: world.interrupt,
        progress,
        turnpin: world.turnpin,
        now: world.now,
        ticks: world.ticks,
      }).finally(() => progress.ended());
      for (const remark of remarks) world.stderr.write(`${remark}\n`);
      done({ report, text: null, before: timeline });
    });
};

function progressOn({ stderr }: World): Progress {
  const write = (text: string): void => stderr.write(text);
  return stderr.isTerminal ? liveProgress(write, () => stderr.columns()) : sparseProgress(write);
}
