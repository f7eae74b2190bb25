import { describe, expect, it } from 'vitest';
import { announcedChild } from './announced-child.ts';
import type { NeutralMessage, NeutralRequest } from './exchange.ts';
import { assistant, request, result, textOf, user } from './sample-requests.ts';
import { sampleConversation, sampleScript } from './sample-script.ts';
import { createScriptedModel } from './scripted-run.ts';

const OPENS = 'Look for "every" leak.';

function parent(...results: [id: string, text: string][]): NeutralRequest {
  const calls = [
    { id: 'one', name: 'subagent', arguments: JSON.stringify({ prompt: 'Something else entirely.' }) },
    { id: 'two', name: 'subagent', arguments: JSON.stringify({ prompt: `${OPENS} Then report.` }) },
  ];
  const messages: NeutralMessage[] = [
    { role: 'user', text: OPENS },
    { role: 'assistant', text: '', reasoning: null, calls },
    ...results.map(([callId, text]): NeutralMessage => ({ role: 'tool', callId, text })),
  ];
  return { model: 'm', stream: true, system: [], messages, tools: [], parameters: {} };
}

const uuid = '0b9d3a52-7f6e-4c0f-9d8c-1a2b3c4d5e6f';

describe('a child whose parent was told its id', () => {
  it.each([
    ['in a sentence', 'Started agent s2 (leaks). It works in the background.', 's2'],
    ['as a UUID', `Started agent ${uuid} (leaks 42).`, uuid],
    ['behind ordinary words', 'The agent is running; its id is: child-7.', 'child-7'],
    ['as an object', '{"status":"started","agent_id":"ag_x"}', 'ag_x'],
    ['alone', ' leakfinder\n', 'leakfinder'],
  ])('is known %s', (_how, text, id) => {
    expect(announcedChild(OPENS, parent(['one', 'Started agent s1 (x).'], ['two', text]))).toBe(id);
  });

  it('is not known before its own result is there, nor by a result without an id', () => {
    expect(announcedChild(OPENS, parent(['one', 'Started agent s1 (x).']))).toBeNull();
    expect(
      announcedChild(OPENS, parent(['one', 'agent s1'], ['two', 'The agent has been started.'])),
    ).toBeNull();
    expect(announcedChild('Another opening text.', parent(['two', 'agent s2']))).toBeNull();
  });

  it('has the first of two results under one call id where its call is the first', () => {
    const base = parent(['same', 'agent s1'], ['same', 'agent s2']);
    const messages = base.messages.map((message) =>
      message.role === 'assistant'
        ? { ...message, calls: message.calls.map((call) => ({ ...call, id: 'same' })) }
        : message,
    );
    expect(announcedChild(OPENS, { ...base, messages })).toBe('s2');
    expect(announcedChild('Something else', { ...base, messages })).toBe('s1');
  });
});

describe('{{child:NAME}}', () => {
  const script = sampleScript(
    [
      { tools: [{ name: 'subagent', arguments: { prompt: OPENS }, id: 'start' }] },
      { tools: [{ name: 'send_message', arguments: { agent: '{{child:leaks}}' }, id: 'send' }] },
    ],
    { conversations: [sampleConversation('leaks', OPENS, [])] },
  );
  const start = {
    id: 'start',
    type: 'function',
    function: { name: 'subagent', arguments: JSON.stringify({ prompt: OPENS }) },
  };

  const play = (announcement: string, childId?: () => string | null) => {
    const model = createScriptedModel(script, {
      wire: 'chat-completions',
      apiKey: null,
      ...(childId === undefined ? {} : { childId }),
    });
    model.ended(model.begin(request([user('Go on.')])).exchange, 'finished');
    const history = [user('Go on.'), assistant('', { tool_calls: [start] }), result('start', announcement)];
    const { exchange, actions } = model.begin(request(history, { stream: false }));
    model.ended(exchange, 'finished');
    return { text: textOf(actions), findings: model.finish() };
  };

  it('comes from an event where there is one', () => {
    expect(play('Started agent s2 (leaks).', () => 's9').text).toContain('{\\"agent\\":\\"s9\\"}');
  });

  it('comes from the result that announces the child where no event told it', () => {
    const { text, findings } = play('Started agent s2 (leaks).', () => null);
    expect(text).toContain('{\\"agent\\":\\"s2\\"}');
    expect(findings).toEqual([]);
  });

  it('fails the expectation where nothing tells it', () => {
    const { text, findings } = play('It was started.');
    expect(text).toContain('{{child:leaks}}');
    expect(findings).toMatchObject([{ kind: 'EXPECTATION_FAILED', key: 'main.2' }]);
  });
});
