import { describe, expect, it } from 'vitest';
import { readCategories } from '../categories.ts';
import { lint, rule, sample, surroundings } from '../fixtures/sample.ts';
import { lintScenario } from './scenario.ts';

const CLEAN = `title: Two follow-ups
covers: [SEND-1]
model:
  main:
    - text: Answer to alpha-1.
      hold: {name: first, after: Answer}
    - text: Answer to beta-2.
      sees: [Answer to alpha-1.]
steps:
  - followup: prompt alpha-1
  - wait: {held: first}
  - followup: prompt beta-2
  - release: first
expect:
  requests: 2
`;

const CHILD = `title: A child
covers: [SEND-1]
model:
  main:
    - tools: [{name: subagent, arguments: {description: attic, prompt: explore the attic}}]
    - text: Started.
    - text: It is done.
  attic:
    opens: explore the attic
    replies:
      - text: Dust and boxes.
steps:
  - followup: Have the attic explored.
  - wait: {result: attic}
  - wait: {settled: attic}
expect:
  requests: {main: 3, attic: 1}
`;

/** A change of the clean scenario and what is said about it. */
type Case = readonly [what: string, change: string, into: string, expected: string];

function itRefuses(base: string, cases: readonly Case[]): void {
  it.each(cases)('%s', (_what, change, into, expected) => {
    expect(base).toContain(change);
    const told = lint(base.replace(change, into));
    expect(
      told.some((one) => one.startsWith(expected)),
      told.join('\n'),
    ).toBe(true);
  });
}

describe('a clean scenario', () => {
  it('has nothing wrong with it', () => {
    expect(lint(CLEAN)).toEqual([]);
    expect(lint(CHILD)).toEqual([]);
  });
});

describe('what a scenario says about itself must exist:', () => {
  itRefuses(CLEAN, [
    ['a scenario covers a rule', '[SEND-1]', '[]', '2 this scenario covers no rule'],
    [
      'a covered rule exists',
      '[SEND-1]',
      '[SEND-2]',
      '2 there is no rule "SEND-2" in requirements.yaml; did you mean "SEND-1"?',
    ],
    ['a rule is listed once', '[SEND-1]', '[SEND-1, SEND-1]', '2 SEND-1 is listed twice'],
    [
      'a category exists',
      'model:',
      'category: bse\nmodel:',
      '3 there is no category "bse" in categories.yaml; did you mean "base"?',
    ],
    [
      'a conversation that rewrites exists',
      'model:',
      'rewrites: [mian]\nmodel:',
      '3 there is no conversation "mian"; did you mean "main"?',
    ],
    [
      'a child pin needs a child',
      'model:',
      'pinsChildToolSchemas: [1]\nmodel:',
      '3 there is no child 1: this scenario has no conversation after "main"',
    ],
  ]);

  it('a scenario that expects nothing is refused', () => {
    const nothing = CLEAN.replace('expect:\n  requests: 2\n', '').replace(
      '      sees: [Answer to alpha-1.]\n',
      '',
    );
    expect(lint(nothing)).toEqual([expect.stringContaining('this scenario expects nothing')]);
  });

  describe('the owner of a child pin', () => {
    const pinned = (owner: string): string =>
      CHILD.replace('model:', `pinsChildSystemPrompts: {1: ${owner}}\nmodel:`);
    const owning = sample(CHILD.replace('model:', 'pinsChildSystemPrompts: [1]\nmodel:'), 'children/owner');
    const referring = sample(pinned('children/owner'), 'children/referring');
    const about = (owner: string): string[] => {
      const scenario = sample(pinned(owner));
      return lintScenario(scenario, surroundings([scenario, owning, referring])).map(
        ({ message }) => message,
      );
    };

    it('is a scenario that owns such a file', () => {
      expect(about('children/owner')).toEqual([]);
    });

    it('that does not exist is left to the audit of the pins, which knows the command that moves the file', () => {
      expect(about('children/ownr')).toEqual([]);
    });

    it.each([
      [
        'children/referring',
        '"children/referring" only refers to "children/owner" itself; name that scenario here',
      ],
      ['turns/sample', 'a scenario refers to another one here'],
    ])('is not %s', (owner, expected) => {
      expect(about(owner)).toEqual([expect.stringContaining(expected)]);
    });
  });
});

