/** The section `wire`: what the way in itself showed. Only where a scenario asks for it. Pure. */
import type { JsonValue } from '../scenario/scenario.ts';
import { field, isObject, stringField } from '../subject/event-view.ts';
import type { Recording } from '../run/recording.ts';
import type { WireFrame } from '../subject/subject.ts';
import type { Normaliser } from './placeholders.ts';

/**
 * Frames where the way in has them, consecutive text updates merged; otherwise standard output and exit code. Of an event
 * that a frame carries only the type is shown, since the section `log` has the rest.
 */
export function wireSection({ shown }: Recording, normaliser: Normaliser): JsonValue {
  if (shown.frames.length > 0) {
    return mergedUpdates(shown.frames.map(parsed).flatMap(withoutEvents)).map(({ from, frame }) => ({
      [from]: normaliser.value(frame),
    }));
  }
  return {
    stdout: normaliser.text(shown.stdout),
    exit: shown.exit.code,
    ...(shown.exit.signal === null ? {} : { signal: shown.exit.signal }),
  };
}

/** The `update` of every `session/update` that the subject sent, consecutive texts merged. */
export function mergedSessionUpdates(frames: readonly WireFrame[]): readonly JsonValue[] {
  const sent = frames.filter(({ from }) => from === 'subject').map(parsed);
  return mergedUpdates(sent.filter(({ frame }) => stringField(frame, 'method') === 'session/update')).flatMap(
    ({ frame }) => field(field(frame, 'params'), 'update') ?? [],
  );
}

interface ParsedFrame {
  readonly from: WireFrame['from'];
  readonly frame: JsonValue;
}

function parsed({ from, text }: WireFrame): ParsedFrame {
  try {
    return { from, frame: JSON.parse(text) as JsonValue };
  } catch {
    return { from, frame: text };
  }
}

/** Beside the protocol, for harnesses alone: what they carry stands in other sections. */
const EXTENSIONS = '_turnpin/';

function withoutEvents({ from, frame }: ParsedFrame): readonly ParsedFrame[] {
  const method = stringField(frame, 'method') ?? '';
  if (from === 'subject' && method.startsWith(EXTENSIONS)) return [];
  const params = field(frame, 'params');
  const type = stringField(field(params, 'event'), 'type');
  if (method !== 'session.event' || type === null || !isObject(frame) || !isObject(params))
    return [{ from, frame }];
  return type === 'assistant/chunk'
    ? []
    : [{ from, frame: { ...frame, params: { ...params, event: { type } } } }];
}

function mergedUpdates(frames: readonly ParsedFrame[]): readonly ParsedFrame[] {
  const merged: ParsedFrame[] = [];
  for (const next of frames) {
    const last = merged.at(-1);
    const joined = last === undefined || last.from !== next.from ? null : joinUpdates(last.frame, next.frame);
    if (joined === null) merged.push(next);
    else merged[merged.length - 1] = { from: next.from, frame: joined };
  }
  return merged;
}

/** Two text updates of the same kind and session as one; null where they are none. */
function joinUpdates(first: JsonValue, second: JsonValue): JsonValue | null {
  const [one, two] = [updateText(first), updateText(second)];
  if (one === null || two === null || one.rest !== two.rest || !isObject(first)) return null;
  const params = field(first, 'params');
  const update = field(params, 'update');
  const content = field(update, 'content');
  if (!isObject(params) || !isObject(update) || !isObject(content)) return null;
  return {
    ...first,
    params: { ...params, update: { ...update, content: { ...content, text: one.text + two.text } } },
  };
}

function updateText(frame: JsonValue): { readonly text: string; readonly rest: string } | null {
  if (stringField(frame, 'method') !== 'session/update') return null;
  const params = field(frame, 'params');
  const update = field(params, 'update');
  const text = stringField(field(update, 'content'), 'text');
  if (text === null) return null;
  return { text, rest: `${stringField(update, 'sessionUpdate')} ${stringField(params, 'sessionId')}` };
}
