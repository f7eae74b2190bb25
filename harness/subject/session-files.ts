/** Sessions as their files tell them: how a way in that shows no events is observed after its end. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonValue } from '../scenario/scenario.ts';
import { field, isObject, numberField, stringField } from './event-view.ts';
import type { RecordedEvent, RecordedSession } from './subject.ts';

interface ReadSession extends RecordedSession {
  readonly createdAt: string;
}

/** Every session in a directory: those without a parent first, each group in order of creation. Empty where there is none. */
export function readSessions(directory: string): readonly RecordedSession[] {
  return sessionFiles(directory)
    .flatMap((file) => readSession(join(directory, file)) ?? [])
    .sort(
      (a, b) => Number(a.parent !== null) - Number(b.parent !== null) || (a.createdAt < b.createdAt ? -1 : 1),
    );
}

function sessionFiles(directory: string): readonly string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith('.jsonl'));
  } catch {
    return [];
  }
}

/** Null for a file without a whole header. A torn last line is left out. */
function readSession(file: string): ReadSession | null {
  const [header, ...lines] = readFileSync(file, 'utf8').split('\n').map(parsed);
  const id = stringField(header, 'id');
  if (header === undefined || id === null) return null;
  return {
    id,
    label: null,
    parent: stringField(header, 'parentSession'),
    createdAt: stringField(header, 'createdAt') ?? '',
    events: lines.flatMap((line) => recordedEvent(line) ?? []),
  };
}

function parsed(line: string): JsonValue | undefined {
  try {
    return JSON.parse(line) as JsonValue;
  } catch {
    return undefined;
  }
}

/** An event as it stands in a log line or in a frame; null where it is none. */
export function recordedEvent(value: JsonValue | undefined): RecordedEvent | null {
  const [type, time, seq, data] = [
    stringField(value, 'type'),
    stringField(value, 'time'),
    numberField(value, 'seq'),
    field(value, 'data'),
  ];
  return type === null || time === null || seq === null || !isObject(data) ? null : { type, seq, time, data };
}
