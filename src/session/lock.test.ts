import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SessionFileError } from './errors.ts';
import { acquireLock, processFacts, type LockOwner, type ProcessFacts } from './lock.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'turnpin-lock-'));
  file = path.join(dir, 's.lock');
});
afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

function facts(over: Partial<ProcessFacts> = {}): ProcessFacts {
  return {
    host: 'here',
    boot: 'b1',
    pid: 10,
    startOf: (pid) => `start ${pid}`,
    isAlive: () => true,
    ...over,
  };
}

function plant(owner: Partial<LockOwner>): void {
  const planted: LockOwner = { host: 'here', boot: 'b1', pid: 20, start: 'start 20', token: 't1', ...owner };
  fs.writeFileSync(file, JSON.stringify(planted));
}

describe('the lock of a session', () => {
  it('is held once: a second taker is refused and the holder named', () => {
    const lock = acquireLock(file, facts());
    expect(() => acquireLock(file, facts({ pid: 11 }))).toThrow(/process 10/);
    expect(() => acquireLock(file, facts())).toThrow(/this process/);
    lock.release();
    acquireLock(file, facts({ pid: 11 })).release();
    expect(fs.readdirSync(dir)).toEqual([]);
  });

  it.each([
    ['whose process is gone', {}, { isAlive: () => false }],
    ['whose process id belongs to a later process', {}, { startOf: () => 'start later' }],
    ['of an earlier boot', { boot: 'b0' }, {}],
  ])('a lock %s is taken over', (_, owner, over) => {
    plant(owner);
    const lock = acquireLock(file, facts(over));
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toMatchObject({ pid: 10 });
    lock.release();
    expect(fs.readdirSync(dir)).toEqual([]);
  });

  it('a process that has ended is gone, though nobody has waited for it', async () => {
    // The shell becomes a program that waits for no child; then its child, which reads descriptor 3, ends.
    const parent = spawn('sh', ['-c', 'read -r line <&3 & echo $!; exec sleep 3600'], {
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    });
    const [piece] = (await once(parent.stdout as Readable, 'data')) as [Buffer];
    const pid = Number(String(piece));
    const told = (id: number | undefined, name: string) => (): string =>
      fs.readFileSync(`/proc/${id}/${name}`, 'utf8');
    const patience = { timeout: 10_000, interval: 5 };
    await expect.poll(told(parent.pid, 'cmdline'), patience).toContain('sleep');
    (parent.stdio[3] as Writable).end();
    await expect.poll(told(pid, 'stat'), patience).toContain(') Z ');
    expect(processFacts().isAlive(pid)).toBe(false);
    expect(processFacts().isAlive(parent.pid ?? 0)).toBe(true);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
  });

  it('a lock of another host is never taken over', () => {
    plant({ host: 'elsewhere', boot: 'b0' });
    expect(() => acquireLock(file, facts({ isAlive: () => false }))).toThrow(/host elsewhere/);
    expect(fs.readdirSync(dir)).toEqual(['s.lock']);
  });

  it('a lock that cannot be read is refused, with the way out', () => {
    fs.writeFileSync(file, '');
    expect(() => acquireLock(file, facts())).toThrow(
      expect.objectContaining({
        code: 'SESSION_LOCK_UNREADABLE',
        message: expect.stringContaining('delete') as string,
      }),
    );
  });

  it('a taker that died while it took over does not bar the next one', () => {
    plant({ token: 't1' });
    const dead: LockOwner = { host: 'here', boot: 'b1', pid: 30, start: 'start 30', token: 't2' };
    fs.writeFileSync(`${file}.t1`, JSON.stringify(dead));
    acquireLock(file, facts({ isAlive: (pid) => pid === 10 })).release();
    expect(fs.existsSync(file)).toBe(false);
  });

  it('two takers of one stale lock: while one has the right to take over, the other is refused', () => {
    plant({ token: 't1' });
    const alive = (pid: number): boolean => pid !== 20;
    acquireLock(`${file}.t1`, facts({ pid: 11, isAlive: alive }));
    expect(() => acquireLock(file, facts({ pid: 12, isAlive: alive }))).toThrow(SessionFileError);
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toMatchObject({ token: 't1' });
  });

  it('release leaves a lock alone that is not its own any more', () => {
    const lock = acquireLock(file, facts());
    plant({ token: 'other' });
    lock.release();
    expect(fs.existsSync(file)).toBe(true);
  });

  it('works with the facts of this very process', () => {
    const lock = acquireLock(file, processFacts());
    expect(() => acquireLock(file, processFacts())).toThrow(SessionFileError);
    lock.release();
  });
});
