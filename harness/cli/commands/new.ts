/** `turnpin new`: writes the commented skeleton of a scenario. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openFrame } from '../frame.ts';
import type { DefineCommand } from '../command.ts';
import { pasteable } from '../../report/pasteable.ts';

export const defineNew: DefineCommand = (program, { world, done }) => {
  program
    .command('new')
    .description('Write the commented skeleton of a scenario.')
    .argument('<id>', 'topic and name, such as turns/my-case')
    .action(async (id: string, _flags: object, command) => {
      const frame = openFrame(command, world);
      const [{ loadSuite }, { skeleton }] = await Promise.all([
        import('../../scenario/load.ts'),
        import('../../scenario/skeleton.ts'),
      ]);
      const suite = loadSuite(frame.root);
      const made = skeleton(id, suite);
      const about = { suite: { digest: suite.digest, scenarios: suite.scenarios.length }, selectors: [id] };
      if ('problem' in made) {
        done({ report: frame.report({ ...about, problems: [made.problem] }), text: null });
        return;
      }
      const path = join(frame.root, made.file);
      mkdirSync(dirname(path), { recursive: true });
      // Never over a file that somebody else has just made.
      writeFileSync(path, made.text, { flag: 'wx' });
      const scenario = made.file.slice(suite.paths.scenarios.length + 1).replace(/\.yaml$/u, '');
      const next = pasteable(['turnpin', 'check', scenario], frame.chosenRoot);
      done({
        report: frame.report({ ...about, written: [made.file], output: { id: scenario, file: made.file } }),
        text: `Wrote ${made.file}. Fill it in, then run\n  ${next}\n`,
      });
    });
};
