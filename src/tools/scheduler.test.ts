import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../session/events.ts';
import { call, text, tool, type Body } from './fixtures/probe-tool.ts';
import { ToolRegistry } from './registry.ts';
import { MOST_AT_ONCE, createToolRunner, type SchedulerOptions } from './scheduler.ts';
import { ToolError, type Tool, type ToolOutcome } from './tool.ts';

/** A body that a test holds and releases by the argument `n`. */
class Gate {
  readonly started: number[] = [];
  readonly #ends = new Map<number, (outcome: ToolOutcome) => void>();
  readonly #waiting: { readonly count: number; readonly go: () => void }[] = [];

  readonly body: Body = ({ n }) =>
    new Promise((resolve) => {
      this.started.push(Number(n));
      this.#ends.set(Number(n), resolve);
      for (const { count, go } of this.#waiting) if (this.started.length >= count) go();
    });

  release(n: number): void {
    this.#ends.get(n)?.(text(String(n)));
  }

  /** Resolves once `count` bodies have started. */
  hasStarted(count: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.started.length >= count) resolve();
      else this.#waiting.push({ count, go: resolve });
    });
  }
}

interface Run {
  readonly results: readonly (readonly [index: number, outcome: ToolOutcome])[];
  readonly done: Promise<void>;
  readonly abort: () => void;
  /** Resolves once `count` results are there. */
  readonly hasResults: (count: number) => Promise<void>;
}

function start(tools: readonly Tool[], calls: readonly ToolCall[], options: SchedulerOptions = {}): Run {
  const registry = new ToolRegistry();
  for (const one of tools) registry.add(one);
  const controller = new AbortController();
  const results: (readonly [number, ToolOutcome])[] = [];
  const waiting: { readonly count: number; readonly go: () => void }[] = [];
  const done = createToolRunner(registry, options).run(
    calls,
    { cwd: '/w', env: {}, signal: controller.signal },
    (index, outcome) => {
      results.push([index, outcome]);
      for (const { count, go } of waiting) if (results.length >= count) go();
    },
  );
  return {
    results,
    done,
    abort: () => {
      controller.abort('user');
    },
    hasResults: (count) =>
      new Promise((resolve) => {
        if (results.length >= count) resolve();
        else waiting.push({ count, go: resolve });
      }),
  };
}

const contents = (run: Run) => run.results.map(([index, { content, code }]) => [index, code ?? content]);

