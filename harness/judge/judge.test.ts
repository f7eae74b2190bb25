import { describe, expect, it } from 'vitest';
import { observe } from '../observe/observe.ts';
import type { Requirement } from '../scenario/suite.ts';
import { fakeKind, type FakeWays } from '../run/fixtures/fake-subject.ts';
import { scenarioOf } from '../run/fixtures/scenario.ts';
import type { Recording } from '../run/recording.ts';
import { runScenario, type RunOptions } from '../run/scenario-run.ts';
import type { JsonValue } from '../scenario/scenario.ts';
import type { RecordedEvent, Shown } from '../subject/subject.ts';
import { judgeRun, type RunJudgement } from './judge.ts';

const rule = (
  id: string,
  level: Requirement['level'],
  needs: Requirement['needs'] = ['followup'],
): Requirement => ({
  id,
  level,
  needs,
  group: 'G',
  from: '003',
  rule: 'A rule.',
  held: false,
  test: null,
});
const requirements = [rule('SEND-1', 'MUST'), rule('SEND-2', 'SHOULD', ['goal']), rule('TURN-1', 'MAY')];
const capabilities = new Set(['followup', 'events', 'status', 'cli', 'in-process'] as const);

const ONE = 'model: {main: [{text: Hello back.}]}\nsteps: [{followup: Hello there}]\n';

function judged(recording: Recording): RunJudgement {
  return judgeRun(recording, observe(recording, { varying: [] }), { requirements, capabilities });
}

interface RunFacts {
  readonly ways?: FakeWays;
  readonly covers?: string;
  /** For a run with a wait in vain. */
  readonly deadlines?: RunOptions['deadlines'];
}

async function ran(body: string, { ways, covers, deadlines = {} }: RunFacts = {}): Promise<Recording> {
  return runScenario(scenarioOf(body, covers), fakeKind(ways), { category: null, deadlines });
}

/** Long enough for every step that does come to its end, on any machine. */
const IN_VAIN = { step: 2_000 };

/** The recording of a run that showed something else than it did. */
async function showing(
  expectation: string,
  shown: Partial<Shown>,
  driver: Recording['driver'] = 'inproc',
): Promise<RunJudgement> {
  const recording = await ran(`${ONE}expect: ${expectation}`);
  return judged({ ...recording, driver, shown: { ...recording.shown, ...shown } });
}

function session(...events: readonly (readonly [string, { [key: string]: JsonValue }])[]): Shown['sessions'] {
  const recorded: RecordedEvent[] = events.map(([type, data], seq) => ({
    type,
    data,
    seq,
    time: '2026-11-30T00:00:00.000Z',
  }));
  return [{ id: 'session-one', label: null, parent: null, events: recorded }];
}

const turn = (number: number, text: string, reason: JsonValue) =>
  [
    [
      'agent/inbox/spliced',
      {
        target: 'next-turn',
        start: 0,
        inserted: [{ id: `message-${number}`, content: [{ type: 'text', text }], source: { kind: 'user' } }],
      },
    ],
    ['turn/start', { turn: number }],
    ['agent/inbox/spliced', { target: 'next-turn', start: 0, removedCount: 1, inserted: [] }],
    ['step/start', { turn: number, step: 1 }],
    ['turn/end', { turn: number, reason }],
  ] as const;

const twoTurns = session(
  ...turn(1, 'prompt alpha', { kind: 'completed' }),
  ...turn(2, 'prompt beta', { kind: 'aborted', cause: 'user' }),
);

describe('a session that must be refused (LOG-6)', () => {
  const refusing = async (refusal: Recording['refusal']): Promise<readonly string[]> => {
    const session = 'session: \'{"id":"before"}\'\n';
    const recording = await ran(`${session}${ONE}expect: {refused: version 7}`);
    return judged({ ...recording, refusal }).problems.map(({ key, message }) => `${key} ${message}`);
  };

  it('passes where the refusal says what is expected and the log was left untouched', async () => {
    expect(await refusing({ text: 'the log has version 7', untouched: true })).toEqual([]);
  });

  it.each([
    ['it was opened', null, 'expected the session not to be opened, and it was'],
    ['it says something else', { text: 'no', untouched: true }, 'contains "version 7", found "no"'],
    ['it was touched', { text: 'version 7', untouched: false }, 'left untouched'],
  ])('fails where %s', async (_, refusal, message) => {
    expect(await refusing(refusal)).toEqual([expect.stringContaining(message)]);
  });
});

