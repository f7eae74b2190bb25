import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { expect, inject, it } from 'vitest';

it("temporary files of tests and of what they start lie in the run's own directory, which goes with it", () => {
  const directory = inject('temporaryDirectory');
  const started = execFileSync(process.execPath, ['-p', 'os.tmpdir()'], { encoding: 'utf8' });
  expect([tmpdir(), started.trim()]).toEqual([directory, directory]);
});
