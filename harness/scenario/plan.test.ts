import { describe, expect, it } from 'vitest';
import { CAPABILITIES, REACH, type Capability } from '../verdict/capability.ts';
import { DRIVERS, type Driver } from '../verdict/vocabulary.ts';
import { creditsOf, judgedParts, weightOf } from './credit.ts';
import { rule, sample } from './fixtures/sample.ts';
import { impliedCapabilities, planDriver, planDrivers, wantsPlainOutput, whyNotExpressible } from './plan.ts';
import type { Scenario } from './scenario.ts';

const ALL = new Set<Capability>(CAPABILITIES);
const without = (...words: Capability[]): ReadonlySet<Capability> =>
  new Set(CAPABILITIES.filter((word) => !words.includes(word)));

/** A scenario with these steps, written as YAML list items. */
function steps(items: string, more = 'expect: {requests: 0}\n'): Scenario {
  const list = items
    .split('; ')
    .map((item) => `  - ${item}\n`)
    .join('');
  return sample(`title: t\ncovers: []\nsteps:\n${list}${more}`);
}

const expressing = (scenario: Scenario): Driver[] =>
  DRIVERS.filter((driver) => whyNotExpressible(scenario, driver) === null);

describe('which drivers can express a scenario', () => {
  it.each<[string, string, Driver[]]>([
    ['one follow-up', 'followup: hi', ['inproc', 'cli', 'sdk', 'acp']],
    ['a prompt of several lines', 'followup: "a\\nb"', ['inproc', 'sdk', 'acp']],
    ['a blank prompt', 'followup: " "', ['inproc', 'sdk', 'acp']],
    ['two follow-ups at once', 'followup: a; followup: b', ['inproc', 'cli', 'sdk']],
    [
      'two follow-ups with idle between them',
      'followup: a; idle; followup: b',
      ['inproc', 'cli', 'sdk', 'acp'],
    ],
    [
      'two follow-ups with an answer between them',
      '{followup: a, as: p}; wait: {answered: p}; followup: b',
      ['sdk', 'acp'],
    ],
    [
      'the answer of another prompt between them',
      '{followup: a, as: p}; wait: {answered: q}; followup: b',
      ['sdk'],
    ],
    ['two sessions at once', 'followup: a; {followup: b, in: s2}', ['inproc', 'sdk', 'acp']],
    ['steering', 'followup: a; steer: b', ['inproc', 'sdk']],
    ['context', 'followup: a; inject: b', ['inproc', 'sdk']],
    ['context before any prompt', 'inject: a; followup: b', ['inproc']],
    ['a cancel before any prompt', 'cancel; followup: a', ['inproc', 'acp']],
    ['a cancel at the end', 'followup: a; cancel', ['inproc', 'cli', 'sdk', 'acp']],
    ['a cancel with input after it', 'followup: a; cancel; idle; followup: b', ['inproc', 'sdk', 'acp']],
    [
      'a cancel with input in a new process',
      'followup: a; cancel; restart; followup: b',
      ['inproc', 'cli', 'sdk', 'acp'],
    ],
    ['a checkpoint', 'checkpoint: fail; followup: a', ['inproc']],
    ['maintenance', 'maintenance: begin; maintenance: end', ['inproc']],
    ['disposal', 'followup: a; dispose', ['inproc', 'sdk', 'acp']],
    ['disposal of one of two sessions', 'followup: a; {dispose: true, in: s2}', ['inproc', 'acp']],
    ['a restart with nothing after it', 'followup: a; restart', ['inproc', 'cli', 'acp']],
    ['a restart', 'followup: a; restart; followup: b', ['inproc', 'cli', 'sdk', 'acp']],
    ['a kill with nothing after it', 'followup: a; kill', ['cli', 'acp']],
    ['a kill', 'followup: a; kill; followup: b', ['cli', 'sdk', 'acp']],
    ['context in a process without a prompt', 'followup: a; restart; inject: b; followup: c', ['inproc']],
    ['a raw frame', 'frame: "{"', ['sdk', 'acp']],
  ])('%s', (_what, items, drivers) => {
    expect(expressing(steps(items))).toEqual(drivers);
  });

  it('only those that `via` names', () => {
    expect(expressing(steps('followup: a', 'via: [acp, cli]\nexpect: {requests: 0}\n'))).toEqual([
      'cli',
      'acp',
    ]);
  });

  it('overlapping prompts over ACP too, where `via` says that this is what is tested', () => {
    expect(expressing(steps('followup: a; followup: b', 'via: [acp]\nexpect: {requests: 0}\n'))).toEqual([
      'acp',
    ]);
  });

  describe('with plain output of the command', () => {
    const plain = 'expect: {cli: {stdout: done}}\n';

    it.each([
      ['idle in the middle', 'followup: a; idle; followup: b'],
      ['a wait for text', 'followup: a; wait: {text: x}'],
      ['a wait for an event', 'followup: a; wait: {event: turn/end}'],
    ])('not %s', (_what, items) => {
      const scenario = steps(items, plain);
      expect(wantsPlainOutput(scenario)).toBe(true);
      expect(whyNotExpressible(scenario, 'cli')).toContain('leave out --json');
    });

    it('idle at the end, and waits for what the model sees', () => {
      expect(whyNotExpressible(steps('followup: a; wait: {held: x}; idle', plain), 'cli')).toBeNull();
    });

    it('only where standard output is expected', () => {
      expect(wantsPlainOutput(steps('followup: a', 'expect: {cli: {exit: 0}}\n'))).toBe(false);
      expect(wantsPlainOutput(steps('followup: a'))).toBe(false);
    });
  });
});

