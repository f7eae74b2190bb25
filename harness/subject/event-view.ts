/** Reading the data of recorded events, which come from outside and may have any shape. */
import type { JsonValue } from '../scenario/scenario.ts';
import type { RecordedEvent } from './subject.ts';

export type JsonObject = { readonly [key: string]: JsonValue };

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !isList(value);
}

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The field `key`, or undefined where `value` is no object or has none. */
export function field(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

export function stringField(value: JsonValue | undefined, key: string): string | null {
  const found = field(value, key);
  return typeof found === 'string' ? found : null;
}

export function numberField(value: JsonValue | undefined, key: string): number | null {
  const found = field(value, key);
  return typeof found === 'number' ? found : null;
}

export function listField(value: JsonValue | undefined, key: string): readonly JsonValue[] {
  const found = field(value, key);
  return isList(found) ? found : [];
}

/** A user message as it stands in events. */
export interface SeenMessage {
  readonly id: string;
  readonly text: string;
  readonly source: string | null;
  readonly sender: string | null;
}

/** Reads a message; its text blocks joined by a newline. Null where it is none. */
export function seenMessage(value: JsonValue | undefined): SeenMessage | null {
  const id = stringField(value, 'id');
  if (id === null) return null;
  const content = field(value, 'content');
  const blocks = isList(content) ? content : [];
  const text =
    typeof content === 'string'
      ? content
      : blocks.map((block) => stringField(block, 'text') ?? '').join('\n');
  const source = field(value, 'source');
  return {
    id,
    text,
    source: typeof source === 'string' ? source : stringField(source, 'kind'),
    sender: stringField(source, 'senderSessionId'),
  };
}

/** What an inbox splice put in. */
export function inserted(event: RecordedEvent): readonly SeenMessage[] {
  if (event.type !== 'agent/inbox/spliced') return [];
  return listField(event.data, 'inserted').flatMap((value) => seenMessage(value) ?? []);
}

/** Every user message that an event carries. */
export function messagesOf(event: RecordedEvent): readonly SeenMessage[] {
  switch (event.type) {
    case 'agent/inbox/spliced':
      return inserted(event);
    case 'user/message':
      return [seenMessage(event.data)].flatMap((message) => message ?? []);
    case 'prompt/blocked':
      return [seenMessage(field(event.data, 'message'))].flatMap((message) => message ?? []);
    default:
      return [];
  }
}
