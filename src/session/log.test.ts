import { describe, expect, it } from 'vitest';
import { EventRefusedError, ImpossibleEventError } from './errors.ts';
import type { MessageId, SessionEvent, SessionHeader, SessionId, UserMessage } from './events.ts';
import { SessionLog } from './log.ts';
import type { Published } from './publication.ts';
import { createMemoryStore } from './store.ts';

const header: SessionHeader = {
  type: 'session',
  version: 0,
  id: 's' as SessionId,
  createdAt: '2026-01-01T00:00:00.000Z',
};

function message(text: string): UserMessage {
  return { id: text as MessageId, role: 'user', content: [{ type: 'text', text }], source: { kind: 'user' } };
}

function logWith(check?: ConstructorParameters<typeof SessionLog>[0]['check']): {
  log: SessionLog;
  lines: readonly string[];
} {
  const lines: string[] = [];
  const store = { ...createMemoryStore(), append: (line: string) => void lines.push(line) };
  return { log: new SessionLog({ header, store, check }), lines };
}

function nameOf(published: Published): string {
  return published.kind === 'event' ? `${published.event.seq} ${published.event.type}` : published.live.type;
}

describe('the session log', () => {
  it('LOG-1: numbers events from 0 without gaps, frozen, one line each', () => {
    const { log, lines } = logWith();
    log.append('turn/start', { turn: 1 });
    log.append('user/message', message('m'));
    expect(log.events.map((event) => event.seq)).toEqual([0, 1]);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(log.events);
    const recorded = log.events[1] as SessionEvent<'user/message'>;
    expect(Object.isFrozen(recorded) && Object.isFrozen(recorded.data.content[0])).toBe(true);
  });

  it('LOG-1: data that JSON cannot carry is refused and nothing is recorded', () => {
    const { log, lines } = logWith();
    expect(() => log.append('goal/change', { operation: 'x', goal: Number.NaN, roundsStarted: 0 })).toThrow(
      /\$\.goal/,
    );
    expect(log.events).toEqual([]);
    expect(lines).toEqual([]);
  });

  it('LOG-1: an append from within a listener commits at once and is published after what came before', () => {
    const { log } = logWith();
    const told: string[] = [];
    let seqInside = -1;
    log.subscribe((published) => {
      if (published.kind !== 'event' || published.event.seq !== 0) return;
      seqInside = log.append('step/start', { turn: 1, step: 1 }).seq;
      log.notify({ type: 'agent/turn-stop', turn: 1 });
      log.append('step/end', { turn: 1, step: 1 });
    });
    log.subscribe((published) => told.push(nameOf(published)));
    log.append('turn/start', { turn: 1 });
    expect(seqInside).toBe(1);
    expect(told).toEqual(['0 turn/start', '1 step/start', 'agent/turn-stop', '2 step/end']);
  });

  it('what is recorded together is published after all of it', () => {
    const { log } = logWith();
    const turnsSeen: number[] = [];
    log.subscribe(() => turnsSeen.push(log.events.length));
    log.together(() => {
      log.append('turn/start', { turn: 1 });
      log.append('turn/end', { turn: 1, reason: { kind: 'completed' } });
    });
    expect(turnsSeen).toEqual([2, 2]);
  });

  it('a task waits for what was recorded before it, also when a listener asks for it', () => {
    const { log } = logWith();
    const told: string[] = [];
    log.subscribe((published) => {
      if (told.length === 0) log.afterPublication(() => told.push('task'));
      told.push(nameOf(published));
    });
    log.subscribe((published) => told.push(`second ${nameOf(published)}`));
    log.append('turn/start', { turn: 1 });
    expect(told).toEqual(['0 turn/start', 'second 0 turn/start', 'task']);
  });

  it('STATUS-5: a listener that throws, at once or later, is reported and stops no other', async () => {
    const { log } = logWith();
    const told: string[] = [];
    log.subscribe(() => {
      throw new Error('at once');
    });
    log.subscribe(() => Promise.reject(new Error('later')));
    log.subscribe((published) => {
      told.push(
        published.kind === 'live' && published.live.type === 'agent/error'
          ? published.live.error.message
          : nameOf(published),
      );
    });
    log.append('turn/start', { turn: 1 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual([
      '0 turn/start',
      'A listener of turn/start failed: at once',
      'A listener of turn/start failed: later',
    ]);
  });

  it('a subscription ends when it is told to, and one function can hold two', () => {
    const { log } = logWith();
    let count = 0;
    const listener = (): void => void (count += 1);
    const stop = log.subscribe(listener);
    log.subscribe(listener);
    log.append('turn/start', { turn: 1 });
    stop();
    log.append('turn/end', { turn: 1, reason: { kind: 'completed' } });
    expect(count).toBe(3);
  });

  it('the check refuses an event before it is committed, and is not asked about what keeps the balance', () => {
    const asked: string[] = [];
    const { log, lines } = logWith(({ type }) => {
      asked.push(type);
      return type === 'step/start' ? 'not today' : undefined;
    });
    log.append('turn/start', { turn: 1 });
    expect(() => log.append('step/start', { turn: 1, step: 1 })).toThrow(EventRefusedError);
    log.append('turn/end', { turn: 1, reason: { kind: 'completed' } });
    expect(asked).toEqual(['turn/start', 'step/start']);
    expect(lines).toHaveLength(2);
  });

  it.each<[string, (log: SessionLog) => void]>([
    ['a second open turn', (log) => log.append('turn/start', { turn: 2 })],
    [
      'a turn number that was left out',
      (log) => log.append('turn/end', { turn: 2, reason: { kind: 'completed' } }),
    ],
    ['a step that is not the next one', (log) => log.append('step/start', { turn: 1, step: 2 })],
    [
      'a result without a step',
      (log) => log.append('tool/result', { turn: 1, step: 1, callId: 'c', content: '', isError: false }),
    ],
    [
      'a splice beyond the list',
      (log) =>
        log.append('agent/inbox/spliced', { target: 'next-turn', start: 0, removedCount: 1, inserted: [] }),
    ],
  ])('an event that cannot follow is refused: %s', (_, append) => {
    const { log, lines } = logWith();
    log.append('turn/start', { turn: 1 });
    expect(() => append(log)).toThrow(ImpossibleEventError);
    expect(lines).toHaveLength(1);
  });
});
