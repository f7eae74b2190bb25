import { describe, expect, it } from 'vitest';
import type { Aside, AsideWhen, Reply } from '../scenario/scenario.ts';
import type { Action, Exchange, WireRequest } from './exchange.ts';
import { sampleConversation, sampleReply, sampleScript } from './sample-script.ts';
import { createScriptedModel, type ModelOptions, type ScriptedModel } from './scripted-model.ts';

type Message = { readonly role: string; readonly [key: string]: unknown };

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string, more: object = {}): Message => ({ role: 'assistant', content, ...more });
const calls = (...ids: string[]) => ({
  tool_calls: ids.map((id) => ({
    id,
    type: 'function',
    function: { name: 'bash', arguments: '{"command":"ls"}' },
  })),
});
const result = (id: string, content = 'done'): Message => ({ role: 'tool', tool_call_id: id, content });
const bash = (id: string | null = null) => ({ name: 'bash', arguments: { command: 'ls' }, id });

function request(
  messages: readonly Message[],
  more: object = {},
  headers: [string, string][] = [],
): WireRequest {
  const body = { model: 'scripted', stream: true, messages, ...more };
  return {
    method: 'POST',
    path: '/chat/completions',
    headers,
    body: new TextEncoder().encode(JSON.stringify(body)),
  };
}

function newModel(main: readonly Partial<Reply>[], options: Partial<ModelOptions> = {}): ScriptedModel {
  return createScriptedModel(sampleScript(main), {
    wire: 'chat-completions',
    apiKey: 'handed-out',
    ...options,
  });
}

/** Asks and lets the reply end. */
function ask(model: ScriptedModel, messages: readonly Message[], more: object = {}): Exchange {
  const { exchange } = model.begin(request(messages, more));
  model.ended(exchange, 'finished');
  return exchange;
}

function statusOf(actions: readonly Action[]): number | null {
  const head = actions.find((action) => action.do === 'head');
  return head?.do === 'head' ? head.status : null;
}

function textOf(actions: readonly Action[]): string {
  return actions
    .map((action) => (action.do === 'write' ? Buffer.from(action.bytes).toString() : ''))
    .join('');
}

const kinds = (model: ScriptedModel): string[] =>
  model.finish().map((finding) => `${finding.kind} ${finding.key}`);

describe('replies of a conversation', () => {
  it('are drawn in order, one a request, and a script used up without a rest is no problem', () => {
    const model = newModel([{ text: 'One.' }, { text: 'Two.' }]);
    const first = ask(model, [user('a')]);
    const second = ask(model, [user('a'), assistant('One.'), user('b')]);
    expect([first.attribution, second.attribution]).toEqual([
      { to: 'conversation', name: 'main', reply: 1 },
      { to: 'conversation', name: 'main', reply: 2 },
    ]);
    expect(model.finish()).toEqual([]);
  });

  it('give a retry of a failed reply the next reply', () => {
    const model = newModel([
      { fail: { kind: 'status', status: 500, retryAfter: null, body: null } },
      { text: 'Now.' },
    ]);
    expect(ask(model, [user('a')]).outcome).toBe('failed');
    expect(ask(model, [user('a')]).attribution).toMatchObject({ reply: 2 });
    expect(model.finish()).toEqual([]);
  });

  it('are told when nothing asked for them, each by its key', () => {
    const model = newModel([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }]);
    ask(model, [user('a')]);
    expect(kinds(model)).toEqual(['UNUSED_REPLY main.2', 'UNUSED_REPLY main.3']);
  });

  it('count once for a conversation that nothing opened', () => {
    const child = sampleConversation('child', 'inspect the logs', [{ text: 'a' }, { text: 'b' }]);
    const model = createScriptedModel(sampleScript([], { conversations: [child] }), {
      wire: 'chat-completions',
      apiKey: null,
    });
    expect(kinds(model)).toEqual(['UNUSED_REPLY child']);
  });

  it('are told when the client hung up on them, or the run ended before they did', () => {
    const model = newModel([{ text: 'One.' }, { text: 'Two.' }]);
    model.ended(model.begin(request([user('a')])).exchange, 'cut');
    const { exchange } = model.begin(request([user('a'), user('b')]));
    expect(kinds(model)).toEqual(['UNUSED_REPLY main.1', 'UNUSED_REPLY main.2']);
    expect(exchange.outcome).toBe('cut');
  });

  it('get ids of their own for their calls, the same in every run', () => {
    const idsOf = (): string[] => {
      const model = newModel([{ tools: [bash(), bash()] }, { tools: [bash()] }]);
      const first = textOf(model.begin(request([user('a')])).actions);
      return [...first.matchAll(/call_[0-9a-f_]+/g)].map(([id]) => id);
    };
    expect(new Set(idsOf()).size).toBe(2);
    expect(idsOf()).toEqual(idsOf());
  });
});