describe('a reply', () => {
  itRefuses(CLEAN, [
    [
      'sees texts that prove something',
      'sees: [Answer to alpha-1.]',
      'sees: [Hi]',
      '8 "Hi" is too short to prove anything',
    ],
    [
      'does not see what it lacks',
      'sees: [Answer to alpha-1.]',
      'sees: [Answer to alpha-1.]\n      lacks: [alpha-1]',
      '8 the request cannot contain',
    ],
    [
      'does not withhold what it offers',
      'sees: [Answer to alpha-1.]',
      'offers: [bash]\n      withholds: [bash]',
      '8 "bash" cannot be offered and withheld',
    ],
    ['stops after a text that it says', 'after: Answer', 'after: Anser', '6 this reply never says "Anser"'],
    [
      'has pieces that make up its text',
      'sees: [Answer to alpha-1.]',
      'pieces: [Answer, to beta-2.]',
      '8 the pieces, joined, are not the text',
    ],
    [
      'breaks at a piece that it has',
      'sees: [Answer to alpha-1.]',
      'pieces: [Answer to, " beta-2."]\n      fail: {kind: reset, at: piece 3}',
      '9 there is no piece 3; this reply has 2',
    ],
    [
      'is used: there is a message for each final answer',
      '  - followup: prompt beta-2\n',
      '',
      '7 this reply can never be used: the final answer before it uses up the one message that the steps send',
    ],
  ]);
});

describe('a conversation', () => {
  itRefuses(CHILD, [
    [
      'is recognised by enough',
      'opens: explore the attic',
      'opens: attic',
      '9 "attic" is too short to recognise a conversation by',
    ],
    [
      'is opened by something',
      'opens: explore the attic',
      'opens: explore the cellar',
      '9 nothing in this scenario says "explore the cellar"',
    ],
    [
      'is not opened by the prompt of another',
      'Have the attic explored.',
      'Please explore the attic now.',
      '9 "explore the attic" also occurs in the prompt that opens another conversation',
    ],
    [
      'shares its opening text with none',
      'steps:',
      '  attics:\n    opens: explore the attic again\n    replies: []\nsteps:',
      '9 "explore the attic" also occurs in what opens "attics"',
    ],
  ]);
});

describe('a second session', () => {
  const SESSIONS = `title: Two sessions
covers: [SEND-1]
model:
  main:
    - text: To the first.
  other:
    opens: from the second
    replies: [{text: To the second.}]
steps:
  - followup: Hello from the first session.
  - {followup: Hello from the second session., in: s2}
expect: {requests: 2}
`;

  it('is a conversation that its own prompt opens', () => {
    expect(lint(SESSIONS)).toEqual([]);
  });

  it('is not opened by the prompt of the first, too', () => {
    expect(lint(SESSIONS.replace('from the first session', 'from the second to last session'))).toEqual([
      expect.stringContaining('"from the second" also occurs in the prompt that opens another conversation'),
    ]);
  });
});

describe('a hold', () => {
  itRefuses(CLEAN, [
    [
      'has a name of its own',
      'sees: [Answer',
      'hold: first\n      sees: [Answer',
      '7 the hold "first" is used twice, first in main.1',
    ],
    [
      'is waited for by its name',
      'wait: {held: first}',
      'wait: {held: frist}',
      '11 nothing is held as "frist": no reply has such a hold, and no command calls `gate frist`; did you mean "first"?',
    ],
    ['is released by its name', 'release: first', 'release: frist', '13 nothing is held as "frist"'],
    ['is released', '  - release: first\n', '', '5 the hold "first" is never released'],
    [
      'is released once',
      '  - release: first',
      '  - release: first\n  - release: first',
      '14 "first" is released a second time',
    ],
    [
      'is released before the agent can be idle',
      '  - followup: prompt beta-2\n',
      '  - idle\n  - followup: prompt beta-2\n',
      '12 the agent is never idle while "first" is held',
    ],
    [
      'is no gate, too',
      'sees: [Answer',
      'tools: [{name: bash, arguments: {command: gate first}}]\n      sees: [Answer',
      '5 "first" is the name of a gate, too',
    ],
  ]);

  it('needs no release where the subject gives up, or a step ends it', () => {
    expect(
      lint(
        CLEAN.replace('  - release: first\n', '').replace(
          'hold: {name',
          'ends: cancelled\n      hold: {name',
        ),
      ),
    ).toEqual([]);
    expect(lint(CLEAN.replace('release: first', 'kill'))).toEqual([]);
  });

  it('may be a gate that a command, a hook or a file calls', () => {
    const gated = CLEAN.replace(
      'hold: {name: first, after: Answer}',
      'tools: [{name: bash, arguments: {command: gate first && ls}}]',
    );
    expect(lint(gated)).toEqual([]);
    const hooked = CLEAN.replace('      hold: {name: first, after: Answer}\n', '').replace(
      'model:',
      'agent: {hooks: {userPromptSubmit: gate first}}\nmodel:',
    );
    expect(lint(hooked)).toEqual([]);
  });
});