describe('every log (LOG-1)', () => {
  const numbered = (...seqs: readonly number[]): Shown['sessions'] =>
    session(...seqs.map(() => ['step/start', {}] as const)).map((one) => ({
      ...one,
      events: one.events.map((event, index) => ({ ...event, seq: seqs[index] ?? 0 })),
    }));

  it.each([
    ['a gap', [0, 2], 'event 1 is step/start with seq 2'],
    ['one twice', [0, 1, 1], 'event 2 is step/start with seq 1'],
    ['another order', [1, 0], 'event 0 is step/start with seq 1'],
    ['another beginning', [1, 2], 'event 0 is step/start with seq 1'],
  ])('is a problem where its numbers show %s, whatever the scenario expects', async (_, seqs, found) => {
    const { problems } = await showing('{requests: 1}', { sessions: numbered(...seqs) });
    expect(problems).toMatchObject([{ kind: 'EXPECTATION_FAILED' }]);
    expect(problems[0]?.key).toMatch(/log\.main\.numbers$/);
    expect(problems[0]?.message).toContain(found);
  });

  it('is none where they count from 0', async () => {
    expect((await showing('{requests: 1}', { sessions: numbered(0, 1, 2) })).problems).toEqual([]);
  });
});

describe('a run that did what its scenario says', () => {
  it('passes, and is credited with the rules whose needs are claimed', async () => {
    const judgement = judged(await ran(`${ONE}expect: {requests: 1}`, { covers: '[SEND-1, SEND-2]' }));
    expect(judgement).toEqual({
      status: 'pass',
      reason: null,
      problems: [],
      credited: ['SEND-1'],
      broken: [],
    });
  });

  it('what a driver does not show is not judged there', async () => {
    const judgement = judged(
      await ran(`${ONE}expect: {requests: 1, cli: {exit: 7}, turns: [{prompt: x, end: completed}]}`),
    );
    expect(judgement.status).toBe('pass');
  });
});

describe('an expectation that fails', () => {
  it.each([
    [
      'turns: [{prompt: alpha, end: completed}, {prompt: beta, end: completed}]',
      'expect.turns.1.end',
      'expected the end completed, found aborted',
    ],
    [
      'turns: [{prompt: alpha, end: completed}, {prompt: beta, end: aborted, cause: parent}]',
      'expect.turns.1.cause',
      'expected the cause parent, found "user"',
    ],
    [
      'turns: [{prompt: {is: alpha}, end: completed}, {prompt: beta, end: aborted}]',
      'expect.turns.0.prompt',
      'exactly "alpha", found "prompt alpha"',
    ],
    [
      'turns: [{prompt: alpha, end: completed, steps: 2}, {prompt: beta, end: aborted}]',
      'expect.turns.0.steps',
      'expected 2 steps, found 1',
    ],
    [
      'turns: [{source: goal, end: completed}, {prompt: beta, end: aborted}]',
      'expect.turns.0.source',
      'expected the source goal, found "user"',
    ],
    [
      'turns: [{prompt: alpha, end: completed}]',
      'expect.turns',
      'expected 1 turns in "main" and no more, found 2',
    ],
    [
      'turns: [{prompt: alpha, end: completed}, {prompt: beta, end: aborted}, {prompt: gamma, end: completed}]',
      'expect.turns.2',
      'there is no turn 3',
    ],
    [
      'log: {main: [turn/start, {type: turn/end, reason: {kind: error}}]}',
      'expect.log.main.1',
      'nearest: reason.kind is "completed", expected "error"',
    ],
    ['log: {other: [turn/start]}', 'expect.log.other', 'no session of that name'],
    ['status: [running, idle]', 'expect.status', 'expected the status to go running, idle; found running'],
    ['requests: 2', 'expect.requests', 'expected 2 requests in all, found 1 (main 1)'],
    ['requests: {main: 3}', 'expect.requests.main', 'expected 3 requests of "main", found 1'],
    ['files: {a.txt: text}', 'expect.files.a.txt', 'found no such file'],
  ])('%s', async (expectation, key, message) => {
    const { status, problems } = await showing(`{${expectation}}`, {
      sessions: twoTurns,
      statuses: ['running'],
    });
    expect(status).toBe('fail');
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({
      kind: 'EXPECTATION_FAILED',
      key: `turns/x/${key}`,
      file: 'scenarios/turns/x.yaml',
    });
    expect(problems[0]?.message).toContain(message);
    expect(problems[0]?.line).toBeGreaterThan(1);
  });

  it.each([
    ['{stdout: absent}', 'expect.cli.stdout', 'something that contains "absent", found "Hello back.\\n"'],
    ['{stdout: {is: Hello}}', 'expect.cli.stdout', 'exactly "Hello"'],
    ['{stderr: warning}', 'expect.cli.stderr', 'found ""'],
    ['{exit: 0}', 'expect.cli.exit', 'expected exit code 0, found exit code 1'],
  ])('cli: %s', async (expectation, key, message) => {
    const { problems } = await showing(
      `{cli: ${expectation}}`,
      { stdout: 'Hello back.\n', exit: { code: 1, signal: null } },
      'cli',
    );
    expect(problems.map((problem) => problem.key)).toEqual([`turns/x/${key}`]);
    expect(problems[0]?.message).toContain(message);
  });

  it('weighs what the highest level among the covered rules weighs: a MAY alone makes no problem', async () => {
    const may = judged(await ran(`${ONE}expect: {requests: 2}`, { covers: '[TURN-1]' }));
    expect(may).toMatchObject({ status: 'pass', problems: [], credited: [], broken: ['TURN-1'] });
    expect(may.reason).toContain('a MAY that does not hold');
    const should = judged(await ran(`${ONE}expect: {requests: 2}`, { covers: '[TURN-1, SEND-2]' }));
    expect(should.status).toBe('fail');
  });
});

