/** The suite can fail: the built core, broken in one place, against the project's own corpus. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Report } from '../verdict/report.ts';
import { PatchedBuild } from './fixtures/patched-build.ts';

vi.setConfig({ testTimeout: 300_000 });

let build: PatchedBuild;
beforeEach(() => {
  build = new PatchedBuild();
});
afterEach(() => {
  build.remove();
});

/** `scenario driver` of every run that failed. */
function failed(report: Report): string[] {
  return report.results
    .filter((result) => result.status === 'fail')
    .map((result) => `${result.scenario} ${result.driver}`);
}

function problemsOf({ problems }: Report): string[] {
  return problems.map(({ kind, key }) => `${kind} ${key}`);
}

/** Rules that only a process can show have lost their scenarios there. */
function problemsInProcess(report: Report): string[] {
  return problemsOf(report).filter((problem) => !problem.startsWith('UNCOVERED_REQUIREMENT '));
}

function ranInProcess({ results }: Report): ReadonlySet<string> {
  const ran = results.filter(({ driver, status }) => driver === 'inproc' && status !== 'not-run');
  return new Set(ran.map(({ scenario }) => scenario));
}

describe('one word of the bash tool changed', () => {
  beforeEach(() => build.patch('src/tools/bash.js', 'Runs a command in bash', 'Executes a command in bash'));

  it('is one PIN_CHANGED that says how many scenarios see it, and its accept makes it pass', () => {
    // In process the corpus takes seconds, and a pin can only be accepted when all of its members have run.
    build.keep(ranInProcess(build.report('check', '--driver', 'inproc')));
    const report = build.report('check', '--driver', 'inproc');
    expect(problemsInProcess(report)).toEqual(['PIN_CHANGED base/tool-schemas']);
    expect(report.exit).toBe(1);
    const changed = report.problems.find(({ kind }) => kind === 'PIN_CHANGED');
    const members = report.pins.find((pin) => pin.key === 'base/tool-schemas')?.members;
    const affected = new Set(changed?.affected.map(({ scenario }) => scenario));
    expect(affected.size).toBeGreaterThan(50);
    expect(changed?.message).toContain(`${String(affected.size)} of ${String(members)} scenarios`);
    expect(changed?.fix?.command).toEqual(['turnpin', 'accept', 'base/tool-schemas']);
    const accepted = build.report('accept', 'base/tool-schemas');
    expect(accepted.written).toEqual(['snapshots/core/categories/base/tool-schemas.expected.json']);
    expect(problemsInProcess(build.report('check', '--driver', 'inproc'))).toEqual([]);
  });

  it('is one PIN_CHANGED however many drivers see it', () => {
    const report = build.report('check', 'tools/bash', 'turns/one-followup');
    expect(problemsOf(report)).toEqual(['PIN_CHANGED base/tool-schemas']);
    expect(new Set(report.problems[0]?.affected.map(({ driver }) => driver)).size).toBe(4);
  });
});

describe('two queued messages share a turn', () => {
  beforeEach(() =>
    build.patch(
      'src/agent/inbox.js',
      "const prompt = this.#remove('next-turn', Math.min(1, this.#log.state.list('next-turn').length));",
      `const all = this.#remove('next-turn', this.#log.state.list('next-turn').length);
        context.push(...all.slice(0, -1));
        const prompt = all.slice(-1);`,
    ),
  );

  it('fails the scenarios of SEND-1 and SEND-2 by name, in every driver that can queue', () => {
    const report = build.report('check', 'SEND-1', 'SEND-2');
    const ran = report.results.filter(({ status }) => status !== 'not-run' && status !== 'unsupported');
    expect(ran.length).toBeGreaterThan(8);
    expect(failed(report)).toEqual(ran.map(({ scenario, driver }) => `${scenario} ${driver}`));
    // Over ACP one prompt is in flight a session, so that nothing queues there.
    expect([...new Set(ran.map(({ driver }) => driver))].sort()).toEqual(['cli', 'inproc', 'sdk']);
    expect(report.exit).toBe(1);
  });
});

describe('the chat-completions client broken', () => {
  it('fails scenarios where a tool_call_id is wrong', () => {
    build.patch('src/model/request.js', 'tool_call_id: ', "tool_call_id: 'x' + ");
    const report = build.report('check', 'tools/bash');
    expect(failed(report)).toEqual(expect.arrayContaining(['tools/bash cli', 'tools/bash inproc']));
  });

  it('changes the request header where usage is not asked for', () => {
    build.patch('src/model/request.js', 'include_usage: true', 'include_usage: false');
    const report = build.report('check', 'turns/one-followup');
    expect(problemsOf(report)).toContain('PIN_CHANGED base/request-header');
  });
});

describe('what belongs to children alone', () => {
  it('changed in their prompt, fails the pins of the scenarios that own it and nothing else (seed 002)', () => {
    build.patch(
      'src/subagent/report.js',
      'So I am not done when I know the answer.',
      'I may stop when I know.',
    );
    const report = build.report('check', 'subagents', 'turns/one-followup', '--driver', 'inproc');
    expect(problemsOf(report)).toEqual([
      'PIN_CHANGED subagents/no-tools-but-report/system-prompt.1',
      'PIN_CHANGED subagents/report/system-prompt.1',
    ]);
  });

  it('lost from their prompt, fails the pin that holds it (REPORT-2)', () => {
    build.patch(
      'src/subagent/report.js',
      'const removeSection = scope.systemPrompt.add(reportSection());',
      'const removeSection = () => {};',
    );
    const report = build.report('check', 'subagents/report', 'turns/one-followup', '--driver', 'inproc');
    expect(problemsOf(report)).toContain('PIN_CHANGED subagents/report/system-prompt.1');
  });

  it('leaking to their parent, fails the category, and nothing of the children (seed 002, REPORT-3)', () => {
    build.patch(
      'src/assembly/delegation.js',
      'createParent(family, { ...root, add }, makeRoot)',
      `createParent(family, { ...root, add: (scope) => {
        add(scope);
        family.installReport({ tools: scope.tools, systemPrompt: { add: () => () => {} }, deliver: () => '' });
      } }, makeRoot)`,
    );
    const report = build.report('check', 'subagents/report', 'turns/one-followup', '--driver', 'inproc');
    expect(problemsOf(report)).toEqual([
      'EXPECTATION_FAILED subagents/report/main.1',
      'EXPECTATION_FAILED subagents/report/main.3',
      'PIN_CHANGED delegating/tool-schemas',
    ]);
  });
});
