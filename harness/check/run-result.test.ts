import { describe, expect, it } from 'vitest';
import { problem } from '../verdict/problem.ts';
import { notRun, problemsByRun, resultOf, type JudgedRun } from './run-result.ts';

const run: JudgedRun = {
  scenario: 'turns/one',
  driver: 'cli',
  status: 'pass',
  reason: null,
  covers: ['SEND-1'],
  sections: ['conversations'],
  problems: [],
  durationMs: 1.6,
};
const affected = [{ scenario: 'turns/one', driver: 'cli' } as const];

describe('the result of a run', () => {
  it('fails by a pin of its own scenario', () => {
    const changed = problem({
      kind: 'TRANSCRIPT_CHANGED',
      key: 'turns/one/transcript',
      message: 'm',
      affected,
    });
    expect(resultOf(run, problemsByRun([changed]))).toMatchObject({
      status: 'fail',
      reason: 'TRANSCRIPT_CHANGED turns/one/transcript',
      problems: [changed.id],
      durationMs: 2,
    });
  });

  it('does not fail by a pin of its category, which is one problem however many runs see it, but names it', () => {
    const changed = problem({ kind: 'PIN_CHANGED', key: 'base/system-prompt', message: 'm', affected });
    expect(resultOf(run, problemsByRun([changed]))).toMatchObject({
      status: 'pass',
      reason: null,
      problems: [changed.id],
    });
  });

  it("is not touched by another scenario's pin, even one whose id begins the same", () => {
    const others = problem({
      kind: 'TRANSCRIPT_CHANGED',
      key: 'turns/one-more/transcript',
      message: 'm',
      affected: [{ scenario: 'turns/one-more', driver: 'cli' }],
    });
    expect(resultOf(run, problemsByRun([others]))).toMatchObject({ status: 'pass', problems: [] });
  });

  it('keeps the worse status that the run itself has', () => {
    const changed = problem({
      kind: 'TRANSCRIPT_CHANGED',
      key: 'turns/one/transcript',
      message: 'm',
      affected,
    });
    expect(resultOf({ ...run, status: 'crashed', reason: 'died' }, problemsByRun([changed]))).toMatchObject({
      status: 'crashed',
      reason: 'died',
    });
  });

  it('of a run that was not made has its reason and nothing else', () => {
    expect(notRun(run, 'unsupported', 'needs steer')).toMatchObject({
      status: 'unsupported',
      reason: 'needs steer',
      sections: [],
      problems: [],
    });
  });
});
