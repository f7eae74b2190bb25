import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Reply } from '../scenario/scenario.ts';
import type { NeutralMessage } from './exchange.ts';
import { breaches } from './provider-rules.ts';
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

describe('the results in any history', () => {
  const id = fc.constantFrom('c1', 'c2', 'c3');
  const message: fc.Arbitrary<NeutralMessage> = fc.oneof(
    { weight: 4, arbitrary: id.map((callId): NeutralMessage => ({ role: 'tool', callId, text: '' })) },
    {
      weight: 3,
      arbitrary: fc.array(id, { maxLength: 2 }).map((ids): NeutralMessage => ({
        role: 'assistant',
        text: 'x',
        reasoning: null,
        calls: ids.map((one) => ({ id: one, name: 'bash', arguments: '{}' })),
      })),
    },
    { weight: 1, arbitrary: fc.constant<NeutralMessage>({ role: 'user', text: 'x' }) },
  );

  /** By the words of the rule: behind each message stand the ids of its calls. */
  const pairUp = (messages: readonly NeutralMessage[]): boolean => {
    const wanted: string[][] = [[]];
    const found: string[][] = [[]];
    for (const each of messages) {
      if (each.role === 'tool') found.at(-1)?.push(each.callId);
      else {
        wanted.push(each.role === 'assistant' ? each.calls.map((call) => call.id) : []);
        found.push([]);
      }
    }
    return JSON.stringify(wanted) === JSON.stringify(found);
  };

  it('are no breach where they pair up with their calls, and one wherever they do not', () => {
    const seen = { paired: 0, unpaired: 0 };
    const request = { model: 'm', stream: true, system: [], tools: [], parameters: {} };
    const rules = { refusesEmptyAssistant: false, wantsReasoningBack: () => false };
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), (messages) => {
        const paired = pairUp(messages);
        seen[paired ? 'paired' : 'unpaired'] += 1;
        expect(breaches({ ...request, messages }, rules, new Set()).length === 0).toBe(paired);
      }),
      { numRuns: 1_000 },
    );
    expect(Math.min(seen.paired, seen.unpaired)).toBeGreaterThan(50);
  });
});