describe('a request that nobody expected', () => {
  it('is refused with 400 in the words of the vendor, and so is every later one', () => {
    const model = newModel([{ text: 'One.' }]);
    ask(model, [user('a')]);
    const miss = model.begin(request([user('a'), assistant('One.'), user('b')]));
    expect(statusOf(miss.actions)).toBe(400);
    expect(JSON.parse(textOf(miss.actions))).toMatchObject({ error: { type: 'invalid_request_error' } });
    expect(statusOf(model.begin(request([user('a')])).actions)).toBe(400);
    expect(statusOf(model.begin({ ...request([]), method: 'GET', path: '/models' }).actions)).toBe(400);
    expect(kinds(model)).toEqual(['UNEXPECTED_REQUEST main.1']);
  });

  it('says when a script is used up', () => {
    const model = newModel([{ text: 'One.' }]);
    ask(model, [user('a')]);
    ask(model, [user('a'), assistant('One.'), user('b')]);
    expect(model.finish()[0]?.message).toBe('main has used up 1 of 1 reply, and the subject asks once more.');
  });

  it('shows the nearest reply and what differs', () => {
    const model = newModel([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }]);
    ask(model, [user('a')]);
    ask(model, [user('a'), assistant('One.'), user('b')]);
    ask(model, [user('a'), assistant('One.'), user('c')]);
    expect(model.finish()).toMatchObject([
      { key: 'main.3', diff: '  assistant: "One."\n- assistant: "Two."' },
    ]);
  });

  it('is one that fits two conversations, and both are named', () => {
    const conversations = [
      sampleConversation('first', 'inspect the logs', [{ text: 'a' }]),
      sampleConversation('second', 'summarise them', [{ text: 'b' }]),
    ];
    const model = createScriptedModel(sampleScript([], { conversations }), {
      wire: 'chat-completions',
      apiKey: null,
    });
    ask(model, [user('inspect the logs and summarise them')]);
    expect(model.finish()[0]?.message).toContain('first and second');
  });

  it.each([
    ['a body that is no JSON', { ...request([]), body: new TextEncoder().encode('{') }],
    ['a message of an unknown role', request([{ role: 'wizard', content: 'x' }])],
    ['a path that the wire does not have', { ...request([]), path: '/embeddings' }],
  ])('is %s', (_name, bad) => {
    const model = newModel([{ text: 'One.' }]);
    expect(statusOf(model.begin(bad).actions)).toBe(400);
    expect(model.finish()).toMatchObject([{ kind: 'UNEXPECTED_REQUEST' }]);
  });
});

