/** Where an expectation can be judged, and which rules a run may be credited with (scenarios.md, "Drivers"). Pure. */
import type { Requirement } from '../requirements/requirement.ts';
import { REACH } from '../verdict/capability.ts';
import type { Level } from '../verdict/report.ts';
import { wantsPlainOutput, type WayIn } from './plan.ts';
import type { Reply, Scenario } from './scenario.ts';

/** Parts of a scenario that say what must hold. `sights`: what replies say about their requests. */
export const JUDGED_PARTS = [
  'sights',
  'refused',
  'turns',
  'requests',
  'log',
  'files',
  'cli',
  'acp',
  'sdk',
  'status',
  'wire',
] as const;
export type JudgedPart = (typeof JUDGED_PARTS)[number];

/** The parts that this scenario has. None: it expects nothing. */
export function partsOf({ expect, model, pinsWire }: Scenario): JudgedPart[] {
  const scripts = [...model.conversations, ...model.asides];
  const has: Readonly<Record<JudgedPart, boolean>> = {
    sights: scripts.some(({ replies }) => replies.some(hasSight)),
    refused: expect.refused !== null,
    turns: expect.turns !== null,
    requests: expect.requests !== null,
    log: expect.log !== null,
    files: expect.files !== null && Object.keys(expect.files).length > 0,
    cli: expect.cli !== null,
    acp: expect.acp !== null,
    sdk: expect.sdk !== null,
    status: expect.status !== null,
    wire: pinsWire.length > 0,
  };
  return JUDGED_PARTS.filter((part) => has[part]);
}

function hasSight(reply: Reply): boolean {
  return (
    reply.sees.length + reply.lacks.length + reply.offers.length + reply.withholds.length > 0 ||
    reply.adds !== null ||
    reply.ends !== null
  );
}

/** The parts that can be judged when the scenario runs this way. */
export function judgedParts(scenario: Scenario, way: WayIn): JudgedPart[] {
  return partsOf(scenario).filter((part) => canJudge(part, scenario, way));
}

function canJudge(part: JudgedPart, scenario: Scenario, { driver, capabilities }: WayIn): boolean {
  switch (part) {
    case 'sights':
    case 'requests':
    case 'files':
    case 'refused':
      return true;
    case 'turns':
    case 'log':
      return capabilities.has('events') || capabilities.has('session-file');
    case 'cli':
    case 'acp':
    case 'sdk':
      return part === driver;
    case 'status':
      return capabilities.has('status') && !(driver === 'cli' && wantsPlainOutput(scenario));
    case 'wire':
      return scenario.pinsWire.includes(driver);
  }
}

/**
 * The rules in `covers` that a run this way may be credited with: something was judged, their `needs` are claimed,
 * and this driver has to do with each of them.
 */
export function creditsOf(scenario: Scenario, requirements: readonly Requirement[], way: WayIn): string[] {
  if (judgedParts(scenario, way).length === 0) return [];
  return requirements
    .filter(
      ({ id, needs }) =>
        scenario.covers.includes(id) &&
        needs.every((word) => way.capabilities.has(word) && REACH[word][way.driver] !== 'no'),
    )
    .map(({ id }) => id);
}

const WEIGHT: Readonly<Record<Level, number>> = { MUST: 2, SHOULD: 1, MAY: 0 };

/** What a failing expectation of this scenario weighs: the highest level in `covers`. MUST where no rule is known. */
export function weightOf(scenario: Scenario, requirements: readonly Requirement[]): Level {
  const levels = requirements.filter(({ id }) => scenario.covers.includes(id)).map(({ level }) => level);
  const [first, ...rest] = levels;
  return first === undefined ? 'MUST' : rest.reduce((a, b) => (WEIGHT[b] > WEIGHT[a] ? b : a), first);
}
