import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { NeutralMessage } from '../model/exchange.ts';
import { fakeKind } from '../run/fixtures/fake-subject.ts';
import { scenarioOf } from '../run/fixtures/scenario.ts';
import type { Recording } from '../run/recording.ts';
import { runScenario } from '../run/scenario-run.ts';
import { SECTIONS } from '../verdict/vocabulary.ts';
import { observe } from './observe.ts';

const TWO =
  'model: {main: [{text: One.}, {text: Two.}]}\nsteps: [{followup: prompt alpha}, {followup: prompt beta}]\nexpect: {requests: 2}';

const ran = (body: string): Promise<Recording> =>
  runScenario(scenarioOf(body), fakeKind(), { category: null });
const sectionsOf = (recording: Recording): string => {
  const { sections } = observe(recording, { varying: [] });
  return SECTIONS.map((section) => sections.get(section) ?? '').join('');
};

/** The recording with another history in its second request. */
function rewriting(
  recording: Recording,
  history: (messages: readonly NeutralMessage[]) => readonly NeutralMessage[],
): Recording {
  const exchanges = recording.exchanges.map((exchange, index) =>
    index === 1 && exchange.neutral !== null
      ? { ...exchange, neutral: { ...exchange.neutral, messages: history(exchange.neutral.messages) } }
      : exchange,
  );
  return { ...recording, exchanges };
}

describe('sections', () => {
  it('conversations say what each request adds, which reply it drew and how that ended; joined they are one document', async () => {
    expect(parse(sectionsOf(await ran(TWO)))).toEqual({
      conversations: {
        main: [
          { adds: [{ user: 'prompt alpha' }], drew: 'main.1', ended: 'finished' },
          { adds: [{ assistant: 'One.' }, { user: 'prompt beta' }], drew: 'main.2', ended: 'finished' },
        ],
      },
    });
  });

  it('a history that was rewritten says how much of it was kept', async () => {
    const recording = rewriting(await ran(TWO), ([, ...rest]) => [
      { role: 'user', text: 'prompt ALPHA' },
      ...rest,
    ]);
    expect(parse(sectionsOf(recording))).toMatchObject({
      conversations: { main: [{}, { keeps: 0, adds: [{ user: 'prompt ALPHA' }, {}, {}] }] },
    });
  });

  it('a driver that shows no events has no turns and no log', async () => {
    const { sections, turns, log } = observe(await ran(TWO), { varying: [] });
    expect([...sections.keys()]).toEqual(['conversations']);
    expect([turns, log]).toEqual([null, null]);
  });

  it('the wire is shown only where the scenario pins it, consecutive texts as one', async () => {
    const recording = await ran(TWO);
    expect(observe(recording, { varying: [] }).sections.has('wire')).toBe(false);
    const update = (text: string, kind = 'agent_message_chunk') => ({
      from: 'subject' as const,
      text: JSON.stringify({
        method: 'session/update',
        params: { sessionId: 's', update: { sessionUpdate: kind, content: { type: 'text', text } } },
      }),
    });
    const frames = [
      { from: 'client' as const, text: '{not json' },
      update('On'),
      update('e.'),
      update('Hm.', 'agent_thought_chunk'),
    ];
    const pinned = {
      ...recording,
      scenario: { ...recording.scenario, pinsWire: ['inproc' as const] },
      shown: { ...recording.shown, frames },
    };
    const { wire } = parse(observe(pinned, { varying: [] }).sections.get('wire') ?? '') as {
      wire: readonly Record<string, unknown>[];
    };
    expect(wire).toHaveLength(3);
    expect(wire[0]).toEqual({ client: '{not json' });
    expect(JSON.stringify(wire[1])).toContain('"text":"One."');
  });

  it('of an event on the wire only the type is shown, of streamed pieces and extensions nothing', async () => {
    const recording = await ran(TWO);
    const event = (method: string, type: string) => ({
      from: 'subject' as const,
      text: JSON.stringify({
        method,
        params: { sessionId: 's', event: { type, seq: 1, data: { turn: 1 } } },
      }),
    });
    const frames = [
      event('session.event', 'assistant/chunk'),
      event('session.event', 'turn/end'),
      event('_turnpin/event', 'turn/end'),
    ];
    const pinned = {
      ...recording,
      scenario: { ...recording.scenario, pinsWire: ['inproc' as const] },
      shown: { ...recording.shown, frames },
    };
    expect(parse(observe(pinned, { varying: [] }).sections.get('wire') ?? '')).toEqual({
      wire: [
        { subject: { method: 'session.event', params: { sessionId: 's', event: { type: 'turn/end' } } } },
      ],
    });
  });

  it('a side request stands in the transcript with its whole header', async () => {
    const body =
      'model: {main: [{text: One.}], asides: {title: {when: {user: beta}, replies: [{text: A title}]}}}\nsteps: [{followup: prompt alpha}, {followup: prompt beta}]\nexpect: {requests: 1}';
    const { conversations } = parse(sectionsOf(await ran(body))) as {
      conversations: Record<string, readonly Record<string, unknown>[]>;
    };
    expect(conversations['aside.title']).toMatchObject([
      {
        header: { method: 'POST', path: '/v1/chat/completions' },
        system: ['in {{cwd}}'],
        tools: [],
        drew: 'aside.title.1',
        ended: 'finished',
      },
    ]);
  });
});

describe('request headers', () => {
  it('each distinct value of a conversation once, with the request that showed it first', async () => {
    const { headers } = observe(await ran(TWO), { varying: [] });
    expect(headers.map(({ part, request }) => [part, request])).toEqual([
      ['request-header', 1],
      ['system-prompt', 1],
      ['tool-schemas', 1],
    ]);
    expect(headers[1]?.text).toBe('in {{cwd}}\n');
    expect(headers[0]?.text).toContain('fake/{{version}}');
  });

  it('are equal for two runs in other places', async () => {
    const [one, other] = [observe(await ran(TWO), { varying: [] }), observe(await ran(TWO), { varying: [] })];
    expect(one.headers).toEqual(other.headers);
    expect([...one.sections]).toEqual([...other.sections]);
    expect(one.placeholders.get('{{cwd}}')).not.toBe(other.placeholders.get('{{cwd}}'));
  });
});
