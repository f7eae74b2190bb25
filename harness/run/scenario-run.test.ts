import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SubjectError, type Launch } from '../subject/subject.ts';
import { fakeKind, type FakeWays } from './fixtures/fake-subject.ts';
import { scenarioOf } from './fixtures/scenario.ts';
import type { Recording } from './recording.ts';
import { runScenario, type RunOptions } from './scenario-run.ts';

const ONE = 'model: {main: [{text: Hello back.}]}\nsteps: [{followup: Hello there}]\nexpect: {requests: 1}';
/** Long enough for every step that does come to its end, on any machine. */
const IN_VAIN = { deadlines: { step: 2_000 } };
const never = (): Promise<never> => new Promise(() => {});

function run(body: string, ways: FakeWays = {}, options: Partial<RunOptions> = {}): Promise<Recording> {
  return runScenario(scenarioOf(body), fakeKind(ways), {
    category: null,
    ...options,
  });
}

describe('a run that goes as its scenario says', () => {
  it('records every request and no failure, over either carrier', async () => {
    for (const carrier of ['in-process', 'loopback'] as const) {
      const recording = await runScenario(scenarioOf(ONE), fakeKind({}, carrier), { category: null });
      expect(recording.failures).toEqual([]);
      expect(recording.findings).toEqual([]);
      expect(recording.exchanges.map(({ outcome }) => outcome)).toEqual(['finished']);
    }
  });

  it('waits at a hold until a later step releases it', async () => {
    const body = [
      'model: {main: [{text: Hello back., hold: first}]}',
      'steps: [{followup: Hello there}, {wait: {held: first}}, {release: first}, idle]',
      'expect: {requests: 1}',
    ].join('\n');
    expect((await run(body)).failures).toEqual([]);
  });

  it('gives the workspace its files, lets steps write more, and reads those that are expected', async () => {
    const body = [
      'workspace: {a/one.txt: first}',
      'model: {main: [{text: Hello back.}]}',
      'steps: [{write: {two.txt: second}}, {followup: Hello there}]',
      'expect: {files: {a/one.txt: first, two.txt: second, three.txt: null}}',
    ].join('\n');
    const { files } = await run(body);
    expect([...files]).toEqual([
      ['a/one.txt', 'first'],
      ['two.txt', 'second'],
      ['three.txt', null],
    ]);
  });

  it('leaves nothing behind', async () => {
    const { places } = await run(ONE);
    expect(existsSync(places.cwd)).toBe(false);
    expect(existsSync(places.home)).toBe(false);
  });

  it('leaves workspace, home and journal below the directory to keep', async () => {
    const keep = mkdtempSync(join(tmpdir(), 'turnpin-keep-'));
    await run(ONE, {}, { keep });
    const [base = ''] = readdirSync(keep);
    expect(readdirSync(join(keep, base)).sort()).toEqual(['home', 'journal.json', 'workspace']);
    expect(readFileSync(join(keep, base, 'journal.json'), 'utf8')).toContain('Hello there');
  });
});