describe('asides', () => {
  const when: AsideWhen = { system: null, user: null, model: null, tools: null, stream: null };
  const title: Aside = {
    name: 'title',
    when: { ...when, system: 'short title' },
    replies: [sampleReply({ key: 'aside.title.1', text: 'A title' })],
  };
  const withAsides = (asides: readonly Aside[], options: Partial<ModelOptions> = {}) =>
    createScriptedModel(sampleScript([{ text: 'One.' }], { asides }), {
      wire: 'chat-completions',
      apiKey: null,
      ...options,
    });
  const titleRequest = [{ role: 'system', content: 'Write a short title.' }, user('a')];

  it('are tried before the conversations, and their last reply repeats', () => {
    const model = withAsides([title]);
    expect(ask(model, titleRequest).attribution).toEqual({ to: 'aside', name: 'title', reply: 1 });
    expect(ask(model, titleRequest).attribution).toEqual({ to: 'aside', name: 'title', reply: 1 });
    expect(ask(model, [user('a')]).attribution).toMatchObject({ name: 'main', reply: 1 });
    expect(model.finish()).toEqual([]);
  });

  it("are told when nothing asked for them, unless they are a manifest's", () => {
    const unused = withAsides([title]);
    ask(unused, [user('a')]);
    expect(kinds(unused)).toEqual(['UNUSED_REPLY aside.title']);
    const optional = withAsides([title], { optionalAsides: ['title'] });
    ask(optional, [user('a')]);
    expect(optional.finish()).toEqual([]);
  });

  it('that both fit a request are an error that names both', () => {
    const model = withAsides([title, { ...title, name: 'summary', when: { ...when, user: 'a' } }]);
    ask(model, titleRequest);
    expect(model.finish()[0]?.message).toContain('title and summary');
  });

  it.each([
    ['the system prompt', { system: 'you are' }, {}],
    ['the last user message', { user: 'suggest' }, {}],
    ['the model', { model: 'small' }, { model: 'small' }],
    [
      'the exact list of tools',
      { tools: ['a', 'b'] },
      { tools: [{ function: { name: 'a' } }, { function: { name: 'b' } }] },
    ],
    ['no tools', { tools: [] }, {}],
    ['streaming', { stream: false }, { stream: false }],
  ])('are recognised by %s', (_name, key, body) => {
    const aside = { ...title, when: { ...when, ...key } };
    const meant = withAsides([aside]);
    const messages = [{ role: 'system', content: 'you are' }, user('first'), user('suggest')];
    expect(ask(meant, messages, body).attribution.to).toBe('aside');
    const other = withAsides([
      { ...title, when: { ...when, system: 'no', user: 'no', model: 'no', tools: ['no'], stream: true } },
    ]);
    expect(ask(other, messages, body).attribution.to).toBe('conversation');
  });
});

describe('start-up requests', () => {
  it('are answered and journaled, and draw no reply', () => {
    const model = newModel([]);
    const { exchange, actions } = model.begin({
      method: 'GET',
      path: '/v1/models',
      headers: [],
      body: new Uint8Array(),
    });
    expect(exchange.attribution).toEqual({ to: 'startup', what: 'models' });
    expect(JSON.parse(textOf(actions))).toMatchObject({ object: 'list' });
    expect(model.finish()).toEqual([]);
  });
});

