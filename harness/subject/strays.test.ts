import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { killStrays } from './strays.ts';

it.runIf(process.platform === 'linux')(
  'kills what has the home of the run, in whatever group, and nothing else',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'turnpin-strays-'));
    const start = (value: string) =>
      spawn('sleep', ['600'], {
        detached: true,
        stdio: 'ignore',
        env: { HOME: value, PATH: '/usr/bin:/bin' },
      });
    const [stray, neighbour] = [start(home), start(`${home}-other`)];
    await Promise.all([once(stray, 'spawn'), once(neighbour, 'spawn')]);
    const gone = once(stray, 'exit');
    expect(await killStrays(home)).toBe(1);
    expect((await gone)[1]).toBe('SIGKILL');
    expect(neighbour.exitCode ?? neighbour.signalCode).toBeNull();
    neighbour.kill('SIGKILL');
  },
);
