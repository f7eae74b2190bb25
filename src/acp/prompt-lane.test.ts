import { describe, expect, it } from 'vitest';
import type {
  EventData,
  EventType,
  MessageId,
  SessionEvent,
  TurnEndReason,
  UserMessage,
} from '../session/events.ts';
import { PromptLane } from './prompt-lane.ts';

/** A session that records one thing after the other. */
class Script {
  readonly lane = new PromptLane();
  #seq = 0;
  #turn = 0;

  record<T extends EventType>(type: T, data: EventData[T]): void {
    this.lane.observe({ type, seq: this.#seq++, time: '2026-01-01T00:00:00.000Z', data } as SessionEvent);
  }

  enqueue(id: string, at: number, target: 'next-turn' | 'next-step' = 'next-turn'): void {
    this.record('agent/inbox/spliced', { target, start: at, inserted: [message(id)] });
  }

  remove(at: number, outcome?: 'cancelled'): void {
    const how = outcome === undefined ? {} : { outcome };
    this.record('agent/inbox/spliced', {
      target: 'next-turn',
      start: at,
      removedCount: 1,
      inserted: [],
      ...how,
    });
  }

  /** Opens a turn with the message at the head of the queue. */
  claim(): void {
    this.#turn += 1;
    this.record('turn/start', { turn: this.#turn });
    this.remove(0);
  }

  end(reason: TurnEndReason): void {
    this.record('turn/end', { turn: this.#turn, reason });
  }
}

const FAILED: TurnEndReason = {
  kind: 'error',
  message: 'no such model',
  code: 'INVALID_REQUEST',
  status: 400,
};
const COMPLETED: TurnEndReason = { kind: 'completed' };

function message(id: string): UserMessage {
  return {
    id: id as MessageId,
    role: 'user',
    content: [{ type: 'text', text: id }],
    source: { kind: 'user' },
  };
}

function begin({ lane }: Script, id: string): { failure: TurnEndReason | null } {
  const seen: { failure: TurnEndReason | null } = { failure: null };
  void lane.begin(id as MessageId).then((failure) => (seen.failure = failure));
  return seen;
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('what becomes of a prompt', () => {
  it('one in flight makes the lane busy until it is settled (ACP-1)', () => {
    const script = new Script();
    expect(script.lane.busy).toBe(false);
    begin(script, 'p');
    expect(script.lane.busy).toBe(true);
    script.lane.settle();
    expect(script.lane.busy).toBe(false);
  });

  it.each<TurnEndReason>([
    COMPLETED,
    { kind: 'max-tokens' },
    { kind: 'rejected' },
    { kind: 'aborted', cause: 'hook' },
    { kind: 'aborted', cause: 'parent' },
  ])(
    'a claimed prompt settles as end_turn, also where its turn ended as %o (ACP-3, ACP-5, ACP-7)',
    (reason) => {
      const script = new Script();
      begin(script, 'p');
      script.enqueue('p', 0);
      script.claim();
      script.end(reason);
      expect(script.lane.settle()).toBe('end_turn');
    },
  );

  it('an error of its own turn fails it at once and frees the slot (ACP-4)', async () => {
    const script = new Script();
    const seen = begin(script, 'p');
    script.enqueue('p', 0);
    script.claim();
    script.end(FAILED);
    expect(script.lane.busy).toBe(false);
    await settled();
    expect(seen.failure).toEqual(FAILED);
  });

  it('an error of another turn does not: one that ran before it, one that runs behind it (ACP-7)', async () => {
    const script = new Script();
    script.enqueue('earlier', 0);
    const seen = begin(script, 'p');
    script.enqueue('p', 1);
    script.claim();
    script.end(FAILED);
    script.claim();
    script.end(COMPLETED);
    script.enqueue('later', 0);
    script.claim();
    script.end(FAILED);
    await settled();
    expect(seen.failure).toBeNull();
    expect(script.lane.settle()).toBe('end_turn');
  });

  it('a cancel of the client makes it cancelled, whatever its turn ends as (ACP-5)', async () => {
    const script = new Script();
    const seen = begin(script, 'p');
    script.enqueue('p', 0);
    script.claim();
    script.lane.cancel();
    script.end(FAILED);
    await settled();
    expect(seen.failure).toBeNull();
    expect(script.lane.settle()).toBe('cancelled');
  });

  it('one that left the inbox without a turn is cancelled, also behind others in the queue (ACP-5)', () => {
    const script = new Script();
    script.enqueue('earlier', 0);
    begin(script, 'p');
    script.enqueue('p', 1);
    script.remove(1, 'cancelled');
    script.claim();
    script.end(COMPLETED);
    expect(script.lane.settle()).toBe('cancelled');
  });

  it('the late end of a cancelled turn settles and fails nothing of the next prompt (ACP-6)', async () => {
    const script = new Script();
    begin(script, 'first');
    script.enqueue('first', 0);
    script.claim();
    script.lane.cancel();
    script.lane.settle();
    const seen = begin(script, 'next');
    script.enqueue('next', 0);
    script.end(FAILED);
    await settled();
    expect(seen.failure).toBeNull();
    script.claim();
    script.end(COMPLETED);
    expect(script.lane.settle()).toBe('end_turn');
  });

  it('what is steered or injected is no prompt', () => {
    const script = new Script();
    script.enqueue('p', 0, 'next-step');
    begin(script, 'p');
    script.enqueue('other', 0);
    script.claim();
    script.end(COMPLETED);
    expect(script.lane.settle()).toBe('cancelled');
  });
});
