import { describe, expect, it } from 'vitest';
import { CAPABILITIES } from '../verdict/capability.ts';
import { readCategories } from './categories.ts';
import { explain } from './explanation.ts';
import { rule, sample } from './fixtures/sample.ts';

describe('the explanation of a scenario', () => {
  const scenario = sample(`title: t
covers: [SEND-1]
category: pirate
model:
  main:
    - reasoning: Hm.
      text: Answer to alpha-1.
      hold: {name: first, after: Answer}
      lacks: [prompt beta-2]
    - fail: {status: 429}
      adds: [{tool: built}]
  asides:
    title: {when: {tools: []}, replies: [{text: A title}]}
steps:
  - followup: prompt alpha-1
  - steer: left
expect: {turns: []}
`);
  const suite = {
    categories: readCategories('pirate: {extends: base}\n', new Set()).categories,
    requirements: [rule('SEND-1', { needs: ['followup'] }), rule('TURN-1')],
  };

  it('has its rules, its scripts with lines, its categories, and what each driver makes of it', () => {
    const explained = explain(scenario, suite, new Set(CAPABILITIES));
    expect(explained.categories).toEqual(['pirate', 'base']);
    expect(explained.rules.map(({ id }) => id)).toEqual(['SEND-1']);
    expect(explained.scripts).toEqual([
      {
        name: 'main',
        child: 0,
        recognised: 'every request that belongs to no other script',
        replies: [
          {
            key: 'main.1',
            line: 6,
            does: [
              'stops after "Answer" until "first" is released',
              'thinks "Hm."',
              'says "Answer to alpha-1."',
            ],
            expects: ['lacks "prompt beta-2"'],
          },
          { key: 'main.2', line: 10, does: ['fails with status 429'], expects: ['new: "built"'] },
        ],
      },
      {
        name: 'title',
        child: null,
        recognised: 'tools []',
        replies: [{ key: 'aside.title.1', line: 13, does: ['says "A title"'], expects: [] }],
      },
    ]);
    expect(explained.drivers).toMatchObject([
      { driver: 'inproc', outcome: 'run', judges: ['sights', 'turns'], credits: ['SEND-1'] },
      { driver: 'cli', outcome: 'not-expressible', judges: [], credits: [] },
      { driver: 'sdk', outcome: 'run' },
      { driver: 'acp', outcome: 'not-expressible' },
    ]);
  });
});
