/** What is left when turnpin itself fails, by the built command: the document, the other runs, exit 70 (report.md). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BrokenBuild, Project } from './fixtures/project.ts';

let accepted: Project;
beforeAll(() => {
  accepted = new Project();
  accepted.report('check');
  expect(accepted.report('accept', '--all', '--expect', '6').exit).toBe(0);
}, 300_000);
afterAll(() => accepted.remove());

/** Checks the accepted project with a build in which one string is replaced. */
function withBroken(
  file: string,
  change: { from: string; to: string },
  look: (project: Project) => void,
): void {
  const build = new BrokenBuild(file, change.from, change.to);
  const project = new Project(accepted);
  project.program = build.program;
  try {
    look(project);
  } finally {
    build.remove();
    project.remove();
  }
}

describe('a harness that fails itself', { timeout: 300_000 }, () => {
  it('in one run: HARNESS_ERROR there, the other runs are judged, exit 70', () => {
    const from = 'export function judgeRun(recording, observations, facts) {';
    const to = `${from} if (recording.driver === 'cli') throw new Error('a broken judge');`;
    withBroken('harness/judge/judge.js', { from, to }, (project) => {
      const report = project.report('check', 'turns/one-followup');
      expect(report).toMatchObject({ exit: 70, verdict: 'harness-error' });
      expect(report.problems.map((problem) => problem.kind)).toEqual(['HARNESS_ERROR']);
      for (const result of report.results.filter(({ scenario }) => scenario === 'turns/one-followup'))
        expect(result.status).toBe(result.driver === 'cli' ? 'harness-error' : 'pass');
    });
  });

  it('outside every run: the document is printed all the same, the trace on standard error', () => {
    const from = 'const interrupted = options.interrupt.aborted;';
    withBroken('harness/check/check.js', { from, to: "throw new Error('a broken check');" }, (project) => {
      const report = project.report('check', 'turns/one-followup', '--driver', 'inproc');
      expect(report).toMatchObject({
        exit: 70,
        verdict: 'harness-error',
        problems: [{ kind: 'HARNESS_ERROR', blame: 'harness' }],
      });
      expect(report.problems[0]?.message).toContain('a broken check');
      expect(project.run('check', 'turns/one-followup', '--driver', 'inproc').stderr).toContain('check.js');
    });
  });
});
