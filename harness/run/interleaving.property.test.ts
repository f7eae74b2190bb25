/** Concurrent children of a real agent: whatever the order of their requests, the script keeps them apart. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { judgeRun } from '../judge/judge.ts';
import { observe } from '../observe/observe.ts';
import { inprocSubject } from '../subject/inproc.ts';
import { scenarioOf } from './fixtures/scenario.ts';
import { runScenario } from './scenario-run.ts';

/** How many reports each child makes before it ends, and in which order the children come to be answered. */
interface Plan {
  readonly reports: readonly number[];
  /** A child's number for each of its replies. */
  readonly order: readonly number[];
}

const plans: fc.Arbitrary<Plan> = fc
  .array(fc.nat({ max: 2 }), { minLength: 2, maxLength: 4 })
  .chain((reports) => {
    const replies = reports.flatMap((count, child) => Array.from({ length: count + 1 }, () => child));
    return fc.shuffledSubarray(replies, { minLength: replies.length }).map((order) => ({ reports, order }));
  });

const task = (child: number): string => `Carry out task ${'ABCD'[child] ?? ''} now.`;
const hold = (child: number, reply: number): string => `child-${child}-${reply}`;
/** Equal whoever says it: texts tell the children apart no more than they must. */
const word = (reply: number): string => `Part ${reply} is done.`;

/**
 * The main agent starts all children in one step and is then held, so that what they send waits for it. Each reply of a
 * child is held until its turn in the order has come; the next one is let go only when this one has had its effect.
 */
function bodyOf({ reports, order }: Plan): string {
  const done = reports.map(() => 0);
  const steps: object[] = [{ followup: 'Begin with everything.' }, { wait: { held: 'main' } }];
  const adds: object[] = [];
  for (const child of order) {
    const reply = (done[child] ?? 0) + 1;
    done[child] = reply;
    const last = reply > (reports[child] ?? 0);
    const next = last ? { settled: `c${child}` } : { held: hold(child, reply + 1) };
    steps.push({ wait: { held: hold(child, reply) } }, { release: hold(child, reply) }, { wait: next });
    adds.push({ user: word(reply), source: last ? 'subagent-settled' : 'subagent-report' });
  }
  steps.push({ release: 'main' });
  const children = reports.map((count, child) => [
    `c${child}`,
    {
      opens: task(child),
      replies: Array.from({ length: count + 1 }, (_, index) => ({
        ...(index < count
          ? { tools: [{ name: 'report', arguments: { text: word(index + 1) } }] }
          : { text: word(index + 1) }),
        hold: { name: hold(child, index + 1), before: 'headers' },
        ...(index === 0 ? { adds: [task(child)] } : { adds: [{ tool: 'Delivered' }] }),
      })),
    },
  ]);
  const calls = reports.map((_, child) => ({
    name: 'subagent',
    arguments: { description: `task ${child}`, prompt: task(child) },
  }));
  const parts = {
    agent: { subagents: true },
    model: {
      main: [
        { tools: calls },
        { text: 'They are at work.', hold: { name: 'main', before: 'headers' } },
        { text: 'All is done.', adds },
      ],
      ...Object.fromEntries(children),
    },
    steps,
    expect: { requests: { main: 3, ...Object.fromEntries(reports.map((n, child) => [`c${child}`, n + 1])) } },
  };
  // JSON is YAML; the file's own keys stand on lines of their own.
  return Object.entries(parts)
    .map(([key, part]) => `${key}: ${JSON.stringify(part)}`)
    .join('\n');
}

it('requests of children in any order draw their own replies, and reach the parent in that order (CHILD-2, REPORT-6)', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const kind = inprocSubject();
      const scenario = scenarioOf(bodyOf(plan));
      const recording = await runScenario(scenario, kind, { category: null });
      const facts = { requirements: [], capabilities: kind.capabilities };
      const { problems } = judgeRun(recording, observe(recording, { varying: [] }), facts);
      expect(problems.map(({ kind: word, key, message }) => `${word} ${key}: ${message}`)).toEqual([]);
    }),
    { numRuns: 25, endOnFailure: true },
  );
}, 300_000);
