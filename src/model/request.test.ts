import { describe, expect, it } from 'vitest';
import type { AssistantMessage, MessageId } from '../session/events.ts';
import type { HistoryMessage, ModelRequest } from './model.ts';
import { encodeBody, encodeHeader, type RequestSettings } from './request.ts';

const SETTINGS: RequestSettings = { path: '/chat/completions', model: 'm', version: '0' };

const user = (...texts: string[]): HistoryMessage => ({
  role: 'user',
  message: {
    id: 'u' as MessageId,
    role: 'user',
    content: texts.map((text) => ({ type: 'text', text })),
    source: { kind: 'user' },
  },
});
const assistant = (message: Partial<AssistantMessage>): HistoryMessage => ({
  role: 'assistant',
  message: { role: 'assistant', text: '', toolCalls: [], ...message },
});
const CALL = { id: 'c1', name: 'read', arguments: '{"path": broken' };

function encode(
  request: Partial<ModelRequest>,
  settings: Partial<RequestSettings> = {},
): Record<string, unknown> {
  const whole: ModelRequest = { systemPrompt: '', tools: [], history: [], ...request };
  const all = { ...SETTINGS, ...settings };
  return JSON.parse(encodeBody(encodeHeader(all, whole), whole, all)) as Record<string, unknown>;
}

describe('a request body', () => {
  it('is the same bytes for the same request, however often it is made', () => {
    const request: ModelRequest = {
      systemPrompt: 's',
      tools: [],
      history: [user('a'), assistant({ text: 'b' })],
    };
    const body = () => encodeBody(encodeHeader(SETTINGS, request), request, SETTINGS);
    expect(body()).toBe(body());
  });

  it('extends the one before, message for message (REQ-3)', () => {
    const history = [
      user('a'),
      assistant({ text: 'x', toolCalls: [CALL] }),
      { role: 'tool', callId: 'c1', content: 'r' } as const,
    ];
    const messages = (length: number) =>
      encode({ systemPrompt: 's', history: history.slice(0, length) })['messages'] as unknown[];
    for (let length = 1; length <= history.length; length += 1) {
      expect(messages(length).slice(0, -1)).toEqual(messages(length - 1));
    }
  });

  it('keeps calls as the model wrote them, and pairs results by place (REQ-6, TURN-12)', () => {
    const history: HistoryMessage[] = [
      assistant({ toolCalls: [CALL, { ...CALL, arguments: '' }] }),
      { role: 'tool', callId: 'c1', content: 'first' },
      { role: 'tool', callId: 'c1', content: 'second' },
    ];
    expect(encode({ history })['messages']).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path": broken' } },
          { id: 'c1', type: 'function', function: { name: 'read', arguments: '' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'first' },
      { role: 'tool', tool_call_id: 'c1', content: 'second' },
    ]);
  });

  it.each([
    ['enabled', 'Hm', 'Hm'],
    ['enabled', '', ''],
    ['enabled', undefined, ''],
    ['disabled', 'Hm', undefined],
    [undefined, 'Hm', 'Hm'],
    [undefined, '', ''],
    [undefined, undefined, undefined],
  ] as const)(
    'gives reasoning back with calls: thinking %s, reasoned %j, sent %j',
    (thinking, reasoning, sent) => {
      const message = assistant({ toolCalls: [CALL], ...(reasoning === undefined ? {} : { reasoning }) });
      const [encoded] = encode({ history: [message] }, { thinking })['messages'] as {
        reasoning_content?: string;
      }[];
      expect(encoded?.reasoning_content).toBe(sent);
    },
  );

  it('sends no reasoning without calls, and no assistant message with neither text nor calls (REQ-6)', () => {
    const history = [
      user('a'),
      assistant({ text: '', reasoning: 'Hm' }),
      assistant({ text: ' \n' }),
      assistant({ text: 'x', reasoning: 'Hm' }),
    ];
    expect(encode({ history })['messages']).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'x' },
    ]);
  });

  it('joins the blocks of a user message with a blank line', () => {
    expect(encode({ history: [user('a', 'b')] })['messages']).toEqual([{ role: 'user', content: 'a\n\nb' }]);
  });

  it('offers tools as functions, and leaves the field out where there are none', () => {
    const tool = { name: 't', description: 'd', parameters: { type: 'object' }, run: 'not for the wire' };
    expect(encode({ tools: [tool] })['tools']).toEqual([
      { type: 'function', function: { name: 't', description: 'd', parameters: { type: 'object' } } },
    ]);
    expect(encode({})).not.toHaveProperty('tools');
  });

  it('takes the overrides of a side request, but is always streamed and never loses its messages', () => {
    const body = encode({
      history: [user('a')],
      parameters: { max_tokens: 5, model: 'small', stream: false, messages: [], tools: [] },
    });
    expect(body).toEqual({
      model: 'small',
      messages: [{ role: 'user', content: 'a' }],
      max_tokens: 5,
      stream: true,
      stream_options: { include_usage: true },
    });
  });
});