describe('the order of calls', () => {
  it('runs exclusive calls one after the other', async () => {
    const gate = new Gate();
    const run = start([tool('x', gate.body)], [call('x', { n: 1 }), call('x', { n: 2 })]);
    await gate.hasStarted(1);
    expect(gate.started).toEqual([1]);
    gate.release(1);
    await gate.hasStarted(2);
    gate.release(2);
    await run.done;
    expect(contents(run)).toEqual([
      [0, '1'],
      [1, '2'],
    ]);
  });

  it('runs adjacent parallel-safe calls side by side; an exclusive one waits for all before it and holds all after it', async () => {
    const gate = new Gate();
    const tools = [tool('p', gate.body, true), tool('x', gate.body)];
    const run = start(tools, [
      call('p', { n: 1 }),
      call('p', { n: 2 }),
      call('x', { n: 3 }),
      call('p', { n: 4 }),
      call('p', { n: 5 }),
    ]);
    await gate.hasStarted(2);
    expect(gate.started).toEqual([1, 2]);
    gate.release(2);
    gate.release(1);
    await gate.hasStarted(3);
    expect(gate.started).toEqual([1, 2, 3]);
    gate.release(3);
    await gate.hasStarted(5);
    gate.release(5);
    gate.release(4);
    await run.done;
    expect(contents(run)).toEqual([
      [0, '1'],
      [1, '2'],
      [2, '3'],
      [3, '4'],
      [4, '5'],
    ]);
  });

  it('tells a result as soon as all before it are told, not only at the end', async () => {
    const gate = new Gate();
    const run = start(
      [tool('p', gate.body, true)],
      [call('p', { n: 1 }), call('p', { n: 2 }), call('p', { n: 3 })],
    );
    await gate.hasStarted(3);
    gate.release(2);
    gate.release(1);
    await run.hasResults(2);
    expect(contents(run)).toEqual([
      [0, '1'],
      [1, '2'],
    ]);
    gate.release(3);
    await run.done;
  });

  it(`runs no more than ${String(MOST_AT_ONCE)} at once`, async () => {
    const gate = new Gate();
    const count = MOST_AT_ONCE + 3;
    const run = start(
      [tool('p', gate.body, true)],
      Array.from({ length: count }, (_, n) => call('p', { n })),
    );
    await gate.hasStarted(MOST_AT_ONCE);
    expect(gate.started).toHaveLength(MOST_AT_ONCE);
    gate.release(4);
    await gate.hasStarted(MOST_AT_ONCE + 1);
    expect(gate.started).toHaveLength(MOST_AT_ONCE + 1);
    for (let n = 0; n < MOST_AT_ONCE + 1; n += 1) gate.release(n);
    await gate.hasStarted(count);
    for (let n = 0; n < count; n += 1) gate.release(n);
    await run.done;
    expect(run.results.map(([index]) => index)).toEqual(Array.from({ length: count }, (_, n) => n));
  });

  it('asks parallelSafe with the arguments of the very call', async () => {
    const gate = new Gate();
    const choosy: Tool = { ...tool('c', gate.body), parallelSafe: ({ n }) => n === 1 };
    const run = start([choosy], [call('c', { n: 1 }), call('c', { n: 2 })]);
    await gate.hasStarted(1);
    expect(gate.started).toEqual([1]);
    gate.release(1);
    await gate.hasStarted(2);
    gate.release(2);
    await run.done;
  });

  it('pairs by place: one id twice in a step gives each call its own result (TURN-12)', async () => {
    const echo = tool('e', ({ n }, { callId }) => Promise.resolve(text(`${callId}:${String(n)}`)), true);
    const run = start([echo], [call('e', { n: 1 }, 'same'), call('e', { n: 2 }, 'same')]);
    await run.done;
    expect(contents(run)).toEqual([
      [0, 'same:1'],
      [1, 'same:2'],
    ]);
  });

  it('has nothing to do for no calls', async () => {
    const run = start([], []);
    await run.done;
    expect(run.results).toEqual([]);
  });
});

describe('a call that cannot run, or fails, is a result', () => {
  it('UNKNOWN_TOOL names the nearest tools', async () => {
    const tools = ['read', 'write', 'bash'].map((name) => tool(name, () => Promise.resolve(text(''))));
    const run = start(tools, [call('Raed')]);
    await run.done;
    expect(run.results).toEqual([
      [
        0,
        {
          content: 'There is no tool named "Raed". The nearest names are "read", "bash", "write".',
          isError: true,
          code: 'UNKNOWN_TOOL',
        },
      ],
    ]);
  });

  it('UNKNOWN_TOOL where there is none at all', async () => {
    const run = start([], [call('x', 'not json')]);
    await run.done;
    expect(run.results[0]?.[1].content).toContain('No tool is available');
  });

  it('INVALID_ARGS, beside calls that run', async () => {
    const run = start(
      [tool('t', ({ n }) => Promise.resolve(text(String(n))))],
      [call('t', { n: 'x' }), call('t', '{"n'), call('t', { n: 3 })],
    );
    await run.done;
    expect(contents(run)).toEqual([
      [0, 'INVALID_ARGS'],
      [1, 'INVALID_ARGS'],
      [2, '3'],
    ]);
  });

  it.each<[string, Body, string, string]>([
    [
      'thrown at once',
      () => {
        throw new Error('bang');
      },
      'TOOL_FAILED',
      'The tool failed: bang',
    ],
    ['rejected', () => Promise.reject(new Error('bang')), 'TOOL_FAILED', 'The tool failed: bang'],
    [
      'no error at all',
      () => Promise.reject('bang' as unknown as Error),
      'TOOL_FAILED',
      'The tool failed: bang',
    ],
    ['a ToolError', () => Promise.reject(new ToolError('MY_CODE', 'Do this.')), 'MY_CODE', 'Do this.'],
    [
      'an answer that is no outcome',
      () => Promise.resolve(undefined as unknown as ToolOutcome),
      'TOOL_FAILED',
      'The tool failed: "t" answered with something that is no result',
    ],
  ])('%s', async (_, body, code, content) => {
    const run = start([tool('t', body)], [call('t')]);
    await run.done;
    expect(run.results).toEqual([[0, { content, isError: true, code }]]);
  });

  it('a parallelSafe that throws, and a schema that is none', async () => {
    const bad: Tool = {
      ...tool('a', () => Promise.resolve(text(''))),
      parallelSafe: () => {
        throw new Error('bang');
      },
    };
    const worse: Tool = { ...tool('b', () => Promise.resolve(text(''))), parameters: { type: 'nonsense' } };
    const run = start([bad, worse], [call('a'), call('b')]);
    await run.done;
    expect(contents(run)).toEqual([
      [0, 'TOOL_FAILED'],
      [1, 'TOOL_FAILED'],
    ]);
  });
});