describe('a plan', () => {
  it('has an entry for each driver that the subject claims', () => {
    expect(planDrivers(steps('followup: a'), new Set(['followup', 'cli', 'acp']))).toEqual([
      { driver: 'cli', outcome: 'run', reason: null },
      { driver: 'acp', outcome: 'run', reason: null },
    ]);
  });

  it('is unsupported with what is missing as its reason', () => {
    expect(
      planDriver(steps('followup: a; steer: b; cancel'), {
        driver: 'inproc',
        capabilities: without('steer', 'cancel'),
      }),
    ).toEqual({
      driver: 'inproc',
      outcome: 'unsupported',
      reason: 'needs steer, cancel',
    });
  });

  it('is not expressible before it is unsupported', () => {
    expect(planDriver(steps('steer: b'), { driver: 'acp', capabilities: without('steer') }).outcome).toBe(
      'not-expressible',
    );
  });

  it('takes capabilities from steps, script and overlay', () => {
    const text = `title: t
covers: []
agent: {hooks: {userPromptSubmit: exit 2}, title: true}
model:
  main:
    - tools: [{name: subagent, arguments: {prompt: explore the attic}}]
  attic: {opens: explore the attic, replies: []}
steps:
  - followup: a
  - wait: {event: turn/end}
  - restart
`;
    expect(impliedCapabilities(sample(text))).toEqual([
      'followup',
      'tools',
      'admission',
      'maintenance',
      'events',
      'session-file',
      'subagent',
    ]);
  });

  it('a conversation that a second session leads is no child', () => {
    const more = 'model: {main: [], second: {opens: prompt beta, replies: []}}\nexpect: {requests: 0}\n';
    expect(
      impliedCapabilities(steps('followup: prompt alpha; {followup: prompt beta, in: s2}', more)),
    ).toEqual(['followup']);
    expect(impliedCapabilities(steps('followup: prompt alpha', more))).toEqual(['followup', 'subagent']);
  });
});

describe('credit', () => {
  const scenario = steps('followup: a', 'expect: {turns: [{prompt: a, end: completed}], cli: {exit: 0}}\n');
  const covering = { ...scenario, covers: ['SEND-1', 'CLI-2', 'SEND-4', 'GONE-1'] };
  const rules = [
    rule('SEND-1', { needs: ['followup'] }),
    rule('CLI-2', { needs: ['cli'] }),
    rule('SEND-4', { needs: ['followup', 'in-process'] }),
    rule('TURN-1'),
  ];

  it('goes to the rules that the driver has to do with', () => {
    expect(creditsOf(covering, rules, { driver: 'inproc', capabilities: ALL })).toEqual(['SEND-1', 'SEND-4']);
    expect(creditsOf(covering, rules, { driver: 'cli', capabilities: ALL })).toEqual(['SEND-1', 'CLI-2']);
  });

  it('goes to no rule whose needs are not claimed', () => {
    expect(creditsOf(covering, rules, { driver: 'cli', capabilities: without('followup') })).toEqual([
      'CLI-2',
    ]);
  });

  it('goes to nothing where nothing was judged', () => {
    const onlyCli = { ...covering, expect: { ...covering.expect, turns: null } };
    expect(judgedParts(onlyCli, { driver: 'inproc', capabilities: ALL })).toEqual([]);
    expect(creditsOf(onlyCli, rules, { driver: 'inproc', capabilities: ALL })).toEqual([]);
  });

  it('needs events, live or in a file, for turns', () => {
    expect(judgedParts(scenario, { driver: 'acp', capabilities: ALL })).toEqual(['turns']);
    expect(judgedParts(scenario, { driver: 'acp', capabilities: without('events', 'session-file') })).toEqual(
      [],
    );
  });

  it('weighs what the highest covered level weighs', () => {
    const levels = [
      rule('SEND-1', { level: 'MAY' }),
      rule('CLI-2', { level: 'SHOULD' }),
      rule('TURN-1', { level: 'MUST' }),
    ];
    expect(weightOf(covering, levels)).toBe('SHOULD');
    expect(weightOf({ ...covering, covers: [] }, levels)).toBe('MUST');
  });
});

describe('the table of capabilities', () => {
  it('has every word and every driver', () => {
    expect(Object.keys(REACH)).toEqual([...CAPABILITIES]);
    for (const row of Object.values(REACH)) expect(Object.keys(row)).toEqual([...DRIVERS]);
  });
});
