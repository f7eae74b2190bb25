/** Ctrl-C by the built command: what was started ends, nothing pending is left, the document is printed all the same. */
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { documentOf, Project } from './fixtures/project.ts';

const BLOCKED = `title: A tool that never ends by itself
covers: [TURN-7]
model:
  main:
    - tools:
        - { name: bash, arguments: { command: 'echo $$ > pid; exec sleep 600' } }
    - text: Never asked for.
steps:
  - followup: Wait for ever.
expect:
  turns:
    - { prompt: Wait for ever., end: completed }
`;

/** The number that the blocked tool has written, once it is there. */
async function pidIn(folder: string): Promise<number> {
  for (;;) {
    const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
    const file = files.find((name) => name.endsWith('workspace/pid'));
    const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
    if (text !== '') return Number(text);
    await pause(20);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/mu.test(
      existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '',
    );
  } catch {
    return false;
  }
}

describe('an interrupted check', { timeout: 120_000 }, () => {
  it.each(['inproc', 'cli'])(
    'through %s exits 130 with its document, ends the tool, and leaves no pending file',
    async (driver) => {
      const project = new Project();
      try {
        project.write('scenarios/turns/blocked.yaml', BLOCKED);
        const child = project.start('check', 'turns/blocked', '--driver', driver, '--keep', '--json');
        let stdout = '';
        let stderr = '';
        child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
        child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
        const pid = await pidIn(join(project.root, '.turnpin/kept'));
        child.kill('SIGINT');
        const [code] = (await once(child, 'close')) as [number | null];
        const report = documentOf({ code, stdout, stderr });
        expect(report).toMatchObject({ exit: 130, verdict: 'interrupted', written: [] });
        expect(report.problems.map((problem) => problem.kind)).toContain('INTERRUPTED');
        expect(
          report.results.find((result) => result.scenario === 'turns/blocked' && result.driver === driver),
        ).toMatchObject({
          status: 'not-run',
          reason: 'interrupted',
        });
        expect(isAlive(pid)).toBe(false);
        expect(project.has('.turnpin/pending')).toBe(false);
        expect(project.has('turnpin.patch')).toBe(false);
      } finally {
        project.remove();
      }
    },
  );
});