describe('holds', () => {
  it('stop where the script says, and go on when released', async () => {
    const model = newModel([
      { text: 'Answer to alpha.', hold: { name: 'first', after: 'Answer', before: null } },
    ]);
    const { exchange, actions } = model.begin(request([user('a')]));
    const at = actions.findIndex((action) => action.do === 'hold');
    expect(textOf(actions.slice(0, at))).toContain('"content":"Answer"');
    expect(textOf(actions.slice(at))).not.toContain('Answer');
    const reached = model.reached(exchange, 'first');
    expect(model.held()).toEqual(['first']);
    model.release('first');
    await reached;
    expect(model.held()).toEqual([]);
    model.ended(exchange, 'finished');
    expect(model.finish()).toEqual([]);
  });

  it.each([
    ['before a text', { before: 'alpha', after: null }, 'Answer to ', 'alpha'],
    ['after the response headers', { before: null, after: null }, '', 'Answer'],
  ])('stop %s', (_name, place, before, after) => {
    const model = newModel([{ text: 'Answer to alpha.', hold: { name: 'first', ...place } }]);
    const { actions } = model.begin(request([user('a')]));
    const at = actions.findIndex((action) => action.do === 'hold');
    const said = (part: readonly Action[]): string =>
      [...textOf(part).matchAll(/"content":"([^"]*)"/g)].map((match) => match[1]).join('');
    expect(actions[0]?.do).toBe('head');
    expect(said(actions.slice(0, at))).toBe(before);
    expect(said(actions.slice(at)).startsWith(after)).toBe(true);
  });

  it('stop before the response headers, also of an error', () => {
    const hold = { name: 'first', before: 'headers', after: null };
    const model = newModel([
      { text: 'x', hold },
      { fail: { kind: 'status', status: 400, retryAfter: null, body: null }, hold },
    ]);
    expect(
      model
        .begin(request([user('a')]))
        .actions.map((action) => action.do)
        .slice(0, 2),
    ).toEqual(['hold', 'head']);
    expect(model.begin(request([user('a')])).actions.map((action) => action.do)).toEqual([
      'hold',
      'head',
      'write',
      'end',
    ]);
  });

  it("that were reached and never released are the suite's problem", () => {
    const model = newModel([{ text: 'x', hold: { name: 'first', before: null, after: null } }]);
    const { exchange } = model.begin(request([user('a')]));
    void model.reached(exchange, 'first');
    expect(kinds(model)).toEqual(['UNRELEASED_HOLD main.1']);
  });

  it('released before they are reached do not stop', async () => {
    const model = newModel([{ text: 'x', hold: { name: 'first', before: null, after: null } }]);
    model.release('first');
    await model.reached(model.begin(request([user('a')])).exchange, 'first');
    expect(model.held()).toEqual([]);
  });
});

describe('ends: cancelled', () => {
  const held: Partial<Reply> = {
    text: 'x',
    ends: 'cancelled',
    hold: { name: 'first', before: null, after: null },
  };

  it('is fine where the subject closed the request', () => {
    const model = newModel([held]);
    const { exchange } = model.begin(request([user('a')]));
    void model.reached(exchange, 'first');
    model.cancelled();
    model.ended(exchange, 'cut');
    expect(model.finish()).toEqual([]);
  });

  it('fails where the request came to its end, and where it is still open', () => {
    const finished = newModel([held]);
    ask(finished, [user('a')]);
    expect(kinds(finished)).toEqual(['EXPECTATION_FAILED main.1']);
    const open = newModel([held]);
    void open.reached(open.begin(request([user('a')])).exchange, 'first');
    expect(kinds(open)).toEqual(['EXPECTATION_FAILED main.1']);
  });
});

describe('a turn that a step cancelled', () => {
  it('need not be in the history, its steps included; the turn before has to be', () => {
    const steps = [{ text: 'Before.' }, { tools: [bash('c1')] }, { tools: [bash('c2')] }, { text: 'After.' }];
    const run = (history: Message[]) => {
      const model = newModel(steps, { rewrites: ['main'] });
      ask(model, [user('a')]);
      ask(model, [user('a'), assistant('Before.'), user('b')]);
      ask(model, [user('a'), assistant('Before.'), user('b'), assistant('', calls('c1')), result('c1')]);
      model.cancelled();
      return ask(model, history).attribution;
    };
    expect(run([user('a'), assistant('Before.'), user('c')])).toMatchObject({ reply: 4 });
    expect(
      run([user('a'), assistant('Before.'), user('b'), assistant('', calls('c1')), result('c1'), user('c')]),
    ).toMatchObject({ reply: 4 });
    expect(run([user('a'), user('c')])).toEqual({ to: 'nobody' });
  });
});

