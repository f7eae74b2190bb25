import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../scenario/scenario.ts';
import type { RecordedEvent } from '../subject/subject.ts';
import { logSection, observedLog } from './log.ts';
import { Normaliser, VolatileTable } from './placeholders.ts';
import { turnsOf } from './turns.ts';

const normaliser = (): Normaliser => new Normaliser(new VolatileTable([], []));
const message = (id: string, source = 'user'): JsonValue => ({
  id,
  role: 'user',
  content: [{ type: 'text', text: `says ${id}` }],
  source: { kind: source },
});

function log(
  ...events: readonly (readonly [type: string, data: { [key: string]: JsonValue }])[]
): readonly RecordedEvent[] {
  return events.map(([type, data], seq) => ({ type, data, seq, time: '2026-11-30T00:00:00.000Z' }));
}

const splice = (target: string, data: { [key: string]: JsonValue }) =>
  ['agent/inbox/spliced', { target, start: 0, inserted: [], ...data }] as const;
const start = (turn: number) => ['turn/start', { turn }] as const;
const step = (turn: number, number: number) => ['step/start', { turn, step: number }] as const;
const end = (turn: number, reason: JsonValue) => ['turn/end', { turn, reason }] as const;

describe('turns, folded from events', () => {
  it('a turn has the ordinary message that it claimed, its steps and its end', () => {
    const events = log(
      splice('next-step', { inserted: [message('context')] }),
      splice('next-turn', { inserted: [message('a')] }),
      start(1),
      splice('next-step', { removedCount: 1 }),
      splice('next-turn', { removedCount: 1 }),
      step(1, 1),
      step(1, 2),
      end(1, { kind: 'completed' }),
    );
    expect(turnsOf(events, 'main', normaliser())).toEqual([
      { lane: 'main', turn: 1, prompt: 'says a', source: 'user', steps: 2, end: 'completed', cause: null },
    ]);
  });

  it('a turn without an ordinary message has the first of the others, with its source', () => {
    const events = log(
      splice('next-step', { inserted: [message('r', 'subagent-report')] }),
      start(1),
      splice('next-step', { removedCount: 1 }),
      step(1, 1),
    );
    expect(turnsOf(events, 'main', normaliser())).toMatchObject([
      { prompt: 'says r', source: 'subagent-report', end: null },
    ]);
  });

  it('what is claimed at a later boundary, or cancelled, is no prompt', () => {
    const events = log(
      splice('next-turn', { inserted: [message('a'), message('b')] }),
      start(1),
      splice('next-turn', { removedCount: 1 }),
      step(1, 1),
      splice('next-turn', { removedCount: 1, outcome: 'cancelled' }),
      end(1, { kind: 'aborted', cause: 'user' }),
    );
    expect(turnsOf(events, 'main', normaliser())).toMatchObject([
      { prompt: 'says a', end: 'aborted', cause: 'user' },
    ]);
  });

  it('an error says its code as the cause', () => {
    expect(
      turnsOf(
        log(start(1), end(1, { kind: 'error', code: 'HTTP_400', message: 'no' })),
        'main',
        normaliser(),
      ),
    ).toMatchObject([{ end: 'error', cause: 'HTTP_400', prompt: null }]);
  });
});

describe('the log in two lanes', () => {
  const events = log(
    splice('next-turn', { start: 3, inserted: [message('a')] }),
    start(1),
    splice('next-turn', { removedCount: 1 }),
    ['assistant/chunk', { turn: 1, step: 1, chunk: { kind: 'text-delta', index: 0, text: 'x' } }],
    ['request/header', { reason: 'initial', header: { systemPrompt: 'long' } }],
    splice('next-step', { inserted: [message('s')] }),
    splice('next-step', { removedCount: 1, outcome: 'moved' }),
    splice('next-turn', { inserted: [message('s')] }),
  );

  it('what was enqueued is in the inbox, without its place; claims and moves are in the loop', () => {
    expect(logSection(observedLog(events, normaliser()))).toEqual({
      inbox: [{ 'next-turn': [{ id: 'a', text: 'says a' }] }, { 'next-step': [{ id: 's', text: 'says s' }] }],
      loop: [
        { 'turn/start': { turn: 1 } },
        { 'agent/inbox/spliced': { target: 'next-turn', start: 0, removedCount: 1 } },
        { 'request/header': { reason: 'initial' } },
        { 'agent/inbox/spliced': { target: 'next-step', start: 0, removedCount: 1, outcome: 'moved' } },
        { 'agent/inbox/spliced': { target: 'next-turn', start: 0, inserted: [{ id: 's', text: 'says s' }] } },
      ],
    });
  });

  it('does not depend on when the loop and the inbox met', () => {
    const later = [events[1], events[0], ...events.slice(2)].flatMap((event) => event ?? []);
    expect(logSection(observedLog(later, normaliser()))).toEqual(
      logSection(observedLog(events, normaliser())),
    );
  });
});
