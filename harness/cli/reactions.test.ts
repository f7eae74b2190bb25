/** What the suite says when the core itself is changed in one place: by the built command, through both drivers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../verdict/report.ts';
import { BrokenBuild, Project } from './fixtures/project.ts';

let accepted: Project;
beforeAll(() => {
  accepted = new Project();
  accepted.report('check');
  expect(accepted.report('accept', '--all', '--expect', '6').exit).toBe(0);
}, 300_000);
afterAll(() => accepted.remove());

/** Checks the accepted project with a core in which one string is replaced. */
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

const failing = (report: Report): string[] =>
  report.results
    .filter((result) => result.status !== 'pass')
    .map((result) => `${result.scenario} ${result.driver}`);

describe('a core that changes in one place', { timeout: 300_000 }, () => {
  it('one word of a tool description: one PIN_CHANGED that says who sees it; accepting the printed key mends it', () => {
    const word = { from: 'Runs a command in bash', to: 'Executes a command in bash' };
    withBroken('src/tools/bash.js', word, (project) => {
      const report = project.report('check');
      expect(report.problems.map((problem) => `${problem.kind} ${problem.key}`)).toEqual([
        'PIN_CHANGED base/tool-schemas',
      ]);
      const [problem] = report.problems;
      expect(new Set(problem?.affected.map((run) => run.scenario)).size).toBe(3);
      expect(report.pins.find((pin) => pin.key === problem?.key)).toMatchObject({
        state: 'changed',
        ran: 3,
        members: 3,
      });
      expect(project.run('check').stdout).toContain(
        '3 of 3 scenarios in category "base", all with the same new text',
      );
      expect(project.report(...(problem?.fix?.command.slice(1) ?? [])).exit).toBe(0);
      expect(project.report('check')).toMatchObject({ exit: 0, verdict: 'conformant' });
    });
  });

  it('two queued messages share a turn: the scenarios that cover SEND-2 fail by name, in both drivers', () => {
    const merged = {
      from: "const items = this.#remove('next-step', this.#log.state.list('next-step').length);",
      to: "const items = [...this.#remove('next-turn', this.#log.state.list('next-turn').length), ...this.#remove('next-step', this.#log.state.list('next-step').length)];",
    };
    withBroken('src/agent/inbox.js', merged, (project) => {
      const report = project.report('check');
      expect(failing(report)).toEqual(['turns/two-while-held cli', 'turns/two-while-held inproc']);
      expect(report.coverage['SEND-2']).toMatchObject({ state: 'failing' });
      expect(report.exit).toBe(1);
    });
  });

  it('a wrong tool_call_id in the real client is seen', () => {
    withBroken(
      'src/model/request.js',
      { from: 'tool_call_id: entry.callId', to: "tool_call_id: 'call_0'" },
      (project) => {
        expect(failing(project.report('check', 'tools/bash'))).toContain('tools/bash inproc');
      },
    );
  });

  it('usage that is not asked for is seen', () => {
    withBroken(
      'src/model/request.js',
      { from: 'include_usage: true', to: 'include_usage: false' },
      (project) => {
        const report = project.report('check');
        expect(report.exit).toBe(1);
        expect(report.problems.map((problem) => problem.key)).toContain('base/request-header');
      },
    );
  });
});

describe('a harness that fails itself', { timeout: 300_000 }, () => {
  it('in one run: HARNESS_ERROR there, the other runs are judged, exit 70', () => {
    const from = 'export function judgeRun(recording, observations, facts) {';
    const to = `${from} if (recording.driver === 'cli') throw new Error('a broken judge');`;
    withBroken('harness/judge/judge.js', { from, to }, (project) => {
      const report = project.report('check', 'turns/one-followup');
      expect(report).toMatchObject({ exit: 70, verdict: 'harness-error' });
      expect(report.problems.map((problem) => problem.kind)).toEqual(['HARNESS_ERROR']);
      expect(
        report.results.filter((result) => result.status !== 'not-run').map((result) => result.status),
      ).toEqual(['harness-error', 'pass']);
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
