import { describe, expect, it } from 'vitest';
import { readCategories } from './categories.ts';
import { rule, sample } from './fixtures/sample.ts';
import { select } from './select.ts';

const named = (id: string, covers = 'SEND-1', category = 'base') =>
  sample(`title: t\ncovers: [${covers}]\ncategory: ${category}\nsteps: [idle]\n`, id);

const suite = {
  scenarios: [
    named('cancel/mid-text', 'CANCEL-1'),
    named('prompts/persona', 'REQ-1', 'pirate'),
    named('turns/one'),
    named('turns/one-more'),
    named('turns/two', 'SEND-2, TURN-1'),
  ],
  categories: readCategories('base: {}\npirate: {extends: base}\nrobot: {}\n', new Set()).categories,
  requirements: [
    rule('SEND-1'),
    rule('SEND-2'),
    rule('TURN-1'),
    rule('CANCEL-1'),
    rule('REQ-1'),
    rule('ACP-1'),
  ],
  paths: { root: '/project', scenarios: 'scenarios', snapshots: 'snapshots', pending: '.turnpin/pending' },
};

const ids = (...selectors: string[]): string[] => select(suite, selectors).scenarios.map(({ id }) => id);

describe('a selector', () => {
  it.each([
    ['an id', 'turns/one', ['turns/one']],
    ['a topic', 'turns', ['turns/one', 'turns/one-more', 'turns/two']],
    ['a topic as a shell completes it', './scenarios/turns/', ['turns/one', 'turns/one-more', 'turns/two']],
    ['a file', 'scenarios/turns/two.yaml', ['turns/two']],
    ['a pattern in a topic', 'turns/one*', ['turns/one', 'turns/one-more']],
    ['a pattern across topics', '**/*o*', ['prompts/persona', 'turns/one', 'turns/one-more', 'turns/two']],
    ['alternatives', '{cancel,prompts}/*', ['cancel/mid-text', 'prompts/persona']],
    ['one character', 'turns/tw?', ['turns/two']],
    ['a rule', 'SEND-1', ['turns/one', 'turns/one-more']],
    ['a group of rules', 'SEND', ['turns/one', 'turns/one-more', 'turns/two']],
    [
      'a category’s pin, its heirs included',
      'base/system-prompt',
      ['cancel/mid-text', 'prompts/persona', 'turns/one', 'turns/one-more', 'turns/two'],
    ],
    ['a category that extends another', 'pirate/tool-schemas', ['prompts/persona']],
    ['a category', 'pirate', ['prompts/persona']],
    ['a transcript', 'turns/two/transcript', ['turns/two']],
    ['an expectation', 'turns/two/expect.turns.1.end', ['turns/two']],
    ['a reply', 'turns/two/main.2', ['turns/two']],
    ['a child’s sidecar', 'turns/two/system-prompt.1', ['turns/two']],
    ['a key of another subject', 'my-port:turns/two/transcript', ['turns/two']],
  ])('may be %s', (_what, selector, expected) => {
    expect(ids(selector)).toEqual(expected);
  });

  it('adds to others', () => {
    expect(ids('turns/two', 'cancel')).toEqual(['cancel/mid-text', 'turns/two']);
  });

  it('filters; none does not', () => {
    expect(select(suite, [])).toEqual({ scenarios: suite.scenarios, filtered: false, problems: [] });
    expect(select(suite, ['**']).filtered).toBe(true);
  });
});

describe('a selector that selects nothing', () => {
  it.each([
    ['turns/tow', '"turns/tow" selects no scenario; did you mean turns/two or turns/one?'],
    ['persona', '"persona" selects no scenario; did you mean prompts/persona?'],
    ['ACP-1', '"ACP-1" selects no scenario; no scenario covers the rule ACP-1 yet'],
    ['zzzzzzzz', '"zzzzzzzz" selects no scenario; topics: cancel, prompts, turns'],
    ['', '"" selects no scenario; topics: cancel, prompts, turns'],
    ['turns/(', '"turns/(" selects no scenario'],
    ['{a', '"{a" selects no scenario'],
  ])('%j is an error of usage that names the nearest', (selector, message) => {
    const { problems, scenarios } = select(suite, [selector]);
    expect(scenarios).toEqual([]);
    expect(problems).toMatchObject([{ kind: 'USAGE', key: selector }]);
    expect(problems[0]?.message).toContain(message);
  });

  it('is told beside those that select something', () => {
    const { problems, scenarios } = select(suite, ['turns/one', 'nope']);
    expect(scenarios).toHaveLength(1);
    expect(problems).toHaveLength(1);
  });
});
