/** `turnpin lint`: says what is wrong with the declarations, running nothing. */
import { openFrame } from '../frame.ts';
import type { DefineCommand } from '../command.ts';

export const defineLint: DefineCommand = (program, { world, done }) => {
  program
    .command('lint')
    .description('Find what is wrong with scenarios, categories and requirements, running nothing.')
    .action(async (_flags: object, command) => {
      const frame = openFrame(command, world);
      const { loadSuite } = await import('../../scenario/load.ts');
      const suite = loadSuite(frame.root);
      const report = frame.report({
        suite: { digest: suite.digest, scenarios: suite.scenarios.length },
        problems: suite.problems,
      });
      const scenarios = `${suite.scenarios.length} scenario${suite.scenarios.length === 1 ? '' : 's'}`;
      done({
        report,
        text:
          suite.problems.length === 0 ? `No mistakes in ${scenarios}, categories and requirements.` : null,
      });
    });
};
