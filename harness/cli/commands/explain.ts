/** `turnpin explain`: a scenario's rules, script, ways in, and where each of its pinned values comes from. */
import type { ExplainedScript, Explanation } from '../../scenario/explanation.ts';
import type { ScenarioPin } from '../../check/scenario-pins.ts';
import { openFrame } from '../frame.ts';
import type { DefineCommand } from '../command.ts';
import { UsageError } from '../usage-error.ts';

export const defineExplain: DefineCommand = (program, { world, done }) => {
  program
    .command('explain')
    .description("Print a scenario's rules, script, drivers, and where each of its pinned values comes from.")
    .argument('<scenario>', 'id of the scenario')
    .action(async (id: string, _flags: object, command) => {
      const frame = openFrame(command, world);
      const [{ loadSuite }, { explain }, { select }, { pinsOf }, { subjectKinds }] = await Promise.all([
        import('../../scenario/load.ts'),
        import('../../scenario/explanation.ts'),
        import('../../scenario/select.ts'),
        import('../../check/scenario-pins.ts'),
        import('../../check/subjects.ts'),
      ]);
      const suite = loadSuite(frame.root);
      const about = { suite: { digest: suite.digest, scenarios: suite.scenarios.length }, selectors: [id] };
      const selection = select(suite, [id]);
      const [scenario, ...more] = selection.scenarios;
      if (scenario === undefined) {
        // A scenario that cannot be read is explained by what is wrong with it.
        const own = suite.problems.filter(
          (problem) => problem.key === id || problem.key.startsWith(`${id}/`),
        );
        done({
          report: frame.report({ ...about, problems: own.length > 0 ? own : selection.problems }),
          text: null,
        });
        return;
      }
      if (more.length > 0) {
        const ids = selection.scenarios.map((one) => one.id).join(', ');
        throw new UsageError(
          id,
          `\`explain\` takes one scenario; "${id}" stands for ${selection.scenarios.length}: ${ids}`,
        );
      }
      const kinds = await subjectKinds();
      const capabilities = new Set(kinds.flatMap((kind) => [...kind.capabilities]));
      const explained = explain(scenario, suite, capabilities);
      const ways = new Set(kinds.map((kind) => kind.driver));
      const explanation = {
        ...explained,
        drivers: explained.drivers.filter(({ driver }) => ways.has(driver)),
      };
      const pins = pinsOf(scenario, suite);
      done({
        report: frame.report({ ...about, output: { ...explanation, pins } }),
        text: told(explanation, pins),
      });
    });
};

function told(explanation: Explanation, pins: readonly ScenarioPin[]): string {
  const { id, title, file, rules, scripts, drivers, categories } = explanation;
  return [
    `${id}\n  ${title}\n  ${file}, category ${categories.join(' extends ')}`,
    section(
      'Rules',
      rules.map((rule) => `${rule.id}  ${rule.level}  ${rule.rule}`),
    ),
    ...scripts.map(script),
    section(
      'Drivers',
      drivers.map((driver) => {
        if (driver.outcome !== 'run') return `${driver.driver}  ${driver.outcome}: ${driver.reason ?? ''}`;
        const credits = driver.credits.length > 0 ? `; credits ${driver.credits.join(', ')}` : '';
        return `${driver.driver}  judges ${driver.judges.join(', ') || 'pins alone'}${credits}`;
      }),
    ),
    section(
      'Pins',
      pins.map(
        (pin) =>
          `${pin.key}  ${pin.file}${pin.stands ? '' : '  (not there yet)'}${pin.from === null ? '' : `  (${pin.from})`}`,
      ),
    ),
  ].join('\n\n');
}

function script({ name, child, recognised, replies }: ExplainedScript): string {
  const role = child === null ? 'aside' : child === 0 ? 'conversation' : `child ${child}`;
  const lines = replies.flatMap((reply) => [
    `${reply.key}  (line ${reply.line})  ${reply.does.join(', then ')}`,
    ...reply.expects.map((expected) => `    request: ${expected}`),
  ]);
  return section(`Script ${name} (${role}): ${recognised}`, lines);
}

function section(title: string, lines: readonly string[]): string {
  return [title, ...(lines.length > 0 ? lines : ['none']).map((line) => `  ${line}`)].join('\n');
}
