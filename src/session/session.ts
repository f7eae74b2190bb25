/** A session: its log, its store and its lock, put together (core.md, "Store"). The edge that touches the disk. */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { SessionFileError } from './errors.ts';
import type { SessionEvent, SessionHeader, SessionId } from './events.ts';
import { nodeFileSystem, type LogFileSystem } from './file-system.ts';
import { JsonlStore } from './jsonl-store.ts';
import { acquireLock, type SessionLock } from './lock.ts';
import { SessionLog, type PreCommitCheck } from './log.ts';
import { readSessionBytes, type RecoveredFile, type Tail } from './recovery.ts';
import { repairSession } from './repair.ts';
import { createMemoryStore, type SessionStore } from './store.ts';
import { codeOf, messageOf } from './thrown.ts';

/** An open session. One agent drives it. */
export interface Session {
  readonly id: SessionId;
  readonly header: SessionHeader;
  readonly log: SessionLog;
  /** Null for a session in memory. */
  readonly file: string | null;
  /** What recovery found and wrote; null for a new session. */
  readonly resumed: Resumption | null;
  /** Closes file and lock. It does not flush. Idempotent. */
  close(): void;
}

export interface Resumption {
  readonly tail: Tail;
  /** How many events recovery appended. */
  readonly repairs: number;
}

/** What may be plugged into any session. */
export interface SessionParts {
  /** Wraps the store, for example to hold or to fail a checkpoint. */
  readonly wrapStore?: ((store: SessionStore) => SessionStore) | undefined;
  readonly check?: PreCommitCheck | undefined;
  readonly now?: (() => Date) | undefined;
  readonly fileSystem?: LogFileSystem | undefined;
}

/** What a new session's header says besides its id and time. */
export type HeaderFacts = Partial<
  Pick<SessionHeader, 'cwd' | 'parentSession' | 'origin' | 'delegationDepth'>
>;

export interface NewSession extends SessionParts {
  readonly id?: SessionId | undefined;
  readonly facts?: HeaderFacts | undefined;
}

/** A session that lives in memory alone. */
export function createMemorySession(options: NewSession = {}): Session {
  const store = wrap(createMemoryStore(), options);
  return begin({ store, file: null, lock: null }, options);
}

/**
 * A new session in `dir`, which is made if need be.
 * @throws {SessionFileError} `SESSION_EXISTS`, `SESSION_ID_UNSAFE`, `SESSION_LOCKED`, or `SESSION_UNWRITABLE` where the
 * directory or file cannot be made.
 */
export function createSession(options: NewSession & { readonly dir: string }): Session {
  const id = options.id ?? newSessionId();
  const file = sessionFile(options.dir, id);
  const lock = lockIn(options.dir, file);
  try {
    const store = JsonlStore.create(file, options.fileSystem ?? nodeFileSystem);
    return begin({ store: wrap(store, options), file, lock }, { ...options, id });
  } catch (error) {
    lock.release();
    if (codeOf(error) === 'EEXIST') {
      throw new SessionFileError(
        'SESSION_EXISTS',
        `A session ${id} exists already: ${file}. Resume it, or choose another id.`,
        { cause: error },
      );
    }
    throw unwritable(file, error);
  }
}

/**
 * Resumes the session `id` in `dir` under its lock, and repairs what a crash left (LOG-3, LOG-4). It starts no turn.
 * @throws {SessionFileError} where there is none, it is locked, or `readSessionBytes` refuses it.
 */