describe('an abort (CANCEL-4)', () => {
  /** Ends when told to by its signal. */
  const obedient: Body = (_, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        resolve(text('stopped'));
      });
    });

  it('before the start leaves every call undone, unreadable ones too', async () => {
    const gate = new Gate();
    const run = start([tool('x', gate.body)], [call('x', { n: 1 }), call('nosuch')]);
    run.abort();
    await run.done;
    expect(gate.started).toEqual([]);
    expect(contents(run)).toEqual([
      [0, 'ABORTED_BEFORE_DISPATCH'],
      [1, 'ABORTED_BEFORE_DISPATCH'],
    ]);
  });

  it('ends running calls as aborted, keeps finished ones, and starts no other', async () => {
    const gate = new Gate();
    const tools = [tool('g', gate.body, true), tool('o', obedient, true), tool('x', gate.body)];
    const run = start(tools, [call('g', { n: 1 }), call('o'), call('g', { n: 2 }), call('x', { n: 3 })]);
    await gate.hasStarted(2);
    gate.release(1);
    await run.hasResults(1);
    run.abort();
    gate.release(2);
    await run.done;
    expect(contents(run)).toEqual([
      [0, '1'],
      [1, 'ABORTED'],
      [2, 'ABORTED'],
      [3, 'ABORTED_BEFORE_DISPATCH'],
    ]);
    expect(gate.started).toEqual([1, 2]);
  });

  it('between two groups stops the second', async () => {
    const gate = new Gate();
    const registry = new ToolRegistry();
    registry.add(tool('x', () => Promise.resolve(text('first'))));
    registry.add(tool('g', gate.body));
    const controller = new AbortController();
    const codes: string[] = [];
    await createToolRunner(registry).run(
      [call('x'), call('g', { n: 1 })],
      { cwd: '/w', env: {}, signal: controller.signal },
      (_, outcome) => {
        codes.push(outcome.code ?? outcome.content);
        controller.abort('user');
      },
    );
    expect(codes).toEqual(['first', 'ABORTED_BEFORE_DISPATCH']);
  });

  it('keeps the words of a body that says itself that it was aborted', async () => {
    const telling: Body = (_, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          resolve({ content: 'half\n[cancelled]', isError: true, code: 'ABORTED' });
        });
      });
    const gate = new Gate();
    const run = start(
      [tool('t', telling, true), tool('g', gate.body, true)],
      [call('t'), call('g', { n: 1 })],
    );
    await gate.hasStarted(1);
    run.abort();
    gate.release(1);
    await run.done;
    expect(run.results[0]?.[1].content).toBe('half\n[cancelled]');
  });

  it('does not wait for ever for a body that ignores it, and contains what that body throws later', async () => {
    let fail: (error: Error) => void = () => undefined;
    const gate = new Gate();
    const deaf: Body = () => new Promise((_, reject) => (fail = reject));
    const run = start([tool('d', deaf, true), tool('g', gate.body, true)], [call('d'), call('g', { n: 1 })], {
      abortGraceMs: 1,
    });
    await gate.hasStarted(1);
    run.abort();
    await run.done;
    expect(contents(run)).toEqual([
      [0, 'ABORTED'],
      [1, 'ABORTED'],
    ]);
    fail(new Error('late'));
  });

  it('of a call that throws because of it is an abort, not a failure', async () => {
    const throwing: Body = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('AbortError'));
        });
      });
    const gate = new Gate();
    const run = start(
      [tool('t', throwing, true), tool('g', gate.body, true)],
      [call('t'), call('g', { n: 1 })],
    );
    await gate.hasStarted(1);
    run.abort();
    gate.release(1);
    await run.done;
    expect(contents(run)).toEqual([
      [0, 'ABORTED'],
      [1, 'ABORTED'],
    ]);
  });
});