describe('a run that goes wrong says how, and ends', () => {
  it('a wait in vain is STEP_TIMEOUT and says what was seen instead', async () => {
    const { failures } = await run(
      ONE.replace('steps: [', 'steps: [{wait: {text: never said}}, '),
      {},
      IN_VAIN,
    );
    expect(failures).toMatchObject([{ kind: 'STEP_TIMEOUT', key: 'steps.0' }]);
    expect(failures[0]?.message).toContain('wait for the text "never said"');
    expect(failures[0]?.message).toContain('no request reached the model');
  });

  it('an agent that never becomes idle is STEP_TIMEOUT at the implied idle', async () => {
    const { failures } = await run(ONE, { followup: never }, IN_VAIN);
    expect(failures).toMatchObject([{ kind: 'STEP_TIMEOUT', key: 'idle' }]);
  });

  it('the remaining steps are skipped, and the model still tells what it found', async () => {
    const body =
      'model: {main: [{text: One.}, {text: Two.}]}\nsteps: [{followup: Hello there}, {steer: not mine}, {followup: Hello again}]\nexpect: {requests: 2}';
    const { failures, findings } = await run(body);
    expect(failures).toMatchObject([{ kind: 'CAPABILITY_REFUSED', key: 'steps.1' }]);
    expect(findings.map(({ kind, key }) => [kind, key])).toContainEqual(['UNUSED_REPLY', 'main.2']);
  });

  it('a subject that does not come up is SETUP_FAILED', async () => {
    const { failures } = await run(ONE, { start: never }, { deadlines: { start: 200, close: 200 } });
    expect(failures).toMatchObject([{ kind: 'SETUP_FAILED', key: 'start' }]);
  });

  it('a subject that says why it cannot start is quoted', async () => {
    const start = (): Promise<never> => Promise.reject(new SubjectError('SETUP_FAILED', 'no such program'));
    const { failures } = await run(ONE, { start });
    expect(failures[0]?.message).toContain('no such program');
  });

  it('a subject that ends by itself while a step waits is SUBJECT_CRASHED', async () => {
    const body = ONE.replace(
      '{followup: Hello there}',
      '{followup: Hello there}, {wait: {text: never said}}',
    );
    const { failures } = await run(body, {
      followup: async (_, agent) => agent.record.exit({ code: null, signal: 'SIGSEGV' }),
    });
    expect(failures).toMatchObject([{ kind: 'SUBJECT_CRASHED', key: 'steps.1' }]);
    expect(failures[0]?.message).toContain('SIGSEGV');
  });

  it('a subject that breaks its protocol is SUBJECT_PROTOCOL', async () => {
    const { failures } = await run(ONE, {
      followup: async (text, agent) => {
        agent.record.violation({ kind: 'SUBJECT_PROTOCOL', message: 'a frame without an id' });
        await agent.ask(text);
      },
    });
    expect(failures).toEqual([
      { kind: 'SUBJECT_PROTOCOL', key: 'protocol', message: 'a frame without an id' },
    ]);
  });

  it('a subject that cannot be ended is told after its deadline', async () => {
    const { failures } = await run(ONE, { close: never }, { deadlines: { close: 200 } });
    expect(failures).toMatchObject([{ kind: 'STEP_TIMEOUT', key: 'close' }]);
  });

  it('a fault of the harness is HARNESS_ERROR and no fault of the subject', async () => {
    const { failures } = await run(ONE.replace('steps: [', 'steps: [{write: {.: text}}, '));
    expect(failures).toMatchObject([{ kind: 'HARNESS_ERROR', key: 'steps.0' }]);
  });

  it('once a request was refused, a wait ends early instead of at its deadline', async () => {
    const body = ONE.replace(
      '{followup: Hello there}',
      '{followup: Hello there}, {followup: Hello again}, {wait: {text: never said}}',
    );
    // Longer than this test may take.
    const { failures, findings } = await run(body, {}, { deadlines: { step: 60_000 } });
    expect(findings.map(({ kind }) => kind)).toContain('UNEXPECTED_REQUEST');
    expect(failures).toMatchObject([{ kind: 'STEP_TIMEOUT', key: 'steps.2' }]);
  });

  it('a run that is given up rejects with the reason, and leaves nothing behind', async () => {
    const stop = new AbortController();
    let home = '';
    const running = run(
      ONE,
      {
        followup: async (_, agent) => {
          home = agent.launch.home;
          stop.abort(new Error('Ctrl-C'));
          await never();
        },
      },
      { signal: stop.signal },
    );
    await expect(running).rejects.toThrow('Ctrl-C');
    expect(existsSync(home)).toBe(false);
  });

  it('nor does one that is given up while its subject starts, which is ended when it has come up', async () => {
    const stop = new AbortController();
    const told: string[] = [];
    let home = '';
    const start = async (launch: Launch): Promise<void> => {
      home = launch.home;
      stop.abort(new Error('Ctrl-C'));
      // By then a run that does not wait for it has removed its directories.
      for (let turn = 0; turn < 20_000 && existsSync(dirname(home)); turn += 1) await nextTurn();
      mkdirSync(join(home, 'sessions'), { recursive: true });
      told.push('up');
    };
    const close = async (): Promise<void> => void told.push('closed');
    await expect(run(ONE, { start, close }, { signal: stop.signal })).rejects.toThrow('Ctrl-C');
    expect(told).toEqual(['up', 'closed']);
    expect(existsSync(home)).toBe(false);
  });
});