export function openSession(
  options: SessionParts & { readonly dir: string; readonly id: SessionId },
): Session {
  const file = sessionFile(options.dir, options.id);
  if (!fs.existsSync(file)) throw notFound(file);
  const lock = lockIn(options.dir, file);
  try {
    const recovered = readSessionFile(file);
    const store = resumeStore(file, recovered, options);
    const log = new SessionLog({ ...recovered, store, check: options.check, now: options.now });
    repairSession(log.state, log.append);
    const repairs = log.events.length - recovered.events.length;
    return handle({ store, file, lock }, log, { tail: recovered.tail, repairs });
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Is there a session with this id in `dir`? */
export function sessionExists(dir: string, id: SessionId): boolean {
  return fs.existsSync(sessionFile(dir, id));
}

/** Reads a session file without lock or change: for lists, and after the agent has gone. */
export function readSessionFile(file: string): RecoveredFile {
  let bytes: Buffer;
  try {
    bytes = fs.readFileSync(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw notFound(file);
    throw new SessionFileError(
      'SESSION_UNREADABLE',
      `The session file ${file} cannot be read: ${messageOf(error)}`,
      { cause: error },
    );
  }
  return readSessionBytes(bytes, file);
}

/** The events of a session file, read only. */
export function readSession(file: string): {
  readonly header: SessionHeader;
  readonly events: readonly SessionEvent[];
} {
  const { header, events } = readSessionFile(file);
  return { header, events };
}

/** Ids of the sessions in `dir`, in the order of their names; empty where there is no such directory. */
export function listSessions(dir: string): readonly SessionId[] {
  if (!fs.existsSync(dir)) return [];
  return fs
    .readdirSync(dir)
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length) as SessionId)
    .filter(isSafeSessionId)
    .sort();
}

const SUFFIX = '.jsonl';

/** May this id name a file? Letters, digits, `.`, `_` and `-`, not beginning with a dot, at most 128 of them. */
export function isSafeSessionId(id: string): id is SessionId {
  return /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/.test(id);
}

export function newSessionId(): SessionId {
  return randomUUID() as SessionId;
}

/** Where the session's log lies. @throws {SessionFileError} `SESSION_ID_UNSAFE`. */
export function sessionFile(dir: string, id: string): string {
  if (!isSafeSessionId(id)) {
    throw new SessionFileError(
      'SESSION_ID_UNSAFE',
      `A session id is made of letters, digits, ".", "_" and "-", does not begin with a dot and has at most 128 characters; found ${JSON.stringify(id)}.`,
    );
  }
  return path.join(dir, `${id}${SUFFIX}`);
}

interface Place {
  readonly store: SessionStore;
  readonly file: string | null;
  readonly lock: SessionLock | null;
}

function begin(place: Place, options: NewSession): Session {
  const now = options.now ?? (() => new Date());
  const header: SessionHeader = Object.freeze({
    type: 'session',
    version: 0,
    id: options.id ?? newSessionId(),
    createdAt: now().toISOString(),
    ...options.facts,
  });
  place.store.append(JSON.stringify(header));
  return handle(
    place,
    new SessionLog({ header, store: place.store, check: options.check, now: options.now }),
    null,
  );
}

function handle(place: Place, log: SessionLog, resumed: Resumption | null): Session {
  const close = (): void => {
    place.store.close();
    place.lock?.release();
  };
  return { id: log.header.id, header: log.header, log, file: place.file, resumed, close };
}

function resumeStore(file: string, recovered: RecoveredFile, options: SessionParts): SessionStore {
  let store: JsonlStore;
  try {
    store = JsonlStore.resume(file, recovered, options.fileSystem ?? nodeFileSystem);
  } catch (error) {
    throw unwritable(file, error);
  }
  return wrap(store, options);
}

function wrap(store: SessionStore, options: SessionParts): SessionStore {
  return options.wrapStore === undefined ? store : options.wrapStore(store);
}

function lockIn(dir: string, file: string): SessionLock {
  try {
    fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
    return acquireLock(`${file.slice(0, -SUFFIX.length)}.lock`);
  } catch (error) {
    throw unwritable(file, error);
  }
}

function unwritable(file: string, error: unknown): Error {
  if (error instanceof SessionFileError) return error;
  return new SessionFileError(
    'SESSION_UNWRITABLE',
    `The session file ${file} cannot be written: ${messageOf(error)}. Choose another directory with sessions.dir.`,
    { cause: error },
  );
}

function notFound(file: string): SessionFileError {
  return new SessionFileError('SESSION_NOT_FOUND', `There is no session file ${file}.`);
}
