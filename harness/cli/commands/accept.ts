/** `turnpin accept`: takes what the last check left as the new expected files. Runs nothing. */
import { wholeNumber } from '../arguments.ts';
import { openFrame } from '../frame.ts';
import type { DefineCommand } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { openStore } from '../store-frame.ts';

interface AcceptFlags {
  readonly all?: true;
  readonly expect?: number;
}

export const defineAccept: DefineCommand = (program, { world, done }) => {
  program
    .command('accept')
    .description(
      'Take what the last check left pending as the new expected files. Runs nothing; refused in CI.',
    )
    .argument('[keys...]', 'keys of pins, or what stands before a slash in them: base, turns/x')
    .option('--all', 'everything that is pending; needs --expect')
    .option('--expect <n>', 'with --all: how many values you mean', (text) =>
      wholeNumber('--expect', text, 0),
    )
    .action(async (keys: string[], flags: AcceptFlags, command) => {
      refuseMixed(keys, flags);
      const frame = openFrame(command, world);
      const { facts, about, invalid, store } = await openStore(frame, world);
      if (invalid !== null) {
        done({ report: invalid, text: null });
        return;
      }
      const choice = { keys: flags.all === true ? ('all' as const) : keys, expect: flags.expect ?? null };
      const { problems, written, keys: accepted } = await store.accept(facts, choice);
      if (written.length > 0) {
        const { removePatch } = await import('../../check/leavings.ts');
        removePatch(frame.root);
      }
      const report = frame.report({ ...about, selectors: keys, problems, written, output: { accepted } });
      const told =
        accepted.length === 0
          ? 'Nothing to write: the expected files say it already.'
          : `Accepted ${accepted.join(', ')}.`;
      done({
        report,
        text: problems.length > 0 ? null : [told, ...written.map((file) => `  wrote ${file}`)].join('\n'),
      });
    });
};

function refuseMixed(keys: readonly string[], { all, expect }: AcceptFlags): void {
  if (all === true && keys.length > 0)
    throw new UsageError('--all', '`accept` takes keys or --all, not both.');
  if (all !== true && expect !== undefined) throw new UsageError('--expect', '--expect belongs to --all.');
  if (all !== true && keys.length === 0) {
    throw new UsageError(
      'keys',
      '`accept` wants the keys of what to take, as `turnpin check` prints them, or --all --expect <n>. `turnpin review` lists what is pending.',
    );
  }
}
