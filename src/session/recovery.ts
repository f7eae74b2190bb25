/** Reading a session file, and telling a crash from corruption (core.md, "Store"; LOG-3, LOG-6). Pure. */
import type * as z from 'zod/mini';
import { EVENT_DATA_SCHEMAS, eventLineSchema, headerSchema } from './event-schema.ts';
import { ImpossibleEventError, SessionFileError } from './errors.ts';
import { EVENT_TYPES, type SessionEvent, type SessionHeader } from './events.ts';
import { snapshotJson } from './json.ts';
import { SessionState } from './state.ts';

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
  const lines = splitLines(bytes);
  const first = lines[0];
  if (first === undefined || !first.whole) {
    throw new SessionFileError(
      'SESSION_NO_HEADER',
      `${name} has no whole header line. It was left as it is; it is not a session, or it died while it was made.`,
    );
  }
  const header = readHeader(first, name);
  const events: SessionEvent[] = [];
  const state = new SessionState();
  let tail: Tail = { kind: 'clean' };
  let keepBytes = first.end;
  for (const line of lines.slice(1)) {
    const event = line.whole ? readWhole(line, events.length, name) : readTail(line, events.length, name);
    if (event === null) {
      tail = { kind: 'torn', bytes: line.end - line.start };
      break;
    }
    applyRead(state, event, line, name);
    events.push(event);
    keepBytes = line.end;
    if (!line.whole) tail = { kind: 'unterminated' };
  }
  return { header, events, state, tail, keepBytes };
}

interface Line {
  /** Counts from 1. */
  readonly number: number;
  readonly bytes: Uint8Array;
  readonly start: number;
  /** Behind the newline, where there is one. */
  readonly end: number;
  readonly whole: boolean;
}

function splitLines(bytes: Uint8Array): readonly Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, start);
    const whole = newline >= 0;
    const end = whole ? newline + 1 : bytes.length;
    lines.push({
      number: lines.length + 1,
      bytes: bytes.subarray(start, whole ? newline : end),
      start,
      end,
      whole,
    });
    start = end;
  }
  return lines;
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
      `${name} does not begin with a session header: ${text(cause)}. It was left as it is.`,
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
  return snapshotJson(checked.data) as unknown as SessionHeader;
}

function isSession(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'session';
}

function readWhole(line: Line, seq: number, name: string): SessionEvent {
  let value: unknown;
  try {
    value = parseLine(line);
  } catch (cause) {
    throw corrupt(name, line, text(cause), cause);
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

/** The event, or what is wrong with it. */
function readEvent(value: unknown, seq: number, line: Line, name: string): SessionEvent | string {
  const outer = eventLineSchema.safeParse(value);
  if (!outer.success) return issue(outer.error);
  if (outer.data.seq !== seq) return `expected seq ${seq}, found ${outer.data.seq}`;
  const { type } = outer.data;
  if (!isKnown(type)) {
    if (outer.data.ignorable !== true) {
      throw new SessionFileError(
        'SESSION_UNKNOWN_EVENT',
        `${name}, line ${line.number}, has an event of the unknown type ${JSON.stringify(type)} that is not marked ignorable. A newer program wrote it. It was left as it is.`,
        { line: line.number },
      );
    }
  } else {
    const data = EVENT_DATA_SCHEMAS[type].safeParse(outer.data.data);
    if (!data.success) return `${type}: ${issue(data.error)}`;
  }
  // The one place where a line of the file becomes an event: its type and data have just been checked.
  return snapshotJson(value) as unknown as SessionEvent;
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

function text(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
