/** `turnpin prune` by the built command: it mends what REDUNDANT_SIDECAR tells, declaration included, and nothing else. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changes, Project } from './fixtures/project.ts';

const SIDECAR = 'snapshots/core/child/asked/system-prompt.1.expected.md';
const OTHER = ['check', 'turns/one-followup', '--driver', 'inproc'];

let project: Project;
beforeAll(() => {
  project = new Project();
  project.report('check', '--driver', 'inproc');
  expect(project.report('accept', '--all', '--expect', '6').exit).toBe(0);
  project.write(
    'scenarios/child/asked.yaml',
    readFileSync(new URL('./fixtures/child.yaml', import.meta.url), 'utf8'),
  );
  project.write(SIDECAR, project.read('snapshots/core/categories/base/system-prompt.expected.md'));
}, 300_000);
afterAll(() => project.remove());

describe('prune', { timeout: 300_000 }, () => {
  it('says with --dry-run what it would do, and does nothing', () => {
    const before = project.files();
    const { code, stdout } = project.run('prune', '--dry-run');
    expect(code).toBe(0);
    expect(stdout).toContain(`would delete ${SIDECAR}`);
    expect(stdout).toContain('would edit scenarios/child/asked.yaml');
    expect(changes(before, project.files())).toEqual({ appeared: [], changed: [], vanished: [] });
  });

  it('refuses a key that is not redundant, and CI', () => {
    expect(
      project.report('prune', 'turns/one-followup/transcript').problems.map((problem) => problem.kind),
    ).toEqual(['ACCEPT_REFUSED']);
    expect(project.runWith({ CI: '1' }, 'prune').code).toBe(1);
  });

  it('deletes the copy and its declaration by the command that the problem prints; another scenario is clean then', () => {
    const found = project.report(...OTHER);
    expect(found).toMatchObject({ exit: 3, verdict: 'hygiene', problems: [{ kind: 'REDUNDANT_SIDECAR' }] });
    const before = project.files();
    const pruned = project.report(...(found.problems[0]?.fix?.command.slice(1) ?? []));
    expect(pruned).toMatchObject({ exit: 0, written: ['scenarios/child/asked.yaml', SIDECAR] });
    const { appeared, changed, vanished } = changes(before, project.files());
    expect({ appeared, changed, vanished }).toEqual({
      appeared: [],
      changed: ['scenarios/child/asked.yaml'],
      vanished: [SIDECAR],
    });
    expect(project.read('scenarios/child/asked.yaml')).not.toContain('pinsChildSystemPrompts');
    expect(project.report(...OTHER)).toMatchObject({ exit: 0, problems: [] });
    expect(project.run('prune').stdout).toContain('Nothing is redundant.');
  });
});
