/** What varies in a recording: places, ids and the days of the run. */
import { field, listField, messagesOf, stringField } from '../subject/event-view.ts';
import { lanesOf } from '../run/lanes.ts';
import type { Recording } from '../run/recording.ts';
import { VolatileTable, type NumberedKind, type Volatile } from './placeholders.ts';

/** The table for one recording. */
export function volatileTable(recording: Recording): VolatileTable {
  return new VolatileTable(
    [...places(recording), ...sessions(recording), ...messages(recording), ...calls(recording)],
    recording.places.dates,
  );
}

function places({ places }: Recording): readonly Volatile[] {
  const { cwd, home, apiKey, version, modelUrl } = places;
  const { port, host } = new URL(modelUrl);
  const values: Volatile[] = [
    { raw: cwd, as: { text: '{{cwd}}' }, edge: 'path' },
    { raw: home, as: { text: '{{home}}' }, edge: 'path' },
    { raw: apiKey, as: { text: '{{apiKey}}' }, edge: 'none' },
  ];
  if (version !== null) values.push({ raw: version, as: { text: '{{version}}' }, edge: 'word' });
  if (port !== '') {
    values.push({ raw: host, as: { text: '127.0.0.1:{{port}}' }, edge: 'word' });
    values.push({ raw: `localhost:${port}`, as: { text: 'localhost:{{port}}' }, edge: 'word' });
  }
  return values;
}

function sessions({ shown, scenario }: Recording): readonly Volatile[] {
  const lanes = lanesOf(shown.sessions, scenario);
  const conversations = new Set(scenario.model.conversations.map(({ name }) => name));
  return shown.sessions.map(({ id, parent }) => {
    const lane = lanes.get(id) ?? '';
    const isChild = parent !== null && conversations.has(lane);
    return { raw: id, as: isChild ? { text: `{{child:${lane}}}` } : { kind: 'session' }, edge: 'word' };
  });
}

function messages({ shown }: Recording): readonly Volatile[] {
  const ids = shown.sessions.flatMap(({ events }) =>
    events.flatMap((event) => messagesOf(event).map(({ id }) => id)),
  );
  return ids.map((id) => numbered('message', id));
}

function calls({ shown, exchanges }: Recording): readonly Volatile[] {
  const asked = exchanges
    .flatMap(({ neutral }) => neutral?.messages ?? [])
    .flatMap((message) => {
      if (message.role === 'assistant') return message.calls.map(({ id }) => id);
      return message.role === 'tool' ? [message.callId] : [];
    });
  const recorded = shown.sessions.flatMap(({ events }) =>
    events.flatMap(({ data }) => {
      const calls = listField(field(data, 'message'), 'toolCalls').map((call) => stringField(call, 'id'));
      return [stringField(data, 'callId'), ...calls].flatMap((id) => id ?? []);
    }),
  );
  return [...asked, ...recorded].map((id) => numbered('call', id));
}

function numbered(kind: NumberedKind, raw: string): Volatile {
  return { raw, as: { kind }, edge: 'word' };
}
