/**
 * One writer a session (core.md, "Store"). The lock file names its owner: host, boot, process and process start. It is
 * linked into place whole, so nobody reads half of one.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import * as z from 'zod/mini';
import { SessionFileError } from './errors.ts';
import { codeOf } from './thrown.ts';

/** Who holds a lock. `boot` and `start` are null where the system does not tell them; then the process id decides. */
export interface LockOwner {
  readonly host: string;
  readonly boot: string | null;
  readonly pid: number;
  readonly start: string | null;
  /** One acquisition. */
  readonly token: string;
}

/** What the lock asks of the system it runs on. */
export interface ProcessFacts {
  readonly host: string;
  readonly boot: string | null;
  readonly pid: number;
  /** When the process with this id started, in a form that no other process of this boot shares; null: not known. */
  startOf(pid: number): string | null;
  isAlive(pid: number): boolean;
}

export interface SessionLock {
  /** Idempotent. Removes the lock only where it is still this one. */
  release(): void;
}

const ownerSchema = z.object({
  host: z.string(),
  boot: z.nullable(z.string()),
  pid: z.int(),
  start: z.nullable(z.string()),
  token: z.string().check(z.minLength(1)),
});

/** The facts of this process on Linux; elsewhere boot and start are not known. */
export function processFacts(): ProcessFacts {
  return {
    host: os.hostname(),
    boot: readOrNull('/proc/sys/kernel/random/boot_id')?.trim() ?? null,
    pid: process.pid,
    startOf: (pid) => statOf(pid)[19] ?? null,
    isAlive,
  };
}

/**
 * Takes the lock at `file`. A lock whose process is gone is taken over.
 *
 * Taking over is safe between any number of takers: whoever would replace a lock first holds a second lock that is
 * named after that very acquisition, then reads the first one again, renames its own over it and reads once more.
 * @throws {SessionFileError} `SESSION_LOCKED` where the owner lives, or may live on another host.
 */
export function acquireLock(file: string, facts: ProcessFacts = processFacts()): SessionLock {
  const owner: LockOwner = {
    host: facts.host,
    boot: facts.boot,
    pid: facts.pid,
    start: facts.startOf(facts.pid),
    token: randomUUID(),
  };
  const own = `${file}.${owner.token}`;
  try {
    fs.writeFileSync(own, `${JSON.stringify(owner)}\n`, { flag: 'wx', mode: 0o600, flush: true });
    takePlace(own, file, facts);
  } finally {
    fs.rmSync(own, { force: true });
  }
  return { release: () => release(file, owner.token) };
}

function takePlace(own: string, file: string, facts: ProcessFacts): void {
  while (!linkInto(own, file)) {
    const holder = readOwner(file);
    if (holder === null) continue;
    refuseLiving(holder, file, facts);
    if (takeOver({ own, file, gone: holder }, facts)) return;
  }
}

/** Replaces the lock of an owner that is gone. False where somebody else did it first. */
function takeOver(lock: { own: string; file: string; gone: LockOwner }, facts: ProcessFacts): boolean {
  const right = acquireLock(`${lock.file}.${lock.gone.token}`, facts);
  try {
    if (readOwner(lock.file)?.token !== lock.gone.token) return false;
    const mine = readOwner(lock.own)?.token;
    fs.renameSync(lock.own, lock.file);
    return readOwner(lock.file)?.token === mine;
  } finally {
    right.release();
  }
}

function linkInto(own: string, file: string): boolean {
  try {
    fs.linkSync(own, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function refuseLiving(owner: LockOwner, file: string, facts: ProcessFacts): void {
  if (owner.host !== facts.host) {
    throw new SessionFileError(
      'SESSION_LOCKED',
      `The session is locked by process ${owner.pid} on host ${owner.host}. If that process is gone, delete ${file}.`,
    );
  }
  if (isGone(owner, facts)) return;
  const who = owner.pid === facts.pid ? 'this process' : `process ${owner.pid}`;
  throw new SessionFileError(
    'SESSION_LOCKED',
    `The session is open in ${who} (lock ${file}). Close it there first.`,
  );
}

function isGone(owner: LockOwner, facts: ProcessFacts): boolean {
  if (owner.boot !== null && facts.boot !== null && owner.boot !== facts.boot) return true;
  if (!facts.isAlive(owner.pid)) return true;
  const start = facts.startOf(owner.pid);
  return owner.start !== null && start !== null && owner.start !== start;
}

/** Null where there is no such file any more. */
function readOwner(file: string): LockOwner | null {
  const content = readOrNull(file);
  if (content === null) return null;
  const owner = ownerSchema.safeParse(parseOrNull(content));
  if (owner.success) return owner.data;
  throw new SessionFileError(
    'SESSION_LOCK_UNREADABLE',
    `The lock ${file} cannot be read as one. If no other process has the session open, delete that file.`,
  );
}

function release(file: string, token: string): void {
  try {
    if (readOwner(file)?.token === token) fs.rmSync(file, { force: true });
  } catch {
    // The lock is not ours any more, or its directory is gone: nothing to give back.
  }
}

/** A process that has ended counts as gone though nobody has waited for it, which in a container may never happen. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return statOf(pid)[0] !== 'Z';
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/**
 * `/proc/PID/stat` from its third field on: state first, start at 19. The second, the program's name, may hold blanks and
 * brackets. Empty where the system tells nothing.
 */
function statOf(pid: number): readonly string[] {
  const stat = readOrNull(`/proc/${pid}/stat`);
  return stat === null ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readOrNull(file: string): string | null {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH') return null;
    throw error;
  }
}

function parseOrNull(content: string): unknown {
  try {
    return JSON.parse(content) as unknown;
  } catch {
    return null;
  }
}
