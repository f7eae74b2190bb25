import { describe, expect, it } from 'vitest';
import type { Reply } from '../scenario/scenario.ts';
import {
  type Message,
  user,
  assistant,
  calls,
  result,
  bash,
  request,
  newModel,
  ask,
  statusOf,
  kinds,
} from './sample-requests.ts';
import type { ModelOptions } from './scripted-run.ts';

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
