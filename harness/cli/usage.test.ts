/** Bad input, by the built command in a project of its own: exit 2, a clear error, nothing written (issue: "Bad input"). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changes, documentOf, Project } from './fixtures/project.ts';

const UNCHANGED = { appeared: [], changed: [], vanished: [] };
let project: Project;
beforeAll(() => {
  project = new Project();
});
afterAll(() => project.remove());

/** Runs with and without `--json`; both must agree, and neither may write. */
function refused(
  in_: Project,
  ...args: string[]
): { text: string; messages: string; kinds: string[]; keys: string[] } {
  const before = in_.files();
  const plain = in_.run(...args);
  const report = documentOf(in_.run(...args, '--json'));
  expect(changes(before, in_.files())).toEqual(UNCHANGED);
  expect(plain.code).toBe(2);
  expect(report).toMatchObject({ exit: 2, verdict: 'invalid', results: [], pins: [], written: [] });
  return {
    text: plain.stdout + plain.stderr,
    messages: report.problems.map((problem) => problem.message).join('\n'),
    kinds: report.problems.map((problem) => problem.kind),
    keys: report.problems.map((problem) => problem.key),
  };
}

describe('a mistake on the command line', { timeout: 120_000 }, () => {
  it('is an unknown command: the nearest one is named, on standard error alone', () => {
    const { text, kinds, keys } = refused(project, 'chek');
    expect(kinds).toEqual(['USAGE']);
    expect(keys).toEqual(['chek']);
    expect(text).toContain('Did you mean check?');
    expect(text).not.toMatch(/^\s+at /mu);
    expect(project.run('chek').stdout).toBe('');
  });

  it('is an unknown option: the nearest one is named', () => {
    expect(refused(project, 'check', '--jbos', '2').messages).toContain('Did you mean --jobs?');
  });

  it('is a value that no option takes', () => {
    expect(refused(project, 'check', '--jobs', 'many').messages).toContain(
      '--jobs expects a whole number from 1 on, not "many".',
    );
    expect(refused(project, 'check', '--driver', 'acpp').messages).toContain(
      'There is no driver "acpp". Drivers: inproc, cli, sdk, acp.',
    );
  });

  it('is a missing command or argument', () => {
    expect(refused(project).messages).toContain('A command is missing');
    expect(refused(project, 'explain').kinds).toEqual(['USAGE']);
    expect(refused(project, 'accept').messages).toContain('turnpin review');
  });

  it('is a selector that selects nothing: the nearest scenario is named', () => {
    const { kinds, keys, messages } = refused(project, 'check', 'turns/one-folowup');
    expect(kinds).toEqual(['USAGE']);
    expect(keys).toEqual(['turns/one-folowup']);
    expect(messages).toContain('turns/one-followup');
  });

  it('is a folder that is no project', () => {
    const empty = mkdtempSync(join(tmpdir(), 'turnpin-empty-'));
    try {
      expect(refused(project, '-C', empty, 'check', 'turns/one-followup').kinds).toEqual(['USAGE']);
      expect(refused(project, '-C', 'no-such', 'lint').messages).toContain('no-such');
    } finally {
      rmSync(empty, { recursive: true });
    }
  });
});

describe('a project that cannot be checked', { timeout: 120_000 }, () => {
  it('has an invalid scenario: file, line, column, the line itself and the nearest word; nothing is run', () => {
    const broken = new Project();
    try {
      broken.write(
        'scenarios/turns/broken.yaml',
        broken.read('scenarios/turns/one-followup.yaml').replace(/^title: .*$/mu, 'titel: A slip of the pen'),
      );
      const before = broken.files();
      const report = broken.report('check', 'turns/one-followup');
      expect(report).toMatchObject({ exit: 2, verdict: 'invalid', results: [] });
      const [first] = report.problems.filter((problem) => problem.message.includes('titel'));
      expect(first).toMatchObject({
        kind: 'INVALID_SCENARIO',
        file: 'scenarios/turns/broken.yaml',
        line: 1,
        column: 1,
      });
      expect(first?.message).toContain('title');
      const { stdout } = broken.run('lint');
      expect(stdout).toContain('scenarios/turns/broken.yaml:1:1');
      expect(stdout).toContain('titel: A slip of the pen');
      expect(changes(before, broken.files())).toEqual(UNCHANGED);
    } finally {
      broken.remove();
    }
  });

  it('cannot be written to: UNWRITABLE, and nothing is run', () => {
    const blocked = new Project();
    try {
      blocked.write('.turnpin', 'a file where the folder should be\n');
      const { kinds, messages } = refused(blocked, 'check');
      expect(kinds).toEqual(['UNWRITABLE']);
      expect(messages).toContain('.turnpin/pending');
    } finally {
      blocked.remove();
    }
  });

  it('has no scenario yet', () => {
    const empty = new Project();
    try {
      empty.delete('scenarios/turns');
      empty.delete('scenarios/tools');
      expect(refused(empty, 'check').messages).toContain('turnpin new turns/my-case');
    } finally {
      empty.remove();
    }
  });
});

describe('what runs nothing', { timeout: 120_000 }, () => {
  it('help and version exit 0, and are in the document with --json', () => {
    expect(project.run('--help')).toMatchObject({ code: 0, stderr: '' });
    expect(project.run('--help').stdout).toContain('Exit codes: 0 no problem');
    expect(project.report('check', '--help').output).toContain('--jobs');
    expect(project.report('--version').output).toMatch(/^\d+\.\d+\.\d+/u);
  });

  it('rules finds a requirement by id and by word', () => {
    expect(project.report('rules', 'send-1').output).toMatchObject([
      { id: 'SEND-1', scenarios: ['turns/one-followup', 'turns/two-while-held'] },
    ]);
    expect(project.run('rules', 'FIFO').stdout).toContain('SEND-1  MUST');
    expect(refused(project, 'rules', 'nonsense').messages).toContain('nonsense');
  });

  it('explain prints rules, script, drivers and where each pin stands', () => {
    const { code, stdout } = project.run('explain', 'turns/two-while-held');
    expect(code).toBe(0);
    for (const part of [
      'SEND-2',
      'main.1',
      'until "first" is released',
      'inproc  judges',
      'cli  judges',
      'base/system-prompt',
    ]) {
      expect(stdout).toContain(part);
    }
    expect(refused(project, 'explain', 'turns/nothing').kinds).toEqual(['USAGE']);
    expect(refused(project, 'explain', 'turns').messages).toContain('takes one scenario');
  });

  it('new writes a skeleton once, that says what is still to fill in', () => {
    const fresh = new Project();
    try {
      expect(fresh.report('new', 'turns/my-case')).toMatchObject({
        exit: 0,
        written: ['scenarios/turns/my-case.yaml'],
      });
      expect(fresh.read('scenarios/turns/my-case.yaml')).toContain('covers: []');
      expect(refused(fresh, 'new', 'turns/my-case').messages).toContain('exists already');
      expect(refused(fresh, 'new', 'my-case').messages).toContain('topic');
      expect(fresh.report('lint').problems.map((problem) => problem.key)).toEqual(['turns/my-case/covers']);
    } finally {
      fresh.remove();
    }
  });
});
