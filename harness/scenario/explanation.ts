/** What `turnpin explain` has to say about a scenario, as data; printing it is the command's business. Pure. */
import type { Capability } from '../verdict/capability.ts';
import { DRIVERS } from '../verdict/vocabulary.ts';
import { creditsOf, judgedParts, type JudgedPart } from './credit.ts';
import { planDriver, type DriverPlan } from './plan.ts';
import type { Reply, Scenario } from './scenario.ts';
import type { Requirement, Suite } from './suite.ts';

export interface ExplainedReply {
  readonly key: string;
  readonly line: number;
  /** `says "Answer to alpha-1."`, `calls bash`, `fails with status 429`, in the order in which it happens. */
  readonly does: readonly string[];
  /** What its request must look like. */
  readonly expects: readonly string[];
}

export interface ExplainedScript {
  readonly name: string;
  /** `main` is 0; children count from 1. Null for an aside. */
  readonly child: number | null;
  /** How a request is known to belong here. */
  readonly recognised: string;
  readonly replies: readonly ExplainedReply[];
}

export interface ExplainedDriver extends DriverPlan {
  /** Parts of the scenario that are judged there. */
  readonly judges: readonly JudgedPart[];
  readonly credits: readonly string[];
}

export interface Explanation {
  readonly id: string;
  readonly file: string;
  readonly title: string;
  /** The category, then those that it extends. */
  readonly categories: readonly string[];
  readonly rules: readonly Pick<Requirement, 'id' | 'level' | 'needs' | 'rule'>[];
  readonly scripts: readonly ExplainedScript[];
  readonly drivers: readonly ExplainedDriver[];
}

/** `capabilities`: what the subject claims, its ways in among them. */
export function explain(
  scenario: Scenario,
  suite: Pick<Suite, 'categories' | 'requirements'>,
  capabilities: ReadonlySet<Capability>,
): Explanation {
  const { conversations, asides } = scenario.model;
  return {
    id: scenario.id,
    file: scenario.file,
    title: scenario.title,
    categories: categoriesOf(scenario, suite),
    rules: suite.requirements
      .filter(({ id }) => scenario.covers.includes(id))
      .map(({ id, level, needs, rule }) => ({ id, level, needs, rule })),
    scripts: [
      ...conversations.map(({ name, opens, replies }, child) => ({
        name,
        child,
        recognised:
          opens === null
            ? 'every request that belongs to no other script'
            : `a user message contains ${quoted(opens)}`,
        replies: replies.map(explainReply),
      })),
      ...asides.map(({ name, when, replies }) => ({
        name,
        child: null,
        recognised: Object.entries(when)
          .filter(([, value]) => value !== null)
          .map(([key, value]) => `${key} ${JSON.stringify(value)}`)
          .join(', '),
        replies: replies.map(explainReply),
      })),
    ],
    drivers: DRIVERS.map((driver) => {
      const plan = planDriver(scenario, { driver, capabilities });
      const runs = plan.outcome === 'run';
      const way = { driver, capabilities };
      return {
        ...plan,
        judges: runs ? judgedParts(scenario, way) : [],
        credits: runs ? creditsOf(scenario, suite.requirements, way) : [],
      };
    }),
  };
}

function categoriesOf({ category }: Scenario, { categories }: Pick<Suite, 'categories'>): string[] {
  const line: string[] = [];
  for (
    let at: string | null = category;
    at !== null && !line.includes(at);
    at = categories.get(at)?.extends ?? null
  ) {
    line.push(at);
  }
  return line;
}

function explainReply(reply: Reply): ExplainedReply {
  const { hold, fail } = reply;
  const does = [
    ...(hold === null ? [] : [holdText(hold)]),
    ...(reply.reasoning === null ? [] : [`thinks ${quoted(reply.reasoning)}`]),
    ...(reply.text === '' ? [] : [`says ${quoted(reply.text)}`]),
    ...reply.tools.map(({ name }) => `calls ${name}`),
    ...(fail === null
      ? []
      : [fail.kind === 'status' ? `fails with status ${String(fail.status)}` : `fails: ${fail.kind}`]),
    ...(reply.finish === 'length' || reply.finish === 'content_filter'
      ? [`finishes with ${reply.finish}`]
      : []),
    ...(reply.ends === null ? [] : ['is cancelled by the subject']),
  ];
  const expects = [
    ...(reply.adds === null
      ? []
      : [
          `new: ${reply.adds.map((one) => quoted('tool' in one ? one.tool : one.user)).join(', ') || 'nothing'}`,
        ]),
    ...reply.sees.map(
      ({ where, text }) => `${where === 'system' ? 'system prompt has' : 'has'} ${quoted(text)}`,
    ),
    ...reply.lacks.map(
      ({ where, text }) => `${where === 'system' ? 'system prompt lacks' : 'lacks'} ${quoted(text)}`,
    ),
    ...(reply.offers.length > 0 ? [`offers ${reply.offers.join(', ')}`] : []),
    ...(reply.withholds.length > 0 ? [`withholds ${reply.withholds.join(', ')}`] : []),
  ];
  return {
    key: reply.key,
    line: reply.position.line,
    does: does.length > 0 ? does : ['says nothing'],
    expects,
  };
}

function holdText({ name, after, before }: NonNullable<Reply['hold']>): string {
  const where =
    after !== null
      ? ` after ${quoted(after)}`
      : before === 'headers'
        ? ' before the headers'
        : before !== null
          ? ` before ${quoted(before)}`
          : '';
  return `stops${where} until "${name}" is released`;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
}