describe('what a reply says about its request', () => {
  const history = [
    { role: 'system', content: 'You are kind.' },
    user('first'),
    assistant('', calls('c1')),
    result('c1', 'found it'),
    user('prompt beta-2'),
  ];
  const check = (expectations: Partial<Reply>, tools: readonly string[] = []) => {
    const model = newModel([{ tools: [bash('c1')] }, { text: 'x', ...expectations }]);
    ask(model, history.slice(0, 2));
    ask(model, history, { tools: tools.map((name) => ({ type: 'function', function: { name } })) });
    return kinds(model);
  };
  const sight = (text: string, where: 'messages' | 'system' = 'messages') => ({ text, where });
  const failed = ['EXPECTATION_FAILED main.2'];

  it('holds: sees, lacks, adds, offers, withholds', () => {
    const adds = [{ tool: 'found' }, { user: 'beta-2', source: null }];
    expect(
      check({
        sees: [sight('beta-2'), sight('kind', 'system'), sight('"ls"')],
        lacks: [sight('kind'), sight('first', 'system')],
        adds,
      }),
    ).toEqual([]);
    expect(check({ offers: ['read'], withholds: ['write'] }, ['read'])).toEqual([]);
  });

  it.each<[string, Partial<Reply>]>([
    ['sees', { sees: [sight('beta-3')] }],
    ['sees in the system prompt', { sees: [sight('beta-2', 'system')] }],
    ['lacks', { lacks: [sight('beta-2')] }],
    ['lacks in the system prompt', { lacks: [sight('kind', 'system')] }],
    ['adds: one too many', { adds: [{ tool: 'found' }] }],
    [
      'adds: one too few',
      { adds: [{ tool: 'found' }, { user: 'beta-2', source: null }, { user: 'x', source: null }] },
    ],
    ['adds: another order', { adds: [{ user: 'beta-2', source: null }, { tool: 'found' }] }],
    ['adds: nothing', { adds: [] }],
    ['offers', { offers: ['write'] }],
    ['withholds', { withholds: ['read'] }],
  ])('fails by its key: %s', (_name, expectation) => {
    expect(check(expectation, ['read'])).toEqual(failed);
  });
});

describe('what a provider refuses', () => {
  const start = [user('a')];
  const refuse = (
    history: Message[],
    reply: Partial<Reply> = { tools: [bash('c1'), bash('c2')] },
    more: object = {},
  ) => {
    const model = newModel([reply, { text: 'x' }], { rewrites: ['main'] });
    ask(model, start);
    const { exchange, actions } = model.begin(request(history, more));
    model.ended(exchange, 'finished');
    return { status: statusOf(actions), found: kinds(model) };
  };
  const both = assistant('', calls('c1', 'c2'));
  const refused = { status: 400, found: ['EXPECTATION_FAILED main.2'] };

  it('takes calls that are all answered', () => {
    expect(refuse([...start, both, result('c1'), result('c2')])).toEqual({ status: 200, found: [] });
  });

  it.each([
    ['a call without a result', [...start, both, result('c1')]],
    [
      'a call without a result before other messages',
      [...start, both, result('c1'), user('b'), result('c2')],
    ],
    ['a result of another id', [...start, both, result('c1'), result('c3')]],
    ['two results for one call', [...start, both, result('c1'), result('c2'), result('c2')]],
    [
      'an assistant message with neither text nor call',
      [...start, both, result('c1'), result('c2'), assistant(''), user('b')],
    ],
  ])('answers 400 to %s', (_name, history) => {
    const answer = refuse(history);
    expect(answer.status).toBe(400);
    expect(new Set(answer.found)).toEqual(new Set(refused.found));
  });

  it('answers an id that is used again, where each use has a result of its own (TURN-12)', () => {
    const again = [assistant('(mine)', calls('c1')), result('c1')];
    expect(refuse([...start, both, result('c1'), result('c2'), user('b'), ...again]).status).toBe(200);
    const twice = [assistant('(mine)', calls('c1', 'c1')), result('c1'), result('c1')];
    expect(refuse([...start, both, result('c1'), result('c2'), user('b'), ...twice]).status).toBe(200);
    const lacking = twice.slice(0, -1);
    expect(refuse([...start, both, result('c1'), result('c2'), user('b'), ...lacking]).status).toBe(400);
  });

  it('answers results in another order, and tells of them', () => {
    expect(refuse([...start, both, result('c2'), result('c1')])).toEqual({
      status: 200,
      found: refused.found,
    });
  });

  it('wants the reasoning back that came with tool calls, unless thinking is off; an empty text counts', () => {
    const reply: Partial<Reply> = { reasoning: 'Hm.', tools: [bash('c1')] };
    const said = (more: object): Message[] => [
      ...start,
      assistant('', { ...calls('c1'), ...more }),
      result('c1'),
    ];
    expect(refuse(said({ reasoning_content: 'Hm.' }), reply).status).toBe(200);
    expect(refuse(said({ reasoning_content: '' }), reply).status).toBe(200);
    expect(refuse(said({}), reply)).toEqual(refused);
    expect(refuse(said({}), reply, { thinking: { type: 'disabled' } }).status).toBe(200);
  });
});