describe('what the model found', () => {
  it('a reply too many is UNUSED_REPLY at the reply', async () => {
    const { status, problems } = judged(
      await ran(
        'model: {main: [{text: One.}, {text: Two.}]}\nsteps: [{followup: Hello there}]\nexpect: {requests: 1}',
      ),
    );
    expect(status).toBe('fail');
    expect(problems).toMatchObject([{ kind: 'UNUSED_REPLY', key: 'turns/x/main.2', line: 3 }]);
  });

  it('a reply too few is UNEXPECTED_REQUEST', async () => {
    const { problems } = judged(
      await ran(
        'model: {main: [{text: One.}]}\nsteps: [{followup: Hello there}, {followup: Hello again}]\nexpect: {requests: 1}',
      ),
    );
    expect(problems.map(({ kind }) => kind)).toEqual(['UNEXPECTED_REQUEST']);
  });

  it('a foreign credential in a request is CREDENTIAL_SEEN, and is never printed', async () => {
    const recording = await ran(`${ONE}expect: {requests: 1}`);
    const [exchange] = recording.exchanges;
    if (exchange === undefined) throw new Error('no request');
    const headers = [['x-api-key', 'somebody-elses'], ...exchange.request.headers] as const;
    const leaking = { ...exchange, request: { ...exchange.request, headers } };
    const { problems } = judged({ ...recording, exchanges: [leaking] });
    expect(problems).toMatchObject([{ kind: 'CREDENTIAL_SEEN', key: 'turns/x/main.1.headers.x-api-key' }]);
    expect(JSON.stringify(problems)).not.toContain('somebody-elses');
  });
});

describe('a run that failed', () => {
  it('is one problem: what follows from it is told in it, expectations are not judged', async () => {
    const body =
      'model: {main: [{text: One.}, {text: Two.}]}\nsteps: [{followup: Hello there}, {wait: {text: never said}}, {followup: Hello again}]\nexpect: {requests: 2}';
    const { status, problems, broken } = judged(await ran(body, { deadlines: IN_VAIN }));
    expect(status).toBe('timeout');
    expect(problems).toMatchObject([{ kind: 'STEP_TIMEOUT', key: 'turns/x/steps.1', line: 4 }]);
    expect(problems[0]?.message).toContain('never asked for: main.2');
    expect(broken).toEqual(['SEND-1']);
  });

  it.each([
    ['SETUP_FAILED', 'setup-error'],
    ['SUBJECT_CRASHED', 'crashed'],
    ['STEP_TIMEOUT', 'timeout'],
    ['SUBJECT_PROTOCOL', 'fail'],
    ['CAPABILITY_REFUSED', 'fail'],
    ['HARNESS_ERROR', 'harness-error'],
  ] as const)('%s makes the status %s', async (kind, status) => {
    const recording = await ran(`${ONE}expect: {requests: 1}`);
    expect(judged({ ...recording, failures: [{ kind, key: 'steps.0', message: 'so it went' }] }).status).toBe(
      status,
    );
  });

  it('says the same in two equal runs: nothing that varies is left in a message', async () => {
    const failing: FakeWays = {
      followup: async (_, agent) =>
        agent.record.stderr(`${agent.launch.cwd} ${agent.launch.apiKey} ${agent.launch.modelUrl}`),
    };
    const body =
      'model: {main: [{text: One.}]}\nsteps: [{followup: Hello there}, {wait: {text: never said}}]\nexpect: {requests: 1}';
    const [one, other] = [
      judged(await ran(body, { ways: failing, deadlines: IN_VAIN })),
      judged(await ran(body, { ways: failing, deadlines: IN_VAIN })),
    ];
    expect(one.problems[0]?.message).toContain('{{cwd}} {{apiKey}} http://127.0.0.1:{{port}}');
    expect(one.problems).toEqual(other.problems);
  });
});
