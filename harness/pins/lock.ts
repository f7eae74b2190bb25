/** One writer at a time: a lock file that outlives no process (pins.md, rule 6). */
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';

const holder = z.strictObject({ pid: z.int().positive(), host: z.string() });
type Holder = z.infer<typeof holder>;

const RETRY_MS = 25;
const PATIENCE_MS = 5_000;

/** Another process writes, and went on doing so for as long as this one was willing to wait. */
export class LockedError extends Error {
  readonly code = 'LOCKED';
  constructor(file: string, pid: number) {
    super(`Another turnpin (process ${pid}) is writing; try again when it is done. It holds ${file}.`);
    this.name = 'LockedError';
  }
}

/** Runs `work` as the only writer. A lock whose process is gone is taken over. Rejects with `LockedError`. */
export async function asOnlyWriter<T>(
  file: string,
  work: () => T,
  patienceMs: number = PATIENCE_MS,
): Promise<T> {
  mkdirSync(dirname(file), { recursive: true });
  const deadline = Date.now() + patienceMs;
  while (!acquire(file)) {
    const other = readHolder(file);
    if (other !== null && !isAlive(other)) takeAway(file, other);
    else if (Date.now() >= deadline) throw new LockedError(file, other?.pid ?? 0);
    else await pause(RETRY_MS);
  }
  try {
    return work();
  } finally {
    rmSync(file, { force: true });
  }
}

/** The lock appears with its content: a reader never finds an empty one. */
function acquire(file: string): boolean {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify({ pid: process.pid, host: hostname() } satisfies Holder));
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function readHolder(file: string): Holder | null {
  try {
    const parsed = holder.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    return parsed.success ? parsed.data : { pid: 0, host: hostname() };
  } catch (error) {
    return error instanceof SyntaxError ? { pid: 0, host: hostname() } : null;
  }
}

function isAlive({ pid, host }: Holder): boolean {
  if (host !== hostname()) return true;
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Two that find the same stale lock: only the one that wins this second lock removes it, after a second look. */
function takeAway(file: string, stale: Holder): void {
  const guard = `${file}.takeover`;
  if (!acquire(guard)) {
    const other = readHolder(guard);
    if (other !== null && !isAlive(other)) rmSync(guard, { force: true });
    return;
  }
  try {
    const now = readHolder(file);
    if (now !== null && now.pid === stale.pid && now.host === stale.host) rmSync(file, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}
