/** `turnpin.patch` and `accept` by the built command: two ways to one state, declarations included (pins.md, rule 6). */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PatchedBuild } from './fixtures/patched-build.ts';
import { changes, filesBelow } from './fixtures/project.ts';

const SIDECAR = 'snapshots/core/subagents/report/system-prompt.1.expected.md';
const SCENARIO = 'scenarios/subagents/report.yaml';

it(
  'git apply makes what accept makes where an override became equal to its pin',
  { timeout: 300_000 },
  () => {
    const build = new PatchedBuild();
    const copy = mkdtempSync(join(tmpdir(), 'turnpin-apply-'));
    try {
      // Without the report section a child composes what its category does, so that its sidecar has to go.
      build.patch(
        'src/subagent/report.js',
        'const removeSection = scope.systemPrompt.add(reportSection());',
        'const removeSection = () => {};',
      );
      const report = build.report('check', 'subagents/report', '--driver', 'inproc');
      expect(report.written).toEqual(['turnpin.patch']);
      for (const part of ['scenarios', 'snapshots', 'turnpin.patch'])
        cpSync(join(build.root, part), join(copy, part), { recursive: true });
      const before = filesBelow(copy);
      execFileSync('git', ['init', '-q'], { cwd: copy });
      execFileSync('git', ['apply', 'turnpin.patch'], { cwd: copy });
      rmSync(join(copy, '.git'), { recursive: true });

      const pending = report.problems.filter(({ fix }) => fix?.command[1] === 'accept');
      const accepted = build.report('accept', '--all', '--expect', String(pending.length));
      expect(accepted.problems).toEqual([]);
      expect(accepted.written).toEqual(expect.arrayContaining([SCENARIO, SIDECAR]));
      const applied = filesBelow(copy);
      for (const part of ['scenarios', 'snapshots'])
        expect(filesBelow(join(copy, part))).toEqual(filesBelow(join(build.root, part)));
      expect(changes(before, applied)).toMatchObject({ vanished: [SIDECAR] });
      expect(changes(before, applied).changed).toContain(SCENARIO);
    } finally {
      build.remove();
      rmSync(copy, { recursive: true });
    }
  },
);
