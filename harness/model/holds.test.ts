import { describe, expect, it } from 'vitest';
import type { Reply } from '../scenario/scenario.ts';
import type { Action } from './exchange.ts';
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
  textOf,
  kinds,
} from './sample-requests.ts';

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
