import { describe, expect, it } from 'vitest';
import { readRequirements, searchRequirements } from './registry.ts';

const TEXT = `groups:
  SEND: ordinary input
  CANCEL: cancellation
requirements:
  - {id: SEND-1, level: MUST, needs: [followup], from: "003", rule: "Each send is one item."}
  - {id: CANCEL-1, level: SHOULD, needs: [cancel], from: "003", rule: "Cancel clears the queue.", held: true, test: src/agent/cancel.test.ts}
`;

const read = (text: string) => readRequirements(text);

describe('the registry', () => {
  it('has every rule complete and in order', () => {
    const { requirements, groups, mistakes } = read(TEXT);
    expect(mistakes).toEqual([]);
    expect(groups.get('SEND')).toBe('ordinary input');
    expect(requirements).toEqual([
      {
        id: 'SEND-1',
        group: 'SEND',
        level: 'MUST',
        needs: ['followup'],
        from: '003',
        rule: 'Each send is one item.',
        held: false,
        test: null,
        position: { line: 5, column: 5 },
      },
      {
        id: 'CANCEL-1',
        group: 'CANCEL',
        level: 'SHOULD',
        needs: ['cancel'],
        from: '003',
        rule: 'Cancel clears the queue.',
        held: true,
        test: 'src/agent/cancel.test.ts',
        position: { line: 6, column: 5 },
      },
    ]);
  });

  it.each([
    ['a misspelt key', 'level: MUST', 'levle: MUST', 'unknown key "levle"; did you mean "level"?'],
    ['an unknown level', 'level: MUST', 'level: MUS', '"MUS" is not allowed here; did you mean "MUST"?'],
    [
      'an unknown capability',
      'needs: [followup]',
      'needs: [folowup]',
      '"folowup" is not allowed here; did you mean "followup"?',
    ],
    ['an id that is used twice', 'id: CANCEL-1', 'id: SEND-1', 'the id SEND-1 is already used on line 5'],
    [
      'an id of no group',
      'id: CANCEL-1',
      'id: CANCLE-1',
      'there is no group "CANCLE"; did you mean "CANCEL"?',
    ],
    ['an id that is none', 'id: SEND-1', 'id: send1', 'an id is a group and a number'],
  ])('refuses %s', (_what, change, into, expected) => {
    expect(read(TEXT.replace(change, into)).mistakes.map(({ message }) => message)).toContainEqual(
      expect.stringContaining(expected),
    );
  });

  it('is empty where a project has no such file', () => {
    expect(readRequirements(null).requirements).toEqual([]);
  });
});

describe('the search for rules', () => {
  const { requirements } = read(TEXT);
  it.each([
    ['SEND-1', ['SEND-1']],
    ['cancel', ['CANCEL-1']],
    ['queue clears', ['CANCEL-1']],
    ['003', ['SEND-1', 'CANCEL-1']],
    ['nowhere', []],
  ])('%s', (word, expected) => {
    expect(searchRequirements(requirements, word).map(({ id }) => id)).toEqual(expected);
  });
});
