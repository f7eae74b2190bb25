/** `turnpin rules`: finds requirements by id, group or words. */
import type { Requirement } from '../../requirements/requirement.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { openFrame } from '../frame.ts';
import type { DefineCommand } from '../command.ts';
import { UsageError } from '../usage-error.ts';

interface Rule {
  readonly id: string;
  readonly level: string;
  readonly needs: readonly string[];
  readonly from: string;
  readonly rule: string;
  readonly held: boolean;
  readonly test: string | null;
  /** Scenarios that cover it. */
  readonly scenarios: readonly string[];
}

const WIDTH = 100;

export const defineRules: DefineCommand = (program, { world, done }) => {
  program
    .command('rules')
    .description(
      'Find requirements: by id (SEND-1), group (SEND) or words (steering checkpoint); none: all of them.',
    )
    .argument('[words...]')
    .action(async (words: string[], _flags: object, command) => {
      const frame = openFrame(command, world);
      const [{ loadSuite }, { searchRequirements }] = await Promise.all([
        import('../../scenario/load.ts'),
        import('../../requirements/registry.ts'),
      ]);
      const suite = loadSuite(frame.root);
      const word = words.join(' ');
      const found = word === '' ? suite.requirements : searchRequirements(suite.requirements, word);
      if (found.length === 0) {
        throw new UsageError(
          word === '' ? 'rules' : word,
          word === ''
            ? `This project has no rules: ${suite.paths.scenarios}/requirements.yaml is missing or empty.`
            : `No rule speaks of "${word}". \`turnpin rules\` lists all ${suite.requirements.length}; try one word, such as a group (SEND) or "cancel".`,
        );
      }
      const output = found.map((requirement) => ruleOf(requirement, suite.scenarios));
      const report = frame.report({
        suite: { digest: suite.digest, scenarios: suite.scenarios.length },
        selectors: words,
        output,
      });
      done({ report, text: output.map(told).join('\n\n') });
    });
};

function ruleOf(requirement: Requirement, scenarios: readonly Scenario[]): Rule {
  const { id, level, needs, from, rule, held, test } = requirement;
  const covering = scenarios
    .filter((scenario) => scenario.covers.includes(id))
    .map((scenario) => scenario.id);
  return { id, level, needs, from, rule, held, test, scenarios: covering };
}

function told(rule: Rule): string {
  const needs = rule.needs.length > 0 ? `, needs ${rule.needs.join(', ')}` : '';
  const held = rule.scenarios.length > 0 ? rule.scenarios.join(', ') : (rule.test ?? 'nothing yet');
  return [
    `${rule.id}  ${rule.level}${needs}  (${rule.from})`,
    ...wrapped(rule.rule),
    `  held by ${held}`,
  ].join('\n');
}

/** In lines of a readable width, two columns in. */
function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = ' ';
  for (const word of text.split(/\s+/u)) {
    if (line.length + word.length + 1 > WIDTH && line.trim() !== '') {
      lines.push(line);
      line = ' ';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
