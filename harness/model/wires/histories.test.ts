/** Every wire gives a reply back in a shape of its own; the model has to know it again. */
import { describe, expect, it } from 'vitest';
import type { Exchange, WireRequest } from '../exchange.ts';
import { sampleScript } from '../sample-script.ts';
import { createScriptedModel } from '../scripted-run.ts';
import type { WireName } from './wire.ts';

const CALLS = [
  { name: 'bash', arguments: { command: 'ls', quiet: true }, id: 'call_1' },
  { name: 'list', arguments: {}, id: 'call_2' },
];
const SCRIPT = sampleScript([
  { text: 'Let me see.', reasoning: 'A tool helps.', tools: CALLS },
  {
    text: 'Found.',
    adds: [{ tool: 'first result' }, { tool: 'second result' }, { user: 'and be quick', source: null }],
    sees: [
      { where: 'system', text: 'You are kind.' },
      { where: 'messages', text: 'look around' },
    ],
    lacks: [{ where: 'messages', text: 'You are kind.' }],
    offers: ['bash'],
    withholds: ['write'],
  },
]);

interface Told {
  readonly path: string;
  readonly first: object;
  readonly second: object;
  /** The same, with the second result left out. */
  readonly unanswered: object;
}

function chat(): Told {
  const tools = [{ type: 'function', function: { name: 'bash', parameters: {} } }];
  const start = [
    { role: 'system', content: 'You are kind.' },
    { role: 'user', content: [{ type: 'text', text: 'look around' }] },
  ];
  const said = {
    role: 'assistant',
    content: 'Let me see.',
    reasoning_content: 'A tool helps.',
    tool_calls: [
      {
        id: 'call_1',
        type: 'function',
        function: { name: 'bash', arguments: '{"quiet":true,"command":"ls"}' },
      },
      { id: 'call_2', type: 'function', function: { name: 'list', arguments: '{}' } },
    ],
  };
  const first = { role: 'tool', tool_call_id: 'call_1', content: 'first result' };
  const second = { role: 'tool', tool_call_id: 'call_2', content: 'second result' };
  const user = { role: 'user', content: 'and be quick' };
  return {
    path: '/v1/chat/completions',
    first: { model: 'm', messages: start, tools },
    second: { model: 'm', messages: [...start, said, first, second, user], tools },
    unanswered: { model: 'm', messages: [...start, said, first, user], tools },
  };
}

function anthropic(): Told {
  const common = {
    model: 'm',
    max_tokens: 10,
    system: [{ type: 'text', text: 'You are kind.' }],
    tools: [{ name: 'bash', input_schema: {} }],
  };
  const start = { role: 'user', content: 'look around' };
  const said = {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'A tool helps.', signature: 'x' },
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_use', id: 'call_1', name: 'bash', input: { quiet: true, command: 'ls' } },
      { type: 'tool_use', id: 'call_2', name: 'list', input: {} },
    ],
  };
  const first = { type: 'tool_result', tool_use_id: 'call_1', content: 'first result' };
  const second = {
    type: 'tool_result',
    tool_use_id: 'call_2',
    content: [{ type: 'text', text: 'second result' }],
  };
  const user = { type: 'text', text: 'and be quick' };
  return {
    path: '/v1/messages?beta=true',
    first: { ...common, messages: [start] },
    second: { ...common, messages: [start, said, { role: 'user', content: [first, second, user] }] },
    unanswered: { ...common, messages: [start, said, { role: 'user', content: [first, user] }] },
  };
}

function responses(): Told {
  const common = {
    model: 'm',
    instructions: 'You are kind.',
    tools: [{ type: 'function', name: 'bash', parameters: {} }],
  };
  const start = [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Rules.' }] },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'look around' }] },
  ];
  const said = [
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'A tool helps.' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Let me see.' }] },
    { type: 'function_call', call_id: 'call_1', name: 'bash', arguments: '{"command":"ls","quiet":true}' },
    { type: 'function_call', call_id: 'call_2', name: 'list', arguments: '{}' },
  ];
  const first = { type: 'function_call_output', call_id: 'call_1', output: 'first result' };
  const second = {
    type: 'function_call_output',
    call_id: 'call_2',
    output: [{ type: 'input_text', text: 'second result' }],
  };
  const user = { role: 'user', content: 'and be quick' };
  return {
    path: '/v1/responses',
    first: { ...common, input: start },
    second: { ...common, input: [...start, ...said, first, second, user] },
    unanswered: { ...common, input: [...start, ...said, first, user] },
  };
}

function gemini(): Told {
  const common = {
    systemInstruction: { parts: [{ text: 'You are kind.' }] },
    tools: [{ functionDeclarations: [{ name: 'bash' }] }],
  };
  const start = { role: 'user', parts: [{ text: 'look around' }] };
  const said = {
    role: 'model',
    parts: [
      { text: 'A tool helps.', thought: true },
      { text: 'Let me see.' },
      { functionCall: { name: 'bash', args: { quiet: true, command: 'ls' } } },
      { functionCall: { id: 'call_2', name: 'list' } },
    ],
  };
  const first = { functionResponse: { name: 'bash', response: { output: 'first result' } } };
  const second = { functionResponse: { id: 'call_2', name: 'list', response: { said: 'second result' } } };
  const user = { text: 'and be quick' };
  return {
    path: '/v1beta/models/m:streamGenerateContent?alt=sse',
    first: { ...common, contents: [start] },
    second: { ...common, contents: [start, said, { role: 'user', parts: [first, second, user] }] },
    unanswered: { ...common, contents: [start, said, { role: 'user', parts: [first, user] }] },
  };
}

const WIRES: [WireName, () => Told][] = [
  ['chat-completions', chat],
  ['openai-chat-completions', chat],
  ['anthropic-messages', anthropic],
  ['responses', responses],
  ['gemini', gemini],
];

describe.each(WIRES)('a history on the wire %s', (wire, tell) => {
  const told = tell();
  const request = (body: object): WireRequest => ({
    method: 'POST',
    path: told.path,
    headers: [],
    body: new TextEncoder().encode(JSON.stringify(body)),
  });
  const play = (bodies: readonly object[]) => {
    const model = createScriptedModel(SCRIPT, { wire, apiKey: null });
    const exchanges = bodies.map((body): Exchange => {
      const { exchange } = model.begin(request(body));
      model.ended(exchange, 'finished');
      return exchange;
    });
    return { exchanges, findings: model.finish() };
  };

  it('is known again, with its calls, results, system prompt and tools', () => {
    const { exchanges, findings } = play([told.first, told.second]);
    expect(findings).toEqual([]);
    expect(exchanges.map((exchange) => exchange.attribution)).toMatchObject([{ reply: 1 }, { reply: 2 }]);
    expect(exchanges[1]?.neutral?.messages.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
    ]);
  });

  it('that leaves a call unanswered is refused', () => {
    const { exchanges, findings } = play([told.first, told.unanswered]);
    expect(exchanges[1]?.attribution).toEqual({ to: 'nobody' });
    expect(findings).toMatchObject([{ kind: 'EXPECTATION_FAILED', key: 'main.2' }]);
  });

  it('has start-up requests that are answered', () => {
    const model = createScriptedModel(SCRIPT, { wire, apiKey: null });
    const { exchange } = model.begin({ ...request({}), method: 'GET', path: '/v1/models' });
    expect(exchange.attribution).toEqual({ to: 'startup', what: 'models' });
  });
});
