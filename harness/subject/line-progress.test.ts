import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../scenario/scenario.ts';
import { LineProgress } from './line-progress.ts';
import type { RecordedEvent } from './subject.ts';

const event = (type: string, data: { [key: string]: JsonValue } = {}): RecordedEvent => ({
  type,
  data,
  seq: 0,
  time: '',
});
const enqueued = (id: string): RecordedEvent =>
  event('agent/inbox/spliced', {
    target: 'next-turn',
    start: 0,
    inserted: [{ id, content: [], source: { kind: 'user' } }],
  });
const claimed = event('agent/inbox/spliced', {
  target: 'next-turn',
  start: 0,
  removedCount: 1,
  inserted: [],
});

describe('a command that reads lines', () => {
  it('is quiet before the first line and after the last, and at no point between', () => {
    const progress = new LineProgress([]);
    expect(progress.quiet).toBe(true);
    progress.wrote();
    const steps = [
      () => {},
      () => progress.event(enqueued('a')),
      () => progress.status('running'),
      () => progress.event(event('turn/start')),
      () => progress.event(claimed),
      () => progress.event(event('turn/end')),
    ];
    for (const step of steps) {
      step();
      expect(progress.quiet).toBe(false);
    }
    progress.status('idle');
    expect(progress.quiet).toBe(true);
  });

  it('is not quiet while a line that was written has not been taken in', () => {
    const progress = new LineProgress([]);
    progress.wrote();
    progress.wrote();
    progress.event(enqueued('a'));
    progress.event(claimed);
    expect(progress.allTaken).toBe(false);
    expect(progress.quiet).toBe(false);
  });

  it('what a killed session left pending or open does not keep the resumed one from being quiet', () => {
    const progress = new LineProgress([enqueued('a'), event('turn/start'), claimed, enqueued('b')]);
    expect(progress.quiet).toBe(true);
    progress.wrote();
    progress.event(enqueued('c'));
    expect(progress.quiet).toBe(false);
  });
});
