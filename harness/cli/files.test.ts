/** `turnpin why` and `turnpin move` by the built command. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changes, Project } from './fixtures/project.ts';

let project: Project;
beforeAll(() => {
  project = new Project();
  project.report('check', '--driver', 'inproc');
  expect(project.report('accept', '--all', '--expect', '6').exit).toBe(0);
}, 300_000);
afterAll(() => project.remove());

describe('why', { timeout: 60_000 }, () => {
  it('tells who claims a file and whose runs are held to it, by path and by key', () => {
    const path = 'snapshots/core/categories/base/system-prompt.expected.md';
    const { code, stdout } = project.run('why', path);
    expect(code).toBe(0);
    expect(stdout).toContain('claimed by   category "base"');
    expect(stdout).toContain('turns/one-followup');
    expect(project.report('why', 'base/system-prompt').output).toMatchObject({ file: path, exists: true });
  });

  it('says of a stray file that nobody claims it, and refuses what does not exist', () => {
    project.write('snapshots/core/stray.txt', 'x\n');
    expect(project.run('why', 'snapshots/core/stray.txt').stdout).toContain('claimed by   nobody');
    project.delete('snapshots/core/stray.txt');
    expect(project.report('why', 'snapshots/core/nothing.md')).toMatchObject({
      exit: 2,
      problems: [{ kind: 'USAGE' }],
    });
  });
});

describe('move', { timeout: 120_000 }, () => {
  it('refuses an id that is none, one that is taken, and CI; nothing is changed', () => {
    const before = project.files();
    for (const to of ['No Id', 'tools/bash'])
      expect(project.report('move', 'turns/one-followup', to)).toMatchObject({ exit: 2, written: [] });
    expect(project.runWith({ CI: '1' }, 'move', 'turns/one-followup', 'turns/first').code).toBe(1);
    expect(changes(before, project.files())).toEqual({ appeared: [], changed: [], vanished: [] });
  });

  it('takes the snapshots along, so that the next check is clean', () => {
    const before = project.files();
    expect(project.report('move', 'turns/one-followup', 'basics/first').exit).toBe(0);
    const { appeared, vanished } = changes(before, project.files());
    expect(appeared).toEqual([
      'scenarios/basics/first.yaml',
      'snapshots/core/basics/first/transcript.expected.yaml',
    ]);
    expect(vanished).toEqual([
      'scenarios/turns/one-followup.yaml',
      'snapshots/core/turns/one-followup/transcript.expected.yaml',
    ]);
    expect(project.report('check', 'basics/first', '--driver', 'inproc').problems).toEqual([]);
  });
});