describe('a hold in mid-answer, where plain output is judged', () => {
  const INTERRUPTED = `title: An interrupt
covers: [SEND-1]
via: [cli]
model:
  main:
    - text: A story without an end.
      hold: {name: story, after: A story}
      ends: cancelled
steps:
  - followup: Tell me a story.
  - wait: {held: story}
  - cancel
expect:
  turns:
    - {prompt: Tell me a story., end: aborted, cause: user}
  cli: {stdout: A story, exit: 130}
`;
  const complaint = (verb: string, line = 12): string =>
    `6 "${verb}" on line ${line} ends this answer in the middle, and expect.cli.stdout makes the driver leave out --json, which would show how much of it has arrived; hold a command behind its text instead (tools: [{ name: bash, arguments: { command: gate story } }]), or leave out expect.cli.stdout`;

  it('is not ended there, since nobody sees how far the answer has come', () => {
    expect(lint(INTERRUPTED)).toEqual([complaint('cancel')]);
  });

  it.each(['kill', 'restart'])('nor by %s', (verb) => {
    expect(lint(INTERRUPTED.replace('- cancel', `- ${verb}`))).toEqual([complaint(verb)]);
  });

  it.each([
    ['in the middle of its text', 'after: A story', 'before: without'],
    ['behind its reasoning', 'after: A story}', 'before: A story}\n      reasoning: What story?'],
    ['without a word that it is given up', '      ends: cancelled\n', '      sees: [Tell me a story.]\n'],
    ['without a wait for it', '  - wait: {held: story}\n  - cancel', '  - cancel\n  - wait: {held: story}'],
    ['released too late', '  - cancel', '  - cancel\n  - release: story'],
  ])('%s', (_what, change, into) => {
    expect(INTERRUPTED).toContain(change);
    expect(lint(INTERRUPTED.replace(change, into))).toEqual([
      expect.stringContaining('ends this answer in the middle'),
    ]);
  });

  it.each([
    ['without expect.cli.stdout', 'stdout: A story, ', ''],
    ['before its first word', 'after: A story', 'before: A story'],
    ['before its headers', 'after: A story', 'before: headers'],
    ['with nothing sent', ', after: A story', ''],
    ['once it is released', '  - cancel', '  - release: story\n  - cancel'],
    [
      'in a command behind the text',
      'hold: {name: story, after: A story}\n      ends: cancelled',
      'tools: [{name: bash, arguments: {command: gate story}}]',
    ],
  ])('but may be %s', (_what, change, into) => {
    expect(INTERRUPTED).toContain(change);
    expect(lint(INTERRUPTED.replace(change, into))).toEqual([]);
  });
});

describe('a step', () => {
  itRefuses(CLEAN, [
    [
      'waits for a conversation that exists',
      'wait: {held: first}',
      'wait: {request: mian.1}',
      '11 there is no conversation "mian"; did you mean "main"?',
    ],
    [
      'waits for a request that can come',
      'wait: {held: first}',
      'wait: {request: main.3}',
      '11 request 3 of "main" can never come: its script has 2 replies',
    ],
    [
      'waits for a child that exists',
      'wait: {held: first}',
      'wait: {settled: attic}',
      '11 there is no child "attic"',
    ],
    [
      'waits for no settlement of main',
      'wait: {held: first}',
      'wait: {settled: main}',
      '11 "main" is nobody\'s child',
    ],
    [
      'waits for a text that is said',
      'wait: {held: first}',
      'wait: {text: Anser}',
      '11 no reply says "Anser"',
    ],
    [
      'waits for an event that exists',
      'wait: {held: first}',
      'wait: {event: turn/ended}',
      '11 there is no event "turn/ended"; did you mean "turn/end"?',
    ],
    [
      'waits for an answer to a labelled step',
      'wait: {held: first}',
      'wait: {answered: p1}',
      '11 no step is labelled "p1"',
    ],
    [
      'waits for an answer to an earlier step',
      '- wait: {held: first}\n  - followup: prompt beta-2',
      '- wait: {answered: p1}\n  - {followup: prompt beta-2, as: p1}',
      '11 the step labelled "p1" comes only later',
    ],
    [
      'has a label of its own',
      '- followup: prompt alpha-1\n',
      '- {followup: prompt alpha-1, as: p}\n  - {followup: x, as: p}\n',
      '11 the label "p" is already used on line 10',
    ],
    [
      'has a label only where there is an answer',
      '- release: first',
      '- {release: first, as: p}',
      '13 a step "release" has no answer',
    ],
    [
      'sends nothing to what is disposed of',
      '- followup: prompt beta-2',
      '- dispose\n  - followup: prompt beta-2',
      '13 the agent is disposed of on line 12',
    ],
    [
      'releases a checkpoint that is held',
      '- release: first',
      '- release: first\n  - checkpoint: release',
      '14 "checkpoint: release" needs "checkpoint: hold" before it',
    ],
    [
      'holds a checkpoint that is released',
      '- release: first',
      '- release: first\n  - checkpoint: hold',
      '14 "checkpoint: hold" is never followed by "checkpoint: release"',
    ],
    [
      'ends maintenance that has begun',
      '- release: first',
      '- release: first\n  - maintenance: end',
      '14 "maintenance: end" needs',
    ],
    [
      'writes into the workspace',
      '- release: first',
      '- release: first\n  - write: {../out.txt: x}',
      '14 "../out.txt" leaves the workspace',
    ],
  ]);
});

