/** What is wrong although every file is well-formed: `turnpin lint` (scenarios.md). Pure. */
import { mistakeProblems } from '../../document/problem.ts';
import type { Requirement } from '../../requirements/requirement.ts';
import type { Problem } from '../../verdict/problem.ts';
import type { Category, Scenario } from '../scenario.ts';
import { lintScenario } from './scenario.ts';

export interface Linted {
  readonly scenarios: readonly Scenario[];
  readonly categories: ReadonlyMap<string, Category>;
  readonly requirements: readonly Requirement[];
  /** Ids of all scenario files, readable or not. */
  readonly files: ReadonlySet<string>;
  /** Text of a scenario's file, for the line that is shown. */
  readonly textOf: (file: string) => string;
}

export function lintSuite(suite: Linted): Problem[] {
  const byId = new Map(suite.scenarios.map((scenario) => [scenario.id, scenario]));
  return suite.scenarios.flatMap((scenario) => {
    const mistakes = lintScenario(scenario, { ...suite, byId });
    if (mistakes.length === 0) return [];
    const { file, id } = scenario;
    return mistakeProblems({ kind: 'INVALID_SCENARIO', file, key: id, text: suite.textOf(file) }, mistakes);
  });
}
