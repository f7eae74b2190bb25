import { describe, expect, it } from 'vitest';
import { CAPABILITIES } from '../verdict/capability.ts';
import type { Result } from '../verdict/report.ts';
import type { Status } from '../verdict/vocabulary.ts';
import { coverageOf, uncoveredProblems, type CoverageFacts } from './coverage.ts';
import type { Requirement } from './requirement.ts';

const rule = (more: Partial<Requirement> = {}): Requirement => ({
  id: 'SEND-1',
  group: 'SEND',
  level: 'MUST',
  needs: ['followup'],
  from: 'design',
  rule: 'r',
  held: false,
  test: null,
  ...more,
});

const result = (status: Status, scenario = 'turns/a'): Result => ({
  scenario,
  driver: 'inproc',
  status,
  reason: null,
  covers: ['SEND-1'],
  sections: [],
  problems: [],
  durationMs: 0,
});

const facts = (more: Partial<CoverageFacts> = {}): CoverageFacts => ({
  requirements: [rule()],
  scenarios: [
    { id: 'turns/a', covers: ['SEND-1'] },
    { id: 'turns/b', covers: ['TURN-1'] },
  ],
  results: [result('pass')],
  credits: ({ covers }) => covers,
  capabilities: new Set(CAPABILITIES),
  filtered: false,
  ...more,
});

const state = (more: Partial<CoverageFacts>): string | undefined => coverageOf(facts(more))['SEND-1']?.state;
const nobody = { scenarios: [], results: [] };

describe('a rule', () => {
  it('is held by the scenarios that cover it', () => {
    expect(coverageOf(facts())).toEqual({ 'SEND-1': { level: 'MUST', state: 'held', by: ['turns/a'] } });
  });

  it.each<Status>(['fail', 'known-fail', 'crashed', 'timeout', 'setup-error'])(
    'fails where one of them ends as %s',
    (status) => {
      expect(state({ results: [result('pass'), result(status)] })).toBe('failing');
    },
  );

  it('is unsupported where the subject does not claim what it needs', () => {
    expect(state({ capabilities: new Set() })).toBe('unsupported');
  });

  it('is unsupported where all that covers it was', () => {
    expect(state({ results: [result('unsupported')] })).toBe('unsupported');
  });

  it('is held by a unit test where no scenario covers it', () => {
    const requirements = [rule({ test: 'src/x.test.ts' })];
    expect(coverageOf(facts({ requirements, ...nobody }))['SEND-1']).toEqual({
      level: 'MUST',
      state: 'unit-test',
      by: ['src/x.test.ts'],
    });
  });

  it('is uncovered where nothing covers it', () => {
    expect(state(nobody)).toBe('uncovered');
  });

  it('is uncovered where what covers it was not judged', () => {
    expect(state({ credits: () => [] })).toBe('uncovered');
  });

  it('is not judged in a filtered run, unless it fails', () => {
    expect(state({ filtered: true })).toBe('not-judged');
    expect(state({ filtered: true, results: [result('fail')] })).toBe('failing');
    expect(state({ filtered: true, ...nobody })).toBe('uncovered');
  });

  it('is not judged where the run was cut short', () => {
    expect(state({ results: [result('not-run')] })).toBe('not-judged');
  });
});

describe('a rule that nothing holds', () => {
  const problems = (requirement: Requirement, more: Partial<CoverageFacts>) =>
    uncoveredProblems(
      [requirement],
      coverageOf(facts({ requirements: [requirement], ...more })),
      'scenarios/requirements.yaml',
    );

  it('is a problem where the registry marks it held', () => {
    const held = rule({ held: true, position: { line: 7, column: 5 } });
    expect(problems(held, nobody)).toMatchObject([
      { kind: 'UNCOVERED_REQUIREMENT', key: 'SEND-1', line: 7, file: 'scenarios/requirements.yaml' },
    ]);
    expect(problems(held, { credits: () => [] })[0]?.message).toContain('turns/a');
  });

  it('is none otherwise', () => {
    expect(problems(rule(), nobody)).toEqual([]);
    expect(problems(rule({ held: true }), {})).toEqual([]);
    expect(problems(rule({ held: true, test: 'x' }), nobody)).toEqual([]);
  });
});
