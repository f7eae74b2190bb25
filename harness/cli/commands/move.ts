/** `turnpin move`: a scenario gets another id and takes its snapshots along, or a child's sidecar gets another owner. */
import { openFrame } from '../frame.ts';
import type { DefineCommand } from '../command.ts';
import { openStore } from '../store-frame.ts';

export const defineMove: DefineCommand = (program, { world, done }) => {
  program
    .command('move')
    .description(
      "Give a scenario another id, its snapshots and the references to them along with it; or a child's sidecar another owner.",
    )
    .argument('<from>', "a scenario's id, or the key of a sidecar (topic/name/system-prompt.1)")
    .argument('<to>', 'the new id, or the scenario that owns the sidecar from now on')
    .action(async (from: string, to: string, _flags: object, command) => {
      const frame = openFrame(command, world);
      const { facts, about, invalid, store } = await openStore(frame, world);
      if (invalid !== null) {
        done({ report: invalid, text: null });
        return;
      }
      const { problems, written, keys: moved } = await store.move(facts, from, to);
      const report = frame.report({ ...about, selectors: [from, to], problems, written, output: { moved } });
      const lines = [`Moved ${from} to ${to}.`, ...written.map((file) => `  changed ${file}`)];
      done({ report, text: problems.length > 0 ? null : lines.join('\n') });
    });
};
