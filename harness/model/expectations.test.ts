import { describe, expect, it } from 'vitest';
import type { Reply } from '../scenario/scenario.ts';
import { user, assistant, calls, result, bash, newModel, ask, kinds } from './sample-requests.ts';

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
