import fc from 'fast-check';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { editChild, type ChildEdit } from './scenario-edit.ts';

const remove = (child: number): ChildEdit => ({ do: 'remove', part: 'system-prompt', child });
const refer = (child: number, owner: string): ChildEdit => ({
  do: 'refer',
  part: 'system-prompt',
  child,
  owner,
});
const own = (child: number): ChildEdit => ({ do: 'own', part: 'system-prompt', child });
const around = (inside: string): string =>
  `# head\ntitle:   "a"   # odd spacing stays\n${inside}steps: [ idle ]  # tail\n`;

describe('an edit of a scenario', () => {
  it.each([
    ['the last child removes the key', 'pinsChildSystemPrompts: [1]\n', remove(1), ''],
    [
      'one of several leaves the others',
      'pinsChildSystemPrompts: [1, 2]  # two\n',
      remove(1),
      'pinsChildSystemPrompts: [2]  # two\n',
    ],
    [
      'an item of a block list',
      'pinsChildSystemPrompts:\n  - 1 # one\n  # two\n  - 2\n',
      remove(1),
      'pinsChildSystemPrompts:\n  # two\n  - 2\n',
    ],
    ['the last item of a block list', 'pinsChildSystemPrompts:\n  - 1\n', remove(1), ''],
    [
      'a reference of several',
      'pinsChildSystemPrompts: {1: a/b, 2: c/d}\n',
      remove(2),
      'pinsChildSystemPrompts: {1: a/b}\n',
    ],
    [
      'a reference in a block',
      'pinsChildSystemPrompts:\n  1: a/b\n  2: c/d\n',
      remove(1),
      'pinsChildSystemPrompts:\n  2: c/d\n',
    ],
    [
      'an own child to a reference',
      'pinsChildSystemPrompts: [1]\n',
      refer(1, 'a/b'),
      'pinsChildSystemPrompts: {1: a/b}\n',
    ],
    [
      'an own child in a block to a reference',
      'pinsChildSystemPrompts:\n  - 1\n',
      refer(1, 'a/b'),
      'pinsChildSystemPrompts: {1: a/b}\n',
    ],
    [
      'a reference to another owner',
      'pinsChildSystemPrompts: {1: a/b}\n',
      refer(1, 'c/d'),
      'pinsChildSystemPrompts: {1: c/d}\n',
    ],
    [
      'a reference to an own child',
      'pinsChildSystemPrompts: {1: a/b}\n',
      own(1),
      'pinsChildSystemPrompts: [1]\n',
    ],
    [
      'a child that is not declared changes nothing',
      'pinsChildSystemPrompts: [1]\n',
      remove(3),
      'pinsChildSystemPrompts: [1]\n',
    ],
  ])('of %s leaves everything else as it is', (_what, before, edit, after) => {
    expect(editChild(around(before), edit)).toBe(around(after));
  });

  it('adds the key where it was not', () => {
    expect(editChild('steps: []', own(2))).toBe('steps: []\npinsChildSystemPrompts: [2]\n');
  });

  it('keeps Windows line ends', () => {
    expect(editChild('a: 1\r\npinsChildSystemPrompts: [1]\r\nb: 2\r\n', remove(1))).toBe('a: 1\r\nb: 2\r\n');
  });

  it('done twice changes nothing the second time, and says what was meant', () => {
    const layouts = fc.constantFrom<(list: number[]) => string>(
      (list) => `pinsChildSystemPrompts: [${list.join(', ')}]\n`,
      (list) => `pinsChildSystemPrompts: [ ${list.join(' , ')} ] # why\n`,
      (list) => `pinsChildSystemPrompts:\n${list.map((child) => `- ${child}\n`).join('')}`,
      (list) => `pinsChildSystemPrompts:\n${list.map((child) => `    - ${child} # c\n`).join('')}`,
      (list) => `pinsChildSystemPrompts: [\n${list.map((child) => `  ${child},\n`).join('')}]\n`,
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
        layouts,
        fc.integer({ min: 1, max: 5 }),
        (list, layout, child) => {
          const text = around(layout(list));
          const once = editChild(text, remove(child));
          expect(editChild(once, remove(child))).toBe(once);
          const left = list.filter((one) => one !== child);
          const value = parse(once) as { pinsChildSystemPrompts?: number[] };
          expect(value.pinsChildSystemPrompts ?? []).toEqual(left);
          expect(once.startsWith('# head\ntitle:   "a"   # odd spacing stays\n')).toBe(true);
          expect(once.endsWith('steps: [ idle ]  # tail\n')).toBe(true);
        },
      ),
    );
  });
});
