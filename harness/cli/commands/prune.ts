/** `turnpin prune`: deletes expected files that repeat what they would inherit, with their declarations. */
import { openFrame } from '../frame.ts';
import type { DefineCommand } from '../command.ts';
import { openStore } from '../store-frame.ts';

export const definePrune: DefineCommand = (program, { world, done }) => {
  program
    .command('prune')
    .description(
      'Delete expected files that repeat what they would inherit, and their declarations; nothing else.',
    )
    .argument('[keys...]', 'keys of REDUNDANT_SIDECAR problems; none: all of them')
    .option('--dry-run', 'only say what would be deleted and edited')
    .action(async (keys: string[], flags: { dryRun?: true }, command) => {
      const frame = openFrame(command, world);
      const { facts, about, invalid, store } = await openStore(frame, world);
      if (invalid !== null) {
        done({ report: invalid, text: null });
        return;
      }
      if (flags.dryRun === true) {
        const { plannedPrune } = await import('../../check/planned-prune.ts');
        const plan = plannedPrune(facts, keys);
        const lines = [
          ...plan.deletes.map((file) => `  would delete ${file}`),
          ...plan.edits.map((file) => `  would edit ${file}`),
        ];
        done({
          report: frame.report({ ...about, selectors: keys, problems: plan.problems, output: plan }),
          text:
            plan.problems.length > 0
              ? null
              : [lines.length === 0 ? 'Nothing is redundant.' : 'A prune', ...lines].join('\n'),
        });
        return;
      }
      const { problems, written, keys: pruned } = await store.prune(facts, keys.length === 0 ? 'all' : keys);
      const report = frame.report({ ...about, selectors: keys, problems, written, output: { pruned } });
      const told = pruned.length === 0 ? 'Nothing is redundant.' : `Pruned ${pruned.join(', ')}.`;
      done({
        report,
        text: problems.length > 0 ? null : [told, ...written.map((file) => `  changed ${file}`)].join('\n'),
      });
    });
};
