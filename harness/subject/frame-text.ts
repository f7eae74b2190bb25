/** A raw frame of a scenario -> the line that is sent, and how its answer can be recognised. Pure. */
import type { JsonValue } from '../scenario/scenario.ts';
import { field, isObject } from './event-view.ts';

/** An id of a request, as JSON-RPC has it. */
export type RpcId = string | number;

/** What answers a frame: a response with its id, an error with a null id, or nothing. */
export type ExpectedAnswer =
  { readonly by: 'id'; readonly id: RpcId } | { readonly by: 'null-id' } | { readonly by: 'nothing' };

export interface FrameText {
  /** Without its line end. */
  readonly line: string;
  readonly answer: ExpectedAnswer;
}

/**
 * The lines of a frame, which go out in one write: a text is sent as it stands, anything else as JSON. `valueOf` fills in
 * `{{name}}`; null leaves it as it stands.
 */
export function frameText(frame: JsonValue, valueOf: (name: string) => string | null): readonly FrameText[] {
  const fill = (text: string): string =>
    text.replace(/\{\{([^{}]+)\}\}/g, (whole, name: string) => valueOf(name.trim()) ?? whole);
  const text = typeof frame === 'string' ? fill(frame) : JSON.stringify(filled(frame, fill));
  return text.split('\n').map((line) => ({ line, answer: expectedAnswer(line) }));
}

function filled(value: JsonValue, fill: (text: string) => string): JsonValue {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => filled(item, fill));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, fill)]));
}

function expectedAnswer(line: string): ExpectedAnswer {
  if (line.trim() === '') return { by: 'nothing' };
  let frame: JsonValue;
  try {
    frame = JSON.parse(line) as JsonValue;
  } catch {
    return { by: 'null-id' };
  }
  const [id, method] = [field(frame, 'id'), field(frame, 'method')];
  if (isRpcId(id)) return method === undefined && isResponse(frame) ? { by: 'nothing' } : { by: 'id', id };
  const isNotification = id === undefined && typeof method === 'string' && field(frame, 'jsonrpc') === '2.0';
  return isNotification || isResponse(frame) ? { by: 'nothing' } : { by: 'null-id' };
}

function isResponse(frame: JsonValue): boolean {
  return (
    field(frame, 'method') === undefined &&
    (field(frame, 'result') !== undefined || field(frame, 'error') !== undefined)
  );
}

/** Whole numbers beyond 2^53 are no ids: they cannot come back as they were. */
export function isRpcId(id: JsonValue | undefined): id is RpcId {
  return typeof id === 'string' || (typeof id === 'number' && Math.abs(id) <= Number.MAX_SAFE_INTEGER);
}
