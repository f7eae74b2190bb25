/** Reading a session file, and telling a crash from corruption (core.md, "Store"; LOG-3, LOG-6). Pure. */
import type * as z from 'zod/mini';
import { EVENT_DATA_SCHEMAS, headerSchema } from './event-schema.ts';
import { ImpossibleEventError, SessionFileError } from './errors.ts';
import { EVENT_TYPES, type SessionEvent, type SessionHeader } from './events.ts';
import { freezeParsed } from './json.ts';
import { SessionState } from './state.ts';
import { messageOf } from './thrown.ts';

/** What stood behind the last newline. */
export type Tail =
  | { readonly kind: 'clean' }
  /** A whole last line that lacks only its newline. It is kept. */
  | { readonly kind: 'unterminated' }
  /** Half a line. It is dropped. */
  | { readonly kind: 'torn'; readonly bytes: number };

export interface RecoveredFile {
  readonly header: SessionHeader;
  readonly events: readonly SessionEvent[];
  /** The fold of `events`. */
  readonly state: SessionState;
  readonly tail: Tail;
  /** Bytes that stay: all whole lines, and an unterminated one. */
  readonly keepBytes: number;
}

const NEWLINE = 0x0a;
const KNOWN: ReadonlySet<string> = new Set(EVENT_TYPES);

/**
 * @param name how errors call the file.
 * @throws {SessionFileError} for a file without a whole header line, of another version, with an unknown event that is
 * not marked ignorable, or with a bad line before its end.
 */
export function readSessionBytes(bytes: Uint8Array, name: string): RecoveredFile {
  const headerEnd = bytes.indexOf(NEWLINE);
  if (headerEnd < 0) {
    throw new SessionFileError(
      'SESSION_NO_HEADER',
      `${name} has no whole header line. It was left as it is; it is not a session, or it died while it was made.`,
    );
  }
  const reader = new SessionReader(bytes.subarray(0, headerEnd), name);
  let start = headerEnd + 1;
  for (let end = bytes.indexOf(NEWLINE, start); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    reader.line(bytes.subarray(start, end));
    start = end + 1;
  }
  const tail = reader.tail(bytes.subarray(start));
  const { header, events, state } = reader;
  return { header, events, state, tail, keepBytes: tail.kind === 'torn' ? start : bytes.length };
}

/** Reads a session line by line, without their newlines. A torn tail leaves it as it was. */
export class SessionReader {
  readonly header: SessionHeader;
  readonly events: SessionEvent[] = [];
  readonly state = new SessionState();
  readonly #name: string;

  constructor(headerLine: Uint8Array, name: string) {
    this.#name = name;
    this.header = readHeader({ number: 1, bytes: headerLine }, name);
  }

  /** A whole line. */
  line(bytes: Uint8Array): void {
    const line = { number: this.events.length + 2, bytes };
    this.#take(readWhole(line, this.events.length, this.#name), line);
  }

  /** What stands behind the last newline. */
  tail(bytes: Uint8Array): Tail {
    if (bytes.length === 0) return { kind: 'clean' };
    const line = { number: this.events.length + 2, bytes };
    const event = readTail(line, this.events.length, this.#name);
    if (event === null) return { kind: 'torn', bytes: bytes.length };
    this.#take(event, line);
    return { kind: 'unterminated' };
  }

  #take(event: SessionEvent, line: Line): void {
    applyRead(this.state, event, line, this.#name);
    this.events.push(event);
  }
}

interface Line {
  /** Counts from 1. */
  readonly number: number;
  readonly bytes: Uint8Array;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parseLine(line: Line): unknown {
  return JSON.parse(decoder.decode(line.bytes));
}

function readHeader(line: Line, name: string): SessionHeader {
  let value: unknown;
  try {
    value = parseLine(line);
  } catch (cause) {
    throw new SessionFileError(
      'SESSION_NO_HEADER',
      `${name} does not begin with a session header: ${messageOf(cause)}. It was left as it is.`,
      { line: 1, cause },
    );
  }
  const version =
    typeof value === 'object' && value !== null && 'version' in value ? value.version : undefined;
  if (isSession(value) && version !== 0) {
    throw new SessionFileError(
      'SESSION_VERSION',
      `${name} has format version ${JSON.stringify(version)}; this program reads version 0. It was left as it is.`,
      { line: 1 },
    );
  }
  const checked = headerSchema.safeParse(value);
  if (!checked.success) {
    throw new SessionFileError(
      'SESSION_NO_HEADER',
      `${name} does not begin with a session header: ${issue(checked.error)}. It was left as it is.`,
      { line: 1 },
    );
  }
  return freezeParsed(value) as unknown as SessionHeader;
}

function isSession(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'session';
}

function readWhole(line: Line, seq: number, name: string): SessionEvent {
  let value: unknown;
  try {
    value = parseLine(line);
  } catch (cause) {
    throw corrupt(name, line, messageOf(cause), cause);
  }
  const event = readEvent(value, seq, line, name);
  if (typeof event === 'string') throw corrupt(name, line, event);
  return event;
}

/** The last line without its newline: kept where it is a whole event with the next number, else torn. */
function readTail(line: Line, seq: number, name: string): SessionEvent | null {
  let value: unknown;
  try {
    value = parseLine(line);
  } catch {
    return null;
  }
  const event = readEvent(value, seq, line, name);
  return typeof event === 'string' ? null : event;
}

/** The event, or what is wrong with it. The line around the data is checked by hand: there may be a million. */
function readEvent(value: unknown, seq: number, line: Line, name: string): SessionEvent | string {
  if (!isRecord(value)) return 'expected an event object';
  if (value['seq'] !== seq) return `expected seq ${seq}, found ${JSON.stringify(value['seq'])}`;
  const { type, time, data, ignorable } = value;
  if (typeof type !== 'string' || type === '') return `expected an event type, found ${JSON.stringify(type)}`;
  if (typeof time !== 'string') return `expected a time, found ${JSON.stringify(time)}`;
  if (isKnown(type)) {
    const checked = EVENT_DATA_SCHEMAS[type].safeParse(data);
    if (!checked.success) return `${type}: ${issue(checked.error)}`;
  } else if (ignorable !== true) {
    throw unknownEvent(type, line, name);
  }
  // The one place where a line of the file becomes an event: its type and data have just been checked.
  return freezeParsed(value) as unknown as SessionEvent;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unknownEvent(type: string, line: Line, name: string): SessionFileError {
  return new SessionFileError(
    'SESSION_UNKNOWN_EVENT',
    `${name}, line ${line.number}, has an event of the unknown type ${JSON.stringify(type)} that is not marked ignorable. A newer program wrote it. It was left as it is.`,
    { line: line.number },
  );
}

function isKnown(type: string): type is (typeof EVENT_TYPES)[number] {
  return KNOWN.has(type);
}

function applyRead(state: SessionState, event: SessionEvent, line: Line, name: string): void {
  try {
    state.apply(event);
  } catch (error) {
    if (error instanceof ImpossibleEventError) throw corrupt(name, line, error.message, error);
    throw error;
  }
}

function corrupt(name: string, line: Line, what: string, cause?: unknown): SessionFileError {
  return new SessionFileError(
    'SESSION_CORRUPT',
    `${name}, line ${line.number}, is damaged: ${what}. It was left as it is; restore it from a copy, or start a new session.`,
    { line: line.number, cause },
  );
}

function issue(error: z.core.$ZodError): string {
  const first = error.issues[0];
  if (first === undefined) return error.message;
  return `${first.path.length > 0 ? `${first.path.join('.')}: ` : ''}${first.message}`;
}
