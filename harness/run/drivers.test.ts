/** The core through its drivers, each scenario a small case of what only a real subject can show. */
import { describe, expect, it } from 'vitest';
import { judgeRun } from '../judge/judge.ts';
import { observe } from '../observe/observe.ts';
import type { Observations } from '../observe/observations.ts';
import { acpSubject } from '../subject/acp.ts';
import { cliSubject } from '../subject/cli.ts';
import { inprocSubject } from '../subject/inproc.ts';
import { sdkSubject } from '../subject/sdk.ts';
import type { SubjectKind } from '../subject/subject.ts';
import type { Driver } from '../verdict/vocabulary.ts';
import { scenarioOf } from './fixtures/scenario.ts';
import type { Recording } from './recording.ts';
import { runScenario } from './scenario-run.ts';

const drivers: Readonly<Record<Driver, () => SubjectKind>> = {
  inproc: inprocSubject,
  cli: cliSubject,
  sdk: sdkSubject,
  acp: acpSubject,
};

interface Ran {
  readonly recording: Recording;
  readonly observed: Observations;
  /** Kinds and keys of problems. */
  readonly problems: readonly string[];
}

async function ran(driver: Driver, body: string, step = 10_000): Promise<Ran> {
  const kind = drivers[driver]();
  const recording = await runScenario(scenarioOf(body), kind, { category: null, deadlines: { step } });
  const observed = observe(recording, { varying: [] });
  const { problems } = judgeRun(recording, observed, { requirements: [], capabilities: kind.capabilities });
  return { recording, observed, problems: problems.map(({ kind: word, key }) => `${word} ${key}`) };
}

const TOOL_TURN = [
  'workspace: {poem.txt: "roses are red\\n"}',
  'model:',
  '  main:',
  '    - tools: [{name: bash, arguments: {command: "cat poem.txt; pwd; gate look"}}, {name: read, arguments: {path: missing.txt}}]',
  '    - {text: Roses are red., reasoning: It says so.}',
  '    - {fail: {status: 429, retryAfter: 0}}',
  '    - {text: Done.}',
  'steps: [{followup: What does the poem say?}, {wait: {held: look}}, {followup: And then?}, {release: look}]',
  'expect: {turns: [{prompt: poem, end: completed, steps: 2}, {prompt: And then, end: completed, steps: 1}], requests: 4, status: [running, idle]}',
].join('\n');

/** As `TOOL_TURN`, for a way in that takes one prompt at a time. */
const TOOL_TURN_ALONE = TOOL_TURN.replace(
  '{followup: And then?}, {release: look}',
  '{release: look}, idle, {followup: And then?}',
).replace('status: [running, idle]', 'status: [running, idle, running, idle]');

describe('the core through all drivers', () => {
  it.each<[Driver, string]>([
    ['cli', TOOL_TURN],
    ['sdk', TOOL_TURN],
    ['acp', TOOL_TURN_ALONE],
  ])(
    '%s shows what inproc shows: request headers, conversations, turns, log and status',
    async (driver, body) => {
      const [inproc, other] = await Promise.all([ran('inproc', body), ran(driver, body)]);
      expect(inproc.problems).toEqual([]);
      expect(other.problems).toEqual([]);
      expect(other.observed.headers).toEqual(inproc.observed.headers);
      expect(Object.fromEntries(other.observed.sections)).toEqual(
        Object.fromEntries(inproc.observed.sections),
      );
      expect(other.observed.statuses).toEqual(inproc.observed.statuses);
    },
  );

  it('shows nothing that varies from run to run', async () => {
    const { observed } = await ran('inproc', TOOL_TURN);
    const text = [...observed.sections.values(), ...observed.headers.map((header) => header.text)].join('\n');
    expect(text).toContain('{{cwd}}');
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}|\d{4}-\d\d-\d\d|sk-turnpin|run-|127\.0\.0\.1:\d/);
  });

  it.each(['inproc', 'cli', 'sdk', 'acp'] as const)(
    '%s: restart resumes the same session, with its history',
    async (driver) => {
      const body = [
        'model: {main: [{text: I will remember 4711.}, {text: It was 4711., sees: [I will remember 4711.]}]}',
        'steps: [{followup: Remember 4711.}, idle, restart, {followup: Which number?}]',
        'expect: {turns: [{prompt: Remember, end: completed}, {prompt: Which, end: completed}]}',
      ].join('\n');
      const { problems, recording } = await ran(driver, body);
      expect(problems).toEqual([]);
      expect(recording.shown.sessions).toHaveLength(1);
    },
  );
});

