/** What a failing expectation weighs: the highest level among the rules that its scenario covers (scenarios.md, "Drivers"). */
import type { Requirement } from '../scenario/suite.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Capability } from '../subject/subject.ts';
import type { Level } from '../verdict/report.ts';

const RANK: Readonly<Record<Level, number>> = { MAY: 0, SHOULD: 1, MUST: 2 };

/** A rule that the registry does not know weighs MUST: nothing is excused by a slip of the pen. */
export function weightOf(scenario: Scenario, requirements: readonly Requirement[]): Level {
  const levels = scenario.covers.map(
    (id) => requirements.find((requirement) => requirement.id === id)?.level ?? 'MUST',
  );
  return levels.reduce<Level>((highest, level) => (RANK[level] > RANK[highest] ? level : highest), 'MAY');
}

/** The rules that apply to a subject with these capabilities, of those that a scenario covers. */
export function applicableRules(
  scenario: Scenario,
  requirements: readonly Requirement[],
  capabilities: ReadonlySet<Capability>,
): readonly string[] {
  const claimed: ReadonlySet<string> = capabilities;
  return scenario.covers.filter((id) => {
    const rule = requirements.find((requirement) => requirement.id === id);
    return rule !== undefined && rule.needs.every((need) => claimed.has(need));
  });
}
