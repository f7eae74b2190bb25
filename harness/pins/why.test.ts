import { describe, expect, it } from 'vitest';
import { Disk } from './disk.ts';
import { category, child, files, pinsOf, scenario, suite } from './fixture-suite.ts';
import { layout } from './layout.ts';
import { storyOf } from './why.ts';

const given = suite(
  [
    scenario('turns/a', { pinsChildSystemPrompts: [child(1)] }),
    scenario('turns/b', { pinsChildSystemPrompts: [child(2, 'turns/a')] }),
    scenario('prompts/c', { category: 'pirate' }),
  ],
  [category('base'), category('pirate', 'base')],
);
const disk = new Disk(
  files({
    ...pinsOf('base'),
    'categories/pirate/system-prompt.expected.md': 'Arr\n',
    'turns/gone.md': 'x\n',
  }),
);
const story = (what: string) => storyOf(what, { suite: given, claims: layout(given), disk });

describe('why a file exists', () => {
  it('names the category, those that inherit it, and the members of all', () => {
    expect(story('snapshots/core/categories/base/tool-schemas.expected.json')).toEqual({
      file: 'snapshots/core/categories/base/tool-schemas.expected.json',
      exists: true,
      key: 'base/tool-schemas',
      claimedBy: 'category "base"',
      inheritedBy: ['pirate'],
      referredToBy: [],
      members: ['prompts/c', 'turns/a', 'turns/b'],
    });
    expect(story('base/system-prompt')).toMatchObject({ inheritedBy: [], members: ['turns/a', 'turns/b'] });
  });

  it("names the owner of a child's sidecar and who refers to it", () => {
    expect(story('turns/a/system-prompt.1')).toMatchObject({
      exists: false,
      claimedBy: 'scenarios/turns/a.yaml',
      referredToBy: ['turns/b'],
      members: ['turns/a', 'turns/b'],
    });
  });

  it('says that nobody claims a file', () => {
    expect(story('snapshots/core/turns/gone.md')).toMatchObject({ exists: true, key: null, claimedBy: null });
  });
});
