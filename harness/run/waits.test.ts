import { describe, expect, it } from 'vitest';
import type { Exchange, NeutralMessage } from '../model/exchange.ts';
import { Sent } from '../model/sent.ts';
import type { JsonValue, WaitFor } from '../scenario/scenario.ts';
import type { RecordedEvent, RecordedSession, Shown } from '../subject/subject.ts';
import { gatesOf } from './gate-names.ts';
import { lanesOf, sessionOf } from './lanes.ts';
import { mismatch, textFits } from './partial-match.ts';
import { scenarioOf } from './fixtures/scenario.ts';
import { describeView, happened, type RunView } from './waits.ts';

const scenario = scenarioOf(
  [
    'model:',
    '  main: [{tools: [{name: subagent, arguments: {description: d, prompt: "audit the code\\n\\"now\\""}}], hold: {name: slow, after: headers}}]',
    '  audit: {opens: audit the code, replies: [{text: Looks fine., hold: {name: mid, after: Looks}}]}',
    'steps: [{followup: prompt alpha}, {wait: {held: build}}, {release: build}, {release: mid}]',
    'expect: {requests: 1}',
  ].join('\n'),
);

const event = (type: string, data: { [key: string]: JsonValue }): RecordedEvent => ({
  type,
  data,
  seq: 0,
  time: '',
});
const message = (
  id: string,
  text: string,
  source: { [key: string]: JsonValue } = { kind: 'user' },
): JsonValue => ({ id, role: 'user', content: [{ type: 'text', text }], source });
const session = (
  id: string,
  events: RecordedEvent[],
  facts: Partial<RecordedSession> = {},
): RecordedSession => ({ id, label: null, parent: null, events, ...facts });

function exchange(conversation: string, messages: readonly NeutralMessage[] = []): Exchange {
  return {
    number: 1,
    request: { method: 'POST', path: '/', headers: [], body: new Uint8Array() },
    neutral: { model: 'm', stream: true, system: [], messages, tools: [], parameters: {} },
    attribution: { to: 'conversation', name: conversation, reply: 1 },
    agentsOwn: [],
    outcome: 'finished',
    sent: new Sent(),
  };
}

function view(facts: Partial<Shown> & Partial<Pick<RunView, 'exchanges' | 'held'>>): RunView {
  const shown: Shown = {
    sessions: [],
    statuses: [],
    text: '',
    stdout: '',
    stderr: '',
    frames: [],
    answers: new Map(),
    exit: { code: null, signal: null },
    violations: [],
    ...facts,
  };
  return { scenario, exchanges: facts.exchanges ?? [], held: facts.held ?? [], shown };
}

const call = { id: 'c1', name: 'subagent', arguments: '{"prompt":"audit the code\\n\\"now\\""}' };
const child = session(
  's2',
  [
    event('user/message', {
      id: 'm2',
      content: 'please audit the code',
      role: 'user',
      source: { kind: 'user' },
    }),
  ],
  { parent: 's1' },
);

