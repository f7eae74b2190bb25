/** Which rules the results hold (report.md, `coverage`). Pure. */
import type { Capability } from '../verdict/capability.ts';
import { problem, type Problem } from '../verdict/problem.ts';
import type { Coverage, CoverageState, Result } from '../verdict/report.ts';
import type { Status } from '../verdict/vocabulary.ts';
import type { Requirement } from './requirement.ts';

export interface CoverageFacts {
  readonly requirements: readonly Requirement[];
  /** All scenarios of the suite, run or not. */
  readonly scenarios: readonly { readonly id: string; readonly covers: readonly string[] }[];
  readonly results: readonly Result[];
  /** The rules that a result may be credited with: its expectation was judged and their needs are claimed. */
  readonly credits: (result: Result) => readonly string[];
  /** What the subject claims. */
  readonly capabilities: ReadonlySet<Capability>;
  readonly filtered: boolean;
}

const FAILING: readonly Status[] = [
  'fail',
  'known-fail',
  'crashed',
  'timeout',
  'setup-error',
  'harness-error',
];
const PASSING: readonly Status[] = ['pass', 'unexpected-pass'];

/** One entry a rule, in the order of the registry. */
export function coverageOf(facts: CoverageFacts): Record<string, Coverage> {
  const credited = creditedResults(facts);
  return Object.fromEntries(
    facts.requirements.map((requirement) => {
      const covering = facts.scenarios
        .filter(({ covers }) => covers.includes(requirement.id))
        .map(({ id }) => id);
      const results = credited.get(requirement.id) ?? [];
      const state = stateOf(requirement, { covering, results, facts });
      return [requirement.id, { level: requirement.level, state, by: by(requirement, state, covering) }];
    }),
  );
}

function creditedResults({ results, credits }: CoverageFacts): ReadonlyMap<string, readonly Result[]> {
  const credited = new Map<string, Result[]>();
  for (const result of results) {
    for (const id of credits(result)) credited.set(id, [...(credited.get(id) ?? []), result]);
  }
  return credited;
}

interface Seen {
  readonly covering: readonly string[];
  readonly results: readonly Result[];
  readonly facts: CoverageFacts;
}

function stateOf(requirement: Requirement, { covering, results, facts }: Seen): CoverageState {
  if (!requirement.needs.every((word) => facts.capabilities.has(word))) return 'unsupported';
  if (results.some(({ status }) => FAILING.includes(status))) return 'failing';
  if (covering.length === 0) return requirement.test === null ? 'uncovered' : 'unit-test';
  if (facts.filtered) return 'not-judged';
  if (results.some(({ status }) => PASSING.includes(status))) return 'held';
  if (requirement.test !== null) return 'unit-test';
  const about = facts.results.filter(({ scenario }) => covering.includes(scenario));
  if (about.some(({ status }) => status === 'not-run')) return 'not-judged';
  if (about.length > 0 && about.every(({ status }) => status === 'unsupported')) return 'unsupported';
  return 'uncovered';
}

function by(requirement: Requirement, state: CoverageState, covering: readonly string[]): readonly string[] {
  return state === 'unit-test' && requirement.test !== null ? [requirement.test] : covering;
}

/** A rule that the registry marks `held` and that nothing holds. Other uncovered rules are no problem. */
export function uncoveredProblems(
  requirements: readonly Requirement[],
  coverage: Readonly<Record<string, Coverage>>,
  file: string,
): Problem[] {
  return requirements.flatMap((requirement) => {
    const covered = coverage[requirement.id];
    if (!requirement.held || covered?.state !== 'uncovered') return [];
    return [
      problem({
        kind: 'UNCOVERED_REQUIREMENT',
        key: requirement.id,
        file,
        line: requirement.position?.line ?? null,
        column: requirement.position?.column ?? null,
        message:
          covered.by.length === 0
            ? `${requirement.id} is marked "held: true", but no scenario covers it and no "test" is named. Write a scenario with "covers: [${requirement.id}]", name the test, or take the mark away.`
            : `${requirement.id} is marked "held: true", but where ${covered.by.join(', ')} ran nothing that it needs (${requirement.needs.join(', ')}) could be judged. Cover it in a scenario that such a driver can express, name a "test", or take the mark away.`,
      }),
    ];
  });
}
