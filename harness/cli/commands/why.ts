/** `turnpin why`: who claims an expected file, and who lives by it. */
import type { FileStory } from '../../pins/why.ts';
import { openFrame } from '../frame.ts';
import type { DefineCommand } from '../command.ts';
import { openStore } from '../store-frame.ts';
import { UsageError } from '../usage-error.ts';

const MOST_MEMBERS = 10;

export const defineWhy: DefineCommand = (program, { world, done }) => {
  program
    .command('why')
    .description(
      'Tell who claims an expected file, who inherits or refers to it, and whose runs are held to it.',
    )
    .argument('<file>', 'a file below the snapshots folder, or the key of a pin (base/system-prompt)')
    .action(async (file: string, _flags: object, command) => {
      const frame = openFrame(command, world);
      const { facts, about, invalid } = await openStore(frame, world);
      if (invalid !== null) {
        done({ report: invalid, text: null });
        return;
      }
      const [{ storyOf }, { Disk }, { readSnapshots }] = await Promise.all([
        import('../../pins/why.ts'),
        import('../../pins/disk.ts'),
        import('../../pins/snapshot-files.ts'),
      ]);
      const disk = new Disk(readSnapshots(facts.suite.paths));
      const story = storyOf(file.replace(/^\.\//u, ''), { ...facts, disk });
      if (story.key === null && !story.exists)
        throw new UsageError(
          file,
          `Nothing claims "${file}", and there is no such file below ${facts.suite.paths.snapshots}. Give a path relative to the project, or a pin's key; \`turnpin check --json\` lists all pins.`,
        );
      done({ report: frame.report({ ...about, selectors: [file], output: story }), text: told(story) });
    });
};

function told(story: FileStory): string {
  const { members } = story;
  const more = members.length > MOST_MEMBERS ? `, and ${String(members.length - MOST_MEMBERS)} more` : '';
  const list = (what: string, names: readonly string[]): string[] =>
    names.length === 0 ? [] : [`${what.padEnd(13)}${names.join(', ')}`];
  return [
    `${story.file}${story.exists ? '' : '   (does not exist)'}`,
    ...list('key', story.key === null ? [] : [story.key]),
    `claimed by   ${story.claimedBy ?? 'nobody: turnpin check reports it as ORPHAN_FILE'}`,
    ...list('inherited by', story.inheritedBy),
    ...list('referred by', story.referredToBy),
    ...list('holds', members.length === 0 ? [] : [`${members.slice(0, MOST_MEMBERS).join(', ')}${more}`]),
  ].join('\n');
}
