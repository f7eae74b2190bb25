/** The session log as observed: two lanes a session, `inbox` (what was enqueued) and `loop` (the rest). Pure. */
import { field, inserted, isList, isObject, stringField } from '../subject/event-view.ts';
import type { JsonValue } from '../scenario/scenario.ts';
import type { RecordedEvent } from '../subject/subject.ts';
import type { ObservedEvent } from './observations.ts';
import type { Normaliser } from './placeholders.ts';

/** One session's log with placeholders. */
export interface ObservedLog {
  readonly inbox: readonly ObservedEvent[];
  readonly loop: readonly ObservedEvent[];
  /** Both, in the order of the log. */
  readonly all: readonly ObservedEvent[];
}

/** Observes one session. Chunks are left out: their message has them. */
export function observedLog(events: readonly RecordedEvent[], normaliser: Normaliser): ObservedLog {
  const kept = events.filter(({ type }) => type !== 'assistant/chunk');
  const enqueued = enqueuedEvents(kept);
  const observed = new Map<RecordedEvent, ObservedEvent>();
  // Numbers are given lane by lane, since the order between the lanes is a matter of timing.
  const observe = (event: RecordedEvent): ObservedEvent => {
    const seen = { type: event.type, data: normaliser.value(event.data) };
    observed.set(event, seen);
    return seen;
  };
  const inbox = kept.filter((event) => enqueued.has(event)).map(observe);
  const loop = kept.filter((event) => !enqueued.has(event)).map(observe);
  return { inbox, loop, all: kept.flatMap((event) => observed.get(event) ?? []) };
}

/** One session as it stands in the section `log`. */
export function logSection({ inbox, loop }: ObservedLog): JsonValue {
  return { inbox: inbox.map(enqueuedEntry), loop: loop.map((event) => ({ [event.type]: compact(event) })) };
}

/** Insertions of messages that were not in the inbox before; moved and returned ones are the loop's doing. */
function enqueuedEvents(events: readonly RecordedEvent[]): ReadonlySet<RecordedEvent> {
  const known = new Set<string>();
  const enqueued = events.filter((event) => {
    const messages = inserted(event);
    const fresh = messages.length > 0 && messages.every(({ id }) => !known.has(id));
    for (const { id } of messages) known.add(id);
    return fresh;
  });
  return new Set(enqueued);
}

/** Where in the queue a message was put depends on how far the loop had come, so `start` is left out. */
function enqueuedEntry(event: ObservedEvent): JsonValue {
  const data = compact(event);
  if (!isObject(data)) return data;
  const { start: _start, target, inserted: messages, ...rest } = data;
  return { [typeof target === 'string' ? target : 'inbox']: messages ?? [], ...rest };
}

function compact({ type, data }: ObservedEvent): JsonValue {
  const value = data as JsonValue;
  if (type === 'request/header') return { reason: field(value, 'reason') ?? null };
  if (type === 'user/message') return compactMessage(value);
  if (!isObject(value)) return value;
  // A removal inserts nothing, and says so by what it removes.
  const shown = Object.entries(value).filter(
    ([key, item]) => key !== 'inserted' || !isList(item) || item.length > 0,
  );
  return Object.fromEntries(
    shown.map(([key, item]) => {
      if (key === 'inserted' && isList(item)) return [key, item.map(compactMessage)];
      return [key, type === 'prompt/blocked' && key === 'message' ? compactMessage(item) : item];
    }),
  );
}

/** A plain user message in three lines; one with anything unusual about it stays as it is. */
function compactMessage(value: JsonValue): JsonValue {
  if (
    !isObject(value) ||
    Object.keys(value).sort().join() !== 'content,id,role,source' ||
    value['role'] !== 'user'
  )
    return value;
  const blocks = value['content'];
  if (!isList(blocks) || !blocks.every(isPlainText)) return value;
  const texts = blocks.map((block) => stringField(block, 'text') ?? '');
  const source = value['source'] ?? null;
  const isUsers = isObject(source) && Object.keys(source).length === 1 && source['kind'] === 'user';
  return {
    id: value['id'] ?? null,
    ...(isUsers ? {} : { source }),
    text: texts.length === 1 ? (texts[0] ?? '') : texts,
  };
}

function isPlainText(block: JsonValue): boolean {
  return (
    isObject(block) &&
    Object.keys(block).length === 2 &&
    block['type'] === 'text' &&
    typeof block['text'] === 'string'
  );
}
