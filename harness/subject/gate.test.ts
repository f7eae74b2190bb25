import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Gates } from './gate.ts';

let gates: Gates;
let bin: string;

beforeEach(async () => {
  bin = join(mkdtempSync(join(tmpdir(), 'turnpin-gate-')), "with space and '");
  gates = await Gates.open(bin);
});
afterEach(() => gates.close());

/** Starts `gate NAME` as a tool would; resolves to its exit code. */
function gate(...args: string[]): { readonly exit: Promise<number | null>; readonly kill: () => void } {
  const child = spawn('gate', args, { env: { PATH: `${bin}:/usr/bin:/bin` }, stdio: 'ignore' });
  return {
    exit: once(child, 'exit').then(([code]) => code as number | null),
    kill: () => child.kill('SIGKILL'),
  };
}

function until(condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const off = gates.onChange(look);
    function look(): void {
      if (!condition()) return;
      off();
      resolve();
    }
    look();
  });
}

it('blocks, shows as held, and ends with 0 once released', async () => {
  const build = gate('build');
  await until(() => gates.held().includes('build'));
  gates.release('build');
  expect(await build.exit).toBe(0);
  expect(gates.held()).toEqual([]);
});

it('a release that comes first is remembered for the first who comes, and for no other', async () => {
  gates.release('build');
  expect(gates.neverReached()).toEqual(['build']);
  expect(await gate('build').exit).toBe(0);
  expect(gates.neverReached()).toEqual([]);
  const second = gate('build');
  await until(() => gates.held().includes('build'));
  gates.release('build');
  expect(await second.exit).toBe(0);
});

it('one whose process ended counts as released', async () => {
  const build = gate('build');
  await until(() => gates.held().includes('build'));
  build.kill();
  await until(() => gates.held().length === 0);
});

it('an abandoned one ends with an error, so that what stands behind it does not run', async () => {
  const build = gate('build');
  await until(() => gates.held().includes('build'));
  gates.abandon();
  expect(await build.exit).toBe(1);
});

it('without a name it says how it is used', async () => {
  expect(await gate().exit).toBe(2);
});

it('is settled when nothing blocks, or when the time is up', async () => {
  await gates.settled(60_000);
  const build = gate('build');
  await until(() => gates.held().includes('build'));
  await gates.settled(1);
  expect(gates.held()).toEqual(['build']);
  const settled = gates.settled(60_000);
  build.kill();
  await settled;
  expect(gates.held()).toEqual([]);
});