describe('inproc', () => {
  const TWO = 'model: {main: [{text: One.}, {text: Two.}]}\n';
  const QUEUED = '{followup: prompt alpha}, {followup: prompt beta}';

  it('a checkpoint that is held keeps the agent running, and says so when the time is up', async () => {
    const { recording } = await ran(
      'inproc',
      `${TWO}steps: [{checkpoint: hold}, ${QUEUED}]\nexpect: {requests: 2}`,
      5_000,
    );
    expect(recording.failures).toMatchObject([{ kind: 'STEP_TIMEOUT', key: 'idle' }]);
    expect(recording.failures[0]?.message).toContain('status: running');
    expect(recording.failures[0]?.message).toContain('turn/end');
  });

  it('a checkpoint that fails is reported, and the next turn runs', async () => {
    const { problems, recording } = await ran(
      'inproc',
      `${TWO}steps: [{checkpoint: fail}, ${QUEUED}]\nexpect: {requests: 2}`,
    );
    expect(problems).toEqual([]);
    expect(recording.shown.stderr).toContain('made to fail by the scenario');
  });

  it('input to a disposed agent is refused by name', async () => {
    const { problems, recording } = await ran(
      'inproc',
      `${TWO}steps: [dispose, {followup: prompt alpha}]\nexpect: {requests: 0}`,
    );
    expect(problems).toEqual(['CAPABILITY_REFUSED turns/x/steps.1']);
    expect(recording.failures[0]?.message).toContain('refused followup');
  });

  it('maintenance that the agent refuses is CAPABILITY_REFUSED', async () => {
    const body =
      'model: {main: [{text: One., hold: first}]}\nsteps: [{followup: prompt alpha}, {wait: {held: first}}, {maintenance: begin}, {release: first}]\nexpect: {requests: 1}';
    expect((await ran('inproc', body)).problems).toEqual(['CAPABILITY_REFUSED turns/x/steps.2']);
  });

  it('a second session is a lane of its own, named by the conversation that it leads', async () => {
    const body = [
      'model:',
      '  main: [{text: One.}]',
      '  second: {opens: prompt beta, replies: [{text: Two.}]}',
      'steps: [{followup: prompt alpha}, {followup: prompt beta, in: s2}]',
      'expect: {turns: [{prompt: alpha, end: completed}, {prompt: beta, end: completed, lane: second}], status: [running, idle]}',
    ].join('\n');
    const { problems, observed } = await ran('inproc', body);
    expect(problems).toEqual([]);
    expect(observed.sections.get('log')).toMatch(/^log:\n {2}main:\n[^]*\n {2}second:\n/);
  });

  it('a configuration that the core refuses is SETUP_FAILED with its reason', async () => {
    const { problems, recording } = await ran(
      'inproc',
      `agent: {tools: {bsh: true}}\n${TWO}steps: [{followup: prompt alpha}]\nexpect: {requests: 2}`,
    );
    expect(problems).toEqual(['SETUP_FAILED turns/x/start']);
    expect(recording.failures[0]?.message).toContain('bash');
  });
});

describe.each(['sdk', 'acp'] as const)('%s', (driver) => {
  const ONE = 'model: {main: [{text: The answer.}]}\n';

  it('death by a signal that nobody sent is SUBJECT_CRASHED, never a pass', async () => {
    const body =
      'model: {main: [{tools: [{name: bash, arguments: {command: kill -9 $PPID}}]}]}\nsteps: [{followup: Kill yourself}]\nexpect: {requests: 1}';
    const { recording } = await ran(driver, body);
    expect(recording.failures).toMatchObject([{ kind: 'SUBJECT_CRASHED' }]);
    expect(recording.failures[0]?.message).toContain('SIGKILL');
  });

  it('a configuration that the core refuses ends it before a step is made, with the reason that it gave', async () => {
    const { recording } = await ran(
      driver,
      `agent: {tools: {bsh: true}}\n${ONE}steps: [{followup: prompt alpha}]\nexpect: {requests: 1}`,
    );
    expect(recording.failures).toMatchObject([{ key: 'start' }]);
    expect(recording.failures[0]?.message).toContain('exit code 2');
    expect(recording.failures[0]?.message).toContain('bash');
  });

  it('kill ends it without warning; what was running is interrupted when the session goes on', async () => {
    const body = [
      'model: {main: [{text: Never whole., hold: {name: forever, after: Never}, ends: cancelled}, {text: Two.}]}',
      'steps: [{followup: prompt alpha}, {wait: {held: forever}}, kill, {followup: prompt beta}]',
      'expect: {turns: [{prompt: alpha, end: interrupted}, {prompt: beta, end: completed}]}',
    ].join('\n');
    expect((await ran(driver, body)).problems).toEqual([]);
  });

  it('a second session is a lane of its own, whose idle is waited for too', async () => {
    const body = [
      'model:',
      '  main: [{text: One.}]',
      '  second: {opens: prompt beta, replies: [{text: Two.}]}',
      'steps: [{followup: prompt alpha}, {followup: prompt beta, in: s2}]',
      'expect: {turns: [{prompt: alpha, end: completed}, {prompt: beta, end: completed, lane: second}], status: [running, idle]}',
    ].join('\n');
    expect((await ran(driver, body)).problems).toEqual([]);
  });

  it('raw frames are sent as they stand and their answers kept; the wire is recorded on both sides', async () => {
    const body = `${ONE}steps: [{frame: "{", as: bad}, {followup: prompt alpha}]\nexpect: {requests: 1}`;
    const { problems, recording } = await ran(driver, body);
    expect(problems).toEqual([]);
    expect(recording.shown.answers.get('bad')).toMatchObject({ error: { code: -32700 } });
    expect(recording.shown.frames).toContainEqual({ from: 'client', text: '{' });
    expect(recording.shown.exit).toEqual({ code: 0, signal: null });
  });
});

