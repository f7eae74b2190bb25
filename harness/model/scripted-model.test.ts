import { describe, expect, it } from 'vitest';
import { user, assistant, bash, request, newModel, ask, statusOf, textOf, kinds } from './sample-requests.ts';
import { sampleConversation, sampleScript } from './sample-script.ts';
import { createScriptedModel } from './scripted-run.ts';

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