describe('what a step can wait for', () => {
  it.each<[WaitFor, RunView, RunView]>([
    [{ for: 'held', name: 'build' }, view({ held: ['build'] }), view({ held: ['other'] })],
    [
      { for: 'held', name: 'mid' },
      view({ held: ['mid'], text: 'Looks' }),
      view({ held: ['mid'], text: 'Loo' }),
    ],
    [
      { for: 'request', conversation: 'audit', number: 2 },
      view({ exchanges: [exchange('audit'), exchange('audit')] }),
      view({ exchanges: [exchange('audit'), exchange('main')] }),
    ],
    [{ for: 'text', text: 'fine' }, view({ text: 'Looks fine.' }), view({ text: 'Looks' })],
    [
      { for: 'event', type: 'turn/end', match: { turn: 2 } },
      view({ sessions: [session('s1', [event('turn/end', { turn: 2, reason: { kind: 'completed' } })])] }),
      view({ sessions: [session('s1', [event('turn/end', { turn: 1 }), event('turn/start', { turn: 2 })])] }),
    ],
    [
      { for: 'answered', label: 'p1' },
      view({ answers: new Map([['p1', null]]) }),
      view({ answers: new Map([['p2', null]]) }),
    ],
    [
      { for: 'result', conversation: 'audit' },
      view({
        sessions: [
          session('s1', [
            event('tool/call', { callId: 'c1', arguments: call.arguments }),
            event('tool/result', { callId: 'c1' }),
          ]),
        ],
      }),
      view({
        sessions: [
          session('s1', [
            event('tool/call', { callId: 'c1', arguments: call.arguments }),
            event('tool/result', { callId: 'c2' }),
          ]),
        ],
      }),
    ],
    [
      { for: 'result', conversation: 'audit' },
      view({
        exchanges: [
          exchange('main', [
            { role: 'assistant', text: '', reasoning: null, calls: [call] },
            { role: 'tool', callId: 'c1', text: 'done' },
          ]),
        ],
      }),
      view({
        exchanges: [exchange('main', [{ role: 'assistant', text: '', reasoning: null, calls: [call] }])],
      }),
    ],
    [
      { for: 'settled', conversation: 'audit' },
      view({
        sessions: [
          session('s1', [
            event(
              'user/message',
              message('m3', 'It settled.', { kind: 'subagent-settled', senderSessionId: 's2' }) as {
                [key: string]: JsonValue;
              },
            ),
          ]),
          child,
        ],
      }),
      view({ sessions: [session('s1', []), child] }),
    ],
  ])('%j', (wait, yes, no) => {
    expect(happened(wait, yes)).toBe(true);
    expect(happened(wait, no)).toBe(false);
  });

  it('a driver that shows no text live is not asked for it', () => {
    expect(happened({ for: 'held', name: 'mid' }, view({ held: ['mid'], statuses: null }))).toBe(true);
  });

  it('what was seen instead is told', () => {
    const told = describeView(
      view({
        exchanges: [exchange('main')],
        held: ['build'],
        statuses: ['running'],
        stderr: 'a warning\n',
        exit: { code: 3, signal: null },
      }),
    );
    for (const fact of ['main.1 finished', 'held: build', 'status: running', 'a warning', 'exit code 3'])
      expect(told).toContain(fact);
  });
});

describe('lanes', () => {
  it('the first session is main, a child is the conversation that it opens, others have label or number', () => {
    const sessions = [session('s1', []), child, session('s3', [], { label: 'other' }), session('s4', [])];
    expect([...lanesOf(sessions, scenario)]).toEqual([
      ['s1', 'main'],
      ['s2', 'audit'],
      ['s3', 'other'],
      ['s4', 'session-4'],
    ]);
    expect(sessionOf('audit', sessions, scenario)).toBe('s2');
    expect(sessionOf('nobody', sessions, scenario)).toBeNull();
  });
});

describe('gates', () => {
  it('are the names that no reply holds, and what tools and hooks call', () => {
    expect([...gatesOf(scenario)]).toEqual(['build']);
    const called = scenarioOf(
      'agent: {hooks: {userPromptSubmit: gate hook}}\nmodel: {main: [{tools: [{name: bash, arguments: {command: gate tool && true}}]}]}\nsteps: [{followup: prompt alpha}]\nexpect: {requests: 1}',
    );
    expect([...gatesOf(called)].sort()).toEqual(['hook', 'tool']);
  });
});

describe('partial expectations', () => {
  it.each<[JsonValue, JsonValue]>([
    ['part', 'a part of it'],
    [{ is: 'all' }, 'all'],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: [{ b: 'x' }] }, { a: [{ b: 'xyz', c: null }] }],
    [null, null],
    [{}, { anything: true }],
  ])('%j fits %j', (expected, found) => {
    expect(mismatch(expected, found)).toBeNull();
  });

  it.each<[JsonValue, JsonValue | undefined, string]>([
    ['part', 'another', ''],
    [{ is: 'all' }, 'all of it', ''],
    [{ a: { b: 1 } }, { a: { b: 2 } }, 'a.b'],
    [{ a: [1] }, { a: [1, 2] }, 'a'],
    [{ a: [1, 2] }, { a: [1, 3] }, 'a.1'],
    [1, '1', ''],
    [{ a: null }, {}, 'a'],
    [{ a: 1 }, undefined, ''],
  ])('%j does not fit %j, at "%s"', (expected, found, path) => {
    expect(mismatch(expected, found)?.path).toBe(path);
  });

  it('a text contains, unless it is written as an equality', () => {
    expect(textFits({ contains: 'a' }, 'bab')).toBe(true);
    expect(textFits({ is: 'a' }, 'bab')).toBe(false);
  });
});
