import { describe, expect, it } from 'vitest';
import type { EventData, EventType, SessionEvent } from '../session/events.ts';
import { ASSUMED_CONTEXT_WINDOW, UpdateWriter } from './updates.ts';

function event<T extends EventType>(type: T, data: EventData[T]): SessionEvent {
  return { type, seq: 0, time: '2026-01-01T00:00:00.000Z', data } as SessionEvent;
}

const at = { turn: 1, step: 1 };
const call = (callId: string, name: string, args: string): SessionEvent =>
  event('tool/call', { ...at, callId, name, arguments: args });
const result = (callId: string, content: string, isError = false): SessionEvent =>
  event('tool/result', { ...at, callId, content, isError });

describe('what a client is shown', () => {
  it('a call id that a model uses again gets an id of its own, and each result finds its call', () => {
    const writer = new UpdateWriter('/w');
    const ids = [
      call('c', 'bash', '{}'),
      call('c', 'bash', '{}'),
      result('c', 'one'),
      result('c', 'two'),
      call('c', 'bash', '{}'),
    ].flatMap((one) => writer.live(one).map((update) => ('toolCallId' in update ? update.toolCallId : null)));
    expect(ids).toEqual(['c', 'c#2', 'c', 'c#2', 'c#3']);
    expect(writer.toolCallId('c')).toBe('c#3');
  });

  it.each([
    ['read', '{"path":"a/b.txt"}', 'read: a/b.txt', 'read', [{ path: '/w/a/b.txt' }]],
    ['write', '{"path":"/x.txt"}', 'write: /x.txt', 'edit', [{ path: '/x.txt' }]],
    ['bash', '{"command":"first\\nsecond"}', 'bash: first', 'execute', undefined],
    ['list_agents', '', 'list_agents', 'other', undefined],
    ['bash', '{"command":', 'bash', 'execute', undefined],
  ])('a call of %s with %s is titled "%s"', (name, args, title, kind, locations) => {
    const [update] = new UpdateWriter('/w').live(call('c', name, args));
    expect(update).toMatchObject({ title, kind, status: 'pending' });
    expect(update !== undefined && 'locations' in update ? update.locations : undefined).toEqual(locations);
  });

  it('a failed call is shown as failed, with the name of its error', () => {
    const writer = new UpdateWriter('/w');
    writer.live(call('c', 'bash', '{}'));
    const [update] = writer.live(
      event('tool/result', { ...at, callId: 'c', content: 'no', isError: true, code: 'ABORTED' }),
    );
    expect(update).toMatchObject({ status: 'failed', rawOutput: { code: 'ABORTED' } });
  });

  it('live, texts come piece by piece and the message adds only its use; in a replay the message has the texts', () => {
    const message = event('assistant/message', {
      ...at,
      message: { role: 'assistant', text: 'Hi.', reasoning: 'A greeting.', toolCalls: [] },
      usage: { input: 7, output: 5 },
    });
    const piece = event('assistant/chunk', { ...at, chunk: { kind: 'text-delta', index: 0, text: 'Hi' } });
    const writer = new UpdateWriter('/w');
    expect(writer.live(piece)).toMatchObject([
      { sessionUpdate: 'agent_message_chunk', content: { text: 'Hi' } },
    ]);
    expect(writer.live(message)).toEqual([
      { sessionUpdate: 'usage_update', used: 12, size: ASSUMED_CONTEXT_WINDOW },
    ]);
    expect(writer.replayed(piece)).toEqual([]);
    expect(writer.replayed(message)).toMatchObject([
      { sessionUpdate: 'agent_thought_chunk', content: { text: 'A greeting.' } },
      { sessionUpdate: 'agent_message_chunk', content: { text: 'Hi.' } },
    ]);
  });

  it('a replay shows what people said, and nothing that was added behind their back', () => {
    const said = (kind: 'user' | 'plugin'): SessionEvent =>
      event('user/message', {
        id: 'm' as never,
        role: 'user',
        content: [{ type: 'text', text: 'words' }],
        source: { kind },
      });
    const writer = new UpdateWriter('/w');
    expect(writer.replayed(said('user'))).toMatchObject([{ sessionUpdate: 'user_message_chunk' }]);
    expect(writer.replayed(said('plugin'))).toEqual([]);
    expect(writer.live(said('user'))).toEqual([]);
  });

  it('use beyond the assumed window widens it', () => {
    const [update] = new UpdateWriter('/w').live(
      event('assistant/message', {
        ...at,
        message: { role: 'assistant', text: '', toolCalls: [] },
        usage: { input: 200_000, output: 1 },
      }),
    );
    expect(update).toMatchObject({ used: 200_001, size: 200_001 });
  });
});
