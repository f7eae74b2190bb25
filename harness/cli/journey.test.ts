/** From a new suite to a conformant one, by the built command: check, review, accept, check (pins.md, rules 6, 7 and 9). */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changes, documentOf, Project } from './fixtures/project.ts';

const PINS = [
  'base/request-header',
  'base/system-prompt',
  'base/tool-schemas',
  'tools/bash/transcript',
  'turns/one-followup/transcript',
  'turns/two-while-held/transcript',
];
const FILES = [
  'snapshots/core/categories/base/request-header.expected.json',
  'snapshots/core/categories/base/system-prompt.expected.md',
  'snapshots/core/categories/base/tool-schemas.expected.json',
  'snapshots/core/tools/bash/transcript.expected.yaml',
  'snapshots/core/turns/one-followup/transcript.expected.yaml',
  'snapshots/core/turns/two-while-held/transcript.expected.yaml',
];

let project: Project;
beforeAll(() => {
  project = new Project();
});
afterAll(() => project.remove());

describe('a new suite', { timeout: 300_000 }, () => {
  it('is unpinned at first: MISSING_PIN for each file, with accept as its fix; check writes no expected file and leaves no temporary one', () => {
    const before = project.files();
    const temporary = mkdtempSync(join(tmpdir(), 'turnpin-journey-'));
    const report = documentOf(project.runWith({ TMPDIR: temporary }, 'check', '--json'));
    expect(readdirSync(temporary)).toEqual([]);
    expect(report).toMatchObject({
      exit: 1,
      verdict: 'failing',
      filtered: false,
      written: ['turnpin.patch'],
    });
    expect(report.problems.map((problem) => `${problem.kind} ${problem.key}`)).toEqual(
      PINS.map((key) => `MISSING_PIN ${key}`),
    );
    expect(report.problems.map((problem) => problem.fix?.command)).toEqual(
      PINS.map((key) => ['turnpin', 'accept', key]),
    );
    expect(new Set(report.results.map((result) => result.scenario))).toEqual(
      new Set(['tools/bash', 'turns/one-followup', 'turns/two-while-held']),
    );
    expect(new Set(report.results.map((result) => result.status))).toEqual(new Set(['fail']));
    const { appeared, changed, vanished } = changes(before, project.files());
    expect(appeared.filter((file) => !file.startsWith('.turnpin/'))).toEqual(['turnpin.patch']);
    expect([changed, vanished]).toEqual([[], []]);
  });

  it('leaves a patch that git apply turns into the accepted state, and review lists the same', () => {
    const patched = new Project(project);
    try {
      execFileSync('git', ['init', '-q'], { cwd: patched.root });
      execFileSync('git', ['apply', 'turnpin.patch'], { cwd: patched.root });
      expect([...patched.files().keys()].filter((file) => file.startsWith('snapshots/')).sort()).toEqual(
        FILES,
      );
      expect(patched.report('check', '--driver', 'inproc').problems).toEqual([]);
    } finally {
      patched.remove();
    }
    expect(project.run('review').stdout).toContain('turnpin accept --all --expect 6');
  });

  it('is accepted only by whoever says how much, and never in CI', () => {
    const before = project.files();
    for (const ran of [
      project.run('accept', '--all'),
      project.run('accept', '--all', '--expect', '5'),
      project.runWith({ CI: 'true' }, 'accept', 'base'),
    ]) {
      expect(ran.code).toBe(1);
      expect(ran.stdout).toContain('ACCEPT_REFUSED');
    }
    expect(project.run('accept', 'turns/one-folowup/transcript').stdout).toContain(
      'Did you mean turns/one-followup/transcript?',
    );
    expect(changes(before, project.files())).toEqual({ appeared: [], changed: [], vanished: [] });

    const report = project.report('accept', '--all', '--expect', '6');
    expect(report).toMatchObject({ exit: 0, verdict: 'no-problem', written: FILES });
    expect(changes(before, project.files()).appeared).toEqual(FILES);
  });

  it('is conformant then, and equal runs print equal documents but for their time', () => {
    const timeless = (): unknown => {
      const { startedAt: _at, durationMs: _ms, results, ...rest } = project.report('check');
      return { ...rest, results: results.map(({ durationMs: _run, ...result }) => result) };
    };
    const first = timeless();
    expect(first).toMatchObject({
      exit: 0,
      verdict: 'conformant',
      problems: [],
      written: [],
      coverage: { 'SEND-1': { state: 'held' } },
    });
    expect(timeless()).toEqual(first);
    expect(project.has('turnpin.patch')).toBe(false);
  });

  it('is never called conformant by a filtered run, which says how many members it saw', () => {
    const report = project.report('check', 'turns/one-followup');
    expect(report).toMatchObject({
      exit: 0,
      verdict: 'no-problem',
      filtered: true,
      selectors: ['turns/one-followup'],
    });
    expect(report.pins.find((pin) => pin.key === 'base/system-prompt')).toMatchObject({ ran: 1, members: 3 });
    for (const { scenario, status } of report.results)
      expect(status).toBe(scenario === 'turns/one-followup' ? 'pass' : 'not-run');
    expect(report.coverage['SEND-1']).toMatchObject({ state: 'not-judged' });
    const { stdout } = project.run('check', 'turns/one-followup', '--driver', 'inproc');
    expect(stdout).toContain('1 run of 1 of 3 scenarios through inproc: 1 passed.');
    expect(stdout).not.toContain('conformant');
    expect(stdout).toMatch(/^turns\/one-followup \(inproc\)\n {2}agent\/inbox\/spliced/u);
  });

  it('is coloured only where that is wanted', () => {
    expect(project.run('check', 'turns/one-followup', '--driver', 'inproc').stdout).not.toContain('\u001B');
    expect(
      project.runWith({ FORCE_COLOR: '1' }, 'check', 'turns/one-followup', '--driver', 'inproc').stdout,
    ).toContain('\u001B');
  });
});
