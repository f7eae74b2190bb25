/** `turnpin review`: lists what is pending, with the command that takes each value. */
import { pasteable } from '../../report/pasteable.ts';
import { openFrame } from '../frame.ts';
import type { DefineCommand } from '../command.ts';
import { openStore } from '../store-frame.ts';

export const defineReview: DefineCommand = (program, { world, done }) => {
  program
    .command('review')
    .description(
      'List what the last check left pending: each distinct difference, with the command that accepts it.',
    )
    .action(async (_flags: object, command) => {
      const frame = openFrame(command, world);
      const { facts, about, store } = await openStore(frame, world);
      const { pendingChanges } = await import('../../check/pending-changes.ts');
      const pending = pendingChanges(facts.suite, store.readPending(facts.suite));
      const blocks = pending.map(({ keys, files, summary, diff }) => {
        const lines =
          diff === ''
            ? []
            : [
                '',
                ...diff
                  .trimEnd()
                  .split('\n')
                  .map((line) => `  ${line}`),
                '',
              ];
        return [
          `${keys.join(', ')}\n  ${files.join('\n  ')}\n  ${summary}`,
          ...lines,
          `  ${pasteable(['turnpin', 'accept', ...keys], frame.chosenRoot)}`,
        ].join('\n');
      });
      const count = pending.reduce((sum, one) => sum + one.keys.length, 0);
      const last =
        count === 0
          ? 'Nothing is pending. `turnpin check` leaves what differs.'
          : `${count} pending. All of them: ${pasteable(['turnpin', 'accept', '--all', '--expect', String(count)], frame.chosenRoot)}`;
      done({ report: frame.report({ ...about, output: pending }), text: [...blocks, last].join('\n\n') });
    });
};