it('sdk: a step that the server refuses is CAPABILITY_REFUSED', async () => {
  const { problems } = await ran(
    'sdk',
    'model: {main: [{text: One.}]}\nsteps: [{inject: too early}, {followup: prompt alpha}]\nexpect: {requests: 1}',
  );
  expect(problems).toContain('CAPABILITY_REFUSED turns/x/steps.0');
});

it('acp: a second prompt without a label is CAPABILITY_REFUSED', async () => {
  const { problems } = await ran(
    'acp',
    'model: {main: [{text: One., hold: one}]}\nsteps: [{followup: prompt alpha}, {wait: {held: one}}, {followup: prompt beta}, {release: one}]\nexpect: {requests: 1}',
  );
  expect(problems.join()).toContain('CAPABILITY_REFUSED');
});

describe('cli', () => {
  const ONE = 'model: {main: [{text: The answer.}]}\nsteps: [{followup: The question}]\n';

  it('prints the plain answer where the scenario judges it, and exits 0', async () => {
    const { problems, recording } = await ran(
      'cli',
      `${ONE}expect: {turns: [{prompt: The question, end: completed}], cli: {stdout: {is: "The answer.\\n"}, exit: 0}}`,
    );
    expect(problems).toEqual([]);
    expect(recording.shown.statuses).toBeNull();
  });

  it('cancel interrupts it: the turn ends aborted, the exit code is 130', async () => {
    const body = [
      'model: {main: [{text: A long story., hold: {name: story, after: A long}, ends: cancelled}]}',
      'steps: [{followup: Tell me a story}, {wait: {held: story}}, cancel]',
      'expect: {turns: [{prompt: story, end: aborted, cause: user}]}',
    ].join('\n');
    const { problems, recording } = await ran('cli', body);
    expect(problems).toEqual([]);
    expect(recording.shown.exit).toEqual({ code: 130, signal: null });
  });

  it('death by a signal that nobody sent is SUBJECT_CRASHED, never a pass', async () => {
    const body =
      'model: {main: [{tools: [{name: bash, arguments: {command: kill -9 $PPID}}]}]}\nsteps: [{followup: Kill yourself}]\nexpect: {requests: 1}';
    const { recording } = await ran('cli', body);
    expect(recording.failures).toMatchObject([{ kind: 'SUBJECT_CRASHED', key: 'idle' }]);
    expect(recording.failures[0]?.message).toContain('by SIGKILL');
  });

  it('an early end is a failure, unless the scenario expects its exit code', async () => {
    const broken = `agent: {tools: {bsh: true}}\n${ONE.replace('model: {main: [{text: The answer.}]}', 'model: {main: []}')}`;
    const { recording } = await ran('cli', `${broken}expect: {requests: 0}`);
    expect(recording.failures).toMatchObject([{ kind: 'SUBJECT_CRASHED' }]);
    expect(recording.failures[0]?.message).toContain('with exit code 2');
    const expected = await ran('cli', `${broken}expect: {cli: {stderr: bash, exit: 2}}`);
    expect(expected.problems).toEqual([]);
  });

  it('kill ends it without warning; what was pending stays pending, once', async () => {
    const body = [
      'model:',
      '  main:',
      '    - {text: Never whole., hold: {name: forever, after: Never}, ends: cancelled}',
      '    - {text: Two.}',
      '    - {text: Three.}',
      'steps: [{followup: prompt alpha}, {wait: {held: forever}}, {followup: prompt beta}, kill, idle, {followup: prompt gamma}]',
      'expect: {turns: [{prompt: alpha, end: interrupted}, {prompt: beta, end: completed}, {prompt: gamma, end: completed}]}',
    ].join('\n');
    expect((await ran('cli', body)).problems).toEqual([]);
  });
});