describe('prefix stability (REQ-3)', () => {
  const run = (second: Message[], options: Partial<ModelOptions> = {}) => {
    const model = newModel([{ text: 'One.' }, { text: 'Two.' }], options);
    ask(model, [user('a')]);
    ask(model, second);
    return kinds(model);
  };

  it('holds where a request extends the one before, and where a retry repeats it', () => {
    expect(run([user('a'), assistant('One.'), user('b')])).toEqual([]);
    const model = newModel([
      { fail: { kind: 'status', status: 500, retryAfter: null, body: null } },
      { text: 'Two.' },
    ]);
    ask(model, [user('a')]);
    ask(model, [user('a')]);
    expect(model.finish()).toEqual([]);
  });

  it('is broken by a message that changed, unless the scenario says that this conversation rewrites its history', () => {
    expect(run([user('A'), assistant('One.'), user('b')])).toEqual(['PREFIX_BROKEN main']);
    expect(run([user('A'), assistant('One.'), user('b')], { rewrites: ['main'] })).toEqual([]);
  });
});

describe('credentials', () => {
  it('that are not the key handed out are told once and never shown', () => {
    const model = newModel([{ text: 'One.' }]);
    model.ended(
      model.begin(request([user('a')], {}, [['Authorization', 'Bearer sk-secret']])).exchange,
      'finished',
    );
    const findings = model.finish();
    expect(findings).toMatchObject([{ kind: 'CREDENTIAL_SEEN' }]);
    expect(JSON.stringify(findings)).not.toContain('sk-secret');
  });

  it('are the key handed out, or none', () => {
    const model = newModel([{ text: 'One.' }]);
    model.ended(
      model.begin(request([user('a')], {}, [['authorization', 'Bearer handed-out']])).exchange,
      'finished',
    );
    expect(model.finish()).toEqual([]);
  });
});

describe('placeholders', () => {
  const call = {
    name: 'send_message',
    arguments: { agent: '{{child:worker}}', note: 'in {{cwd}} and {{other}}' },
    id: null,
  };

  it('stand for the id of a child and for values of the run; what is unknown stays', () => {
    const model = newModel([{ tools: [call] }], {
      childId: (name) => (name === 'worker' ? 'id-"7"' : null),
      values: { cwd: '/home' },
    });
    const { exchange, actions } = model.begin(request([user('a')], { stream: false }));
    model.ended(exchange, 'finished');
    const body = JSON.parse(textOf(actions)) as {
      choices: { message: { tool_calls: { function: { arguments: string } }[] } }[];
    };
    const written = body.choices[0]?.message.tool_calls[0]?.function.arguments ?? '';
    expect(JSON.parse(written)).toEqual({ agent: 'id-"7"', note: 'in /home and {{other}}' });
    expect(model.finish()).toEqual([]);
  });

  it('for a child that nothing has announced are told', () => {
    const model = newModel([{ tools: [call] }]);
    ask(model, [user('a')]);
    expect(kinds(model)).toEqual(['EXPECTATION_FAILED main.1']);
  });
});

describe("the agent's own messages", () => {
  it('are named by their place in the history', () => {
    const model = newModel([{ text: 'One.' }, { text: 'Two.' }], { rewrites: ['main'] });
    ask(model, [user('a')]);
    expect(ask(model, [assistant('Welcome!'), user('a'), assistant('One.'), user('b')]).agentsOwn).toEqual([
      0,
    ]);
  });
});
