import { describe, expect, it } from 'vitest';
import type { EventData, EventType, MessageId, SessionEvent, UserMessage } from '../session/events.ts';
import { settlementMessage } from './notices.ts';
import { endingOf, stopReasonOf } from './outcome.ts';

function epoch(
  ...events: readonly { [T in EventType]: readonly [T, EventData[T]] }[EventType][]
): SessionEvent[] {
  return events.map(([type, data], seq) => ({ type, data, seq, time: '' }) as unknown as SessionEvent);
}

const message: UserMessage = {
  id: 'm' as MessageId,
  role: 'user',
  content: [{ type: 'text', text: 'x' }],
  source: { kind: 'user' },
};
const said = (text: string): readonly ['assistant/message', EventData['assistant/message']] => [
  'assistant/message',
  { turn: 1, step: 1, message: { role: 'assistant', text, toolCalls: [] } },
];
const ends = (reason: EventData['turn/end']['reason']): readonly ['turn/end', EventData['turn/end']] => [
  'turn/end',
  { turn: 1, reason },
];
const dropped: readonly ['agent/inbox/spliced', EventData['agent/inbox/spliced']] = [
  'agent/inbox/spliced',
  { target: 'next-turn', start: 0, removedCount: 1, inserted: [], outcome: 'cancelled' },
];

describe('how an epoch ended', () => {
  it.each([
    ['completed', epoch(ends({ kind: 'completed' })), 'completed', 'completed', 'has finished'],
    ['token ceiling', epoch(ends({ kind: 'max-tokens' })), 'max-tokens', 'max-tokens', 'ran out of room'],
    ['cancellation', epoch(ends({ kind: 'aborted', cause: 'parent' })), 'aborted', 'aborted', 'was stopped'],
    [
      'error',
      epoch(ends({ kind: 'error', message: 'No route', code: 'X' })),
      'error',
      'error',
      'has failed: No route.',
    ],
    [
      'content filter',
      epoch(ends({ kind: 'error', message: 'Filtered.', code: 'CONTENT_FILTER' })),
      'refusal',
      'refusal',
      'was declined: Filtered.',
    ],
    [
      'admission',
      epoch(['prompt/blocked', { message, reason: 'not here' }], ends({ kind: 'rejected' })),
      'refusal',
      'refusal',
      'was declined: not here.',
    ],
    ['work cancelled before any turn', epoch(dropped), 'aborted', 'aborted', 'was stopped'],
    ['nothing at all', epoch(), 'error', 'error', 'has failed: it ended before its first turn.'],
  ] as const)('SETTLE-4: %s', (_, events, kind, stop, sentence) => {
    const ending = endingOf(events, null);
    expect(ending.outcome.kind).toBe(kind);
    expect(stopReasonOf(ending.outcome)).toBe(stop);
    const { content, source } = settlementMessage({ id: 'c' as never, label: 'l' }, ending);
    expect(content[0]?.text).toContain(`agent c (l) ${sentence}`);
    expect(source).toEqual({ kind: 'subagent-settled', senderSessionId: 'c' });
  });

  it('SETTLE-4: death before the first step is failed, not stopped', () => {
    expect(endingOf(epoch(dropped), new Error('no turn may start')).outcome).toEqual({
      kind: 'error',
      message: 'no turn may start',
    });
  });

  it('SETTLE-4: work that is dropped after a completed turn is stopped', () => {
    expect(endingOf(epoch(ends({ kind: 'completed' }), dropped), null).outcome.kind).toBe('aborted');
  });

  it('SETTLE-4: an empty last message does not hide an earlier text of the epoch', () => {
    expect(endingOf(epoch(said('found it'), said(' \n')), null).text).toBe('found it');
  });

  it('SETTLE-3: a notice carries the closing text, or says that there is none', () => {
    const notice = (text: string | null): readonly string[] =>
      settlementMessage(
        { id: 'c' as never, label: 'l' },
        { outcome: { kind: 'completed' }, text },
      ).content.map((block) => block.text);
    expect(notice('the answer')).toEqual([
      'agent c (l) has finished. Its closing message follows.',
      'the answer',
    ]);
    expect(notice(null)).toEqual(['agent c (l) has finished. It left no closing message.']);
  });
});