describe('an expectation', () => {
  itRefuses(CLEAN, [
    [
      'is about a conversation that exists',
      'requests: 2',
      'turns: [{prompt: x, end: completed, lane: mian}]',
      '15 there is no conversation "mian"; did you mean "main"?',
    ],
    [
      'does not contradict the number of replies',
      'requests: 2',
      'requests: 3',
      '15 3 requests are expected, but the script has 2 replies',
    ],
    [
      'does not contradict a conversation',
      'requests: 2',
      'requests: {main: 1}',
      '15 1 request is expected, but the script has 2 replies',
    ],
    ['is about a lane that exists', 'requests: 2', 'log: {loop: [turn/start]}', '15 there is no lane "loop"'],
    [
      'is about an event that exists',
      'requests: 2',
      'log: {main.loop: [turn/starts]}',
      '15 there is no event "turn/starts"; did you mean "turn/start"?',
    ],
    [
      'is about a log that is given',
      'requests: 2',
      'refused: version 7',
      '15 there is no log that could be refused',
    ],
    ['is about a labelled answer', 'requests: 2', 'sdk: {answers: {p1: {}}}', '15 no step is labelled "p1"'],
    [
      'is about files in the workspace',
      'requests: 2',
      'files: {/etc/passwd: x}',
      '15 "/etc/passwd" is no path in the workspace',
    ],
    [
      'can be judged by some driver',
      'requests: 2',
      'acp: {updates: [x]}',
      '15 this can never be judged, because acp cannot express the scenario',
    ],
    ['of a wire needs frames', 'expect:', 'pinsWire: [inproc]\nexpect:', '14 there are no frames in process'],
  ]);

  it('of a whole scenario needs a driver that can express it', () => {
    const text = CLEAN.replace('model:', 'via: [cli]\nmodel:').replace(
      '- followup: prompt beta-2',
      '- steer: prompt beta-2',
    );
    expect(lint(text)).toEqual([expect.stringContaining('no driver can express these steps')]);
  });
});

describe('files of the workspace', () => {
  it.each([
    ['a\\b.txt', 'with / between folders'],
    ['./a.txt', 'is no plain path'],
    ['a//b.txt', 'is no plain path'],
    ['C:/x', 'is no path in the workspace'],
  ])('%s is refused', (file, expected) => {
    expect(lint(CLEAN.replace('model:', `workspace: {'${file}': x}\nmodel:`))).toEqual([
      expect.stringContaining(expected),
    ]);
  });

  it('cannot be a folder, too', () => {
    expect(lint(CLEAN.replace('model:', 'workspace: {a: x, a/b: y}\nmodel:'))).toEqual([
      expect.stringContaining('"a" cannot be a file and a folder'),
    ]);
  });
});

describe('with other surroundings', () => {
  it('a category’s hook may call the gate that a step releases', () => {
    const { categories } = readCategories(
      'hooked: {agent: {hooks: {userPromptSubmit: gate first}}}\n',
      new Set(),
    );
    const text = CLEAN.replace('      hold: {name: first, after: Answer}\n', '').replace(
      'model:',
      'category: hooked\nmodel:',
    );
    expect(lint(text, { categories, requirements: [rule('SEND-1')] })).toEqual([]);
  });
});
