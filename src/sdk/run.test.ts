import { describe, expect, it } from 'vitest';
import type { MessageId, SessionEvent, SessionId } from '../session/events.ts';
import { RunCollector } from './run.ts';
import type { Observed, RunResult } from './run.ts';

const S = 's' as SessionId;

let seq = 0;
function event(type: string, data: object): Observed {
  seq += 1;
  return { kind: 'event', event: { type, seq, time: '', data } as unknown as SessionEvent };
}
const receipt = (id: string): Observed =>
  event('agent/inbox/spliced', { target: 'next-turn', start: 0, inserted: [{ id }] });
const answer = (text: string): Observed =>
  event('assistant/message', { message: { role: 'assistant', text, toolCalls: [] } });
const idle: Observed = { kind: 'status', status: 'idle' };
const running: Observed = { kind: 'status', status: 'running' };

/** Facts in order; a string stands for the response with that message id. */
function collect(facts: readonly (Observed | string)[]): RunResult | null {
  let result: RunResult | null = null;
  const collector = new RunCollector(S, (found) => {
    result = found;
  });
  for (const fact of facts) {
    if (typeof fact === 'string') collector.began(fact as MessageId);
    else collector.observe(fact);
  }
  return result;
}

describe('an owned run', () => {
  it('collects from the receipt through the next idle (RUN-1)', () => {
    const facts = [receipt('m'), running, answer('A'), idle, answer('later')];
    const result = collect(['m', ...facts]);
    expect(result).toMatchObject({ sessionId: S, messageId: 'm', finalResponse: 'A' });
    expect(result?.events.map(({ type }) => type)).toEqual(['agent/inbox/spliced', 'assistant/message']);
  });

  it('a receipt that arrives before the response is not lost, nor is a whole interval (RUN-5)', () => {
    expect(collect([receipt('m'), running, 'm', answer('A'), idle])?.finalResponse).toBe('A');
    expect(collect([receipt('m'), running, answer('A'), idle, 'm'])?.finalResponse).toBe('A');
  });

  it('what came before the receipt belongs to no run, an earlier idle included (RUN-5)', () => {
    const result = collect(['m', answer('before'), idle, receipt('other'), receipt('m'), idle]);
    expect(result?.finalResponse).toBe('');
    expect(result?.events).toHaveLength(1);
  });

  it('the final response is that of the last assistant message, empty if that has none (RUN-2)', () => {
    expect(collect(['m', receipt('m'), answer('A'), answer(''), idle])?.finalResponse).toBe('');
    expect(
      collect(['m', receipt('m'), answer('A'), receipt('steered'), answer('B'), idle])?.finalResponse,
    ).toBe('B');
  });

  it('has no prompt-level status and no reason (RUN-3)', () => {
    expect(Object.keys(collect(['m', receipt('m'), idle]) ?? {}).sort()).toEqual([
      'events',
      'finalResponse',
      'messageId',
      'sessionId',
    ]);
  });

  it('goes on while the agent runs', () => {
    expect(collect(['m', receipt('m'), running, answer('A')])).toBeNull();
  });
});
