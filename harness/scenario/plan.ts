/** Which drivers can express a scenario, and what its steps ask of a subject (scenarios.md, "Drivers"). Pure. */
import { DRIVER_WORD, REACH, type Capability } from '../verdict/capability.ts';
import { DRIVERS, type Driver } from '../verdict/vocabulary.ts';
import type { Scenario, Step, StepKind, WaitFor } from './scenario.ts';

/**
 * `not-expressible`: no result at all; this way in has no words for the steps, or `via` leaves it out.
 * `unsupported`: a result with the missing capability as its reason.
 */
export interface DriverPlan {
  readonly driver: Driver;
  readonly outcome: 'run' | 'unsupported' | 'not-expressible';
  /** Null for `run`. */
  readonly reason: string | null;
}

/** A way into a subject, with what the subject claims to be able to do. */
export interface WayIn {
  readonly driver: Driver;
  readonly capabilities: ReadonlySet<Capability>;
}

/** A plan for every driver that the capabilities claim, in the order of the drivers. */
export function planDrivers(scenario: Scenario, capabilities: ReadonlySet<Capability>): DriverPlan[] {
  return DRIVERS.filter((driver) => capabilities.has(DRIVER_WORD[driver])).map((driver) =>
    planDriver(scenario, { driver, capabilities }),
  );
}

export function planDriver(scenario: Scenario, { driver, capabilities }: WayIn): DriverPlan {
  const inexpressible = whyNotExpressible(scenario, driver);
  if (inexpressible !== null) return { driver, outcome: 'not-expressible', reason: inexpressible };
  const missing = impliedCapabilities(scenario).filter((word) => !capabilities.has(word));
  if (missing.length === 0) return { driver, outcome: 'run', reason: null };
  return { driver, outcome: 'unsupported', reason: `needs ${missing.join(', ')}` };
}

/** True where the command must leave out `--json`, because its plain output is judged. */
export function wantsPlainOutput(scenario: Scenario): boolean {
  return scenario.expect.cli?.stdout !== null && scenario.expect.cli !== null;
}

const STEP_WORD: Readonly<Partial<Record<StepKind, Capability>>> = {
  followup: 'followup',
  steer: 'steer',
  inject: 'inject',
  cancel: 'cancel',
  checkpoint: 'checkpoint-faults',
  maintenance: 'maintenance',
  dispose: 'dispose',
};

/** Keys of an agent overlay that give the agent something to do beyond answering. */
const OVERLAY_WORD: Readonly<Record<string, Capability>> = {
  hooks: 'admission',
  title: 'maintenance',
  goal: 'goal',
};

/** What a subject must be able to do so that the scenario can run at all, in the order of the vocabulary. */
export function impliedCapabilities(scenario: Scenario): Capability[] {
  const words = new Set<Capability>();
  for (const step of scenario.steps) {
    const word = STEP_WORD[step.do];
    if (word !== undefined) words.add(word);
    if (step.do === 'restart' || step.do === 'kill') words.add('session-file');
    if (step.do === 'wait' && step.wait.for === 'event') words.add('events');
    if (step.do === 'wait' && step.wait.for === 'settled') words.add('subagent-continuable');
  }
  if (scenario.session !== null) words.add('session-file');
  const { conversations } = scenario.model;
  if (conversations.some(({ replies }) => replies.some(({ tools }) => tools.length > 0))) words.add('tools');
  // A session named by `in:` leads a conversation too; what goes beyond them are children.
  const sessions = new Set(scenario.steps.flatMap((step) => step.in ?? []));
  if (conversations.length > 1 + sessions.size) words.add('subagent');
  for (const key of Object.keys(scenario.agent)) {
    const word = OVERLAY_WORD[key];
    if (word !== undefined && scenario.agent[key] !== false) words.add(word);
  }
  return (Object.keys(REACH) as Capability[]).filter((word) => words.has(word));
}

/** Why this way in has no words for the scenario, naming the step; null where it has. */
export function whyNotExpressible(scenario: Scenario, driver: Driver): string | null {
  if (scenario.via !== null && !scenario.via.includes(driver))
    return `via names only ${scenario.via.join(', ')}`;
  const rule = RULES[driver];
  for (const [index, step] of scenario.steps.entries()) {
    const why = whyNotByWord(step, driver) ?? rule(step, { scenario, index });
    if (why !== null) return `step ${String(index + 1)} (${step.do}): ${why}`;
  }
  return null;
}

function whyNotByWord(step: Step, driver: Driver): string | null {
  const word = STEP_WORD[step.do];
  if (word === undefined || REACH[word][driver] === 'expresses') return null;
  return `${driver} has no way to cause it`;
}

interface Place {
  readonly scenario: Scenario;
  readonly index: number;
}

type Rule = (step: Step, place: Place) => string | null;

const RULES: Readonly<Record<Driver, Rule>> = {
  inproc: (step) => {
    if (step.do === 'kill') return 'only a process can be killed';
    if (step.do === 'frame') return 'there are no frames in process';
    return isAnswer(step) ? 'there are no answers in process' : null;
  },
  cli: (step, place) => {
    if (step.in !== null) return 'the command has one session';
    if (step.do === 'frame') return 'the command has no frames';
    if (isAnswer(step)) return 'the command gives no answers to single lines';
    if (step.do === 'followup') return promptOnOneLine(step.text);
    if (step.do === 'cancel' && inputFollows(place))
      return 'SIGINT ends the command, so that no input can follow';
    return wantsPlainOutput(place.scenario) ? unseenInPlainOutput(step, place) : null;
  },
  sdk: (step, place) => (place.scenario.via?.includes('sdk') === true ? null : beyondPrompts(step, place)),
  acp: (step, place) => (step.do === 'followup' && overlaps(step, place) ? ONE_PROMPT : null),
};

/** A session of the low-level protocol is made, or resumed, by a prompt, and `shutdown` ends all of them. */
function beyondPrompts(step: Step, place: Place): string | null {
  switch (step.do) {
    case 'steer':
    case 'inject':
    case 'cancel':
      return promptBetween(step.in, beforeHere(place)) ? null : 'a session is opened by its first prompt';
    case 'restart':
    case 'kill':
      return openedBefore(place).every((session) => promptBetween(session, afterHere(place)))
        ? null
        : 'a session is resumed by its next prompt, and none follows';
    case 'dispose':
      return place.scenario.steps.some((other) => other.in !== null) ? 'shutdown ends every session' : null;
    default:
      return null;
  }
}

/** The steps since the process was started last. */
function beforeHere({ scenario, index }: Place): readonly Step[] {
  const before = scenario.steps.slice(0, index);
  return before.slice(before.findLastIndex(({ do: verb }) => ENDS_PROCESS.includes(verb)) + 1);
}

/** The steps until the process is ended next. */
function afterHere({ scenario, index }: Place): readonly Step[] {
  const after = scenario.steps.slice(index + 1);
  const end = after.findIndex(({ do: verb }) => ENDS_PROCESS.includes(verb));
  return end < 0 ? after : after.slice(0, end);
}

function openedBefore({ scenario, index }: Place): readonly (string | null)[] {
  const prompts = scenario.steps.slice(0, index).filter(({ do: verb }) => verb === 'followup');
  return [...new Set(prompts.map((prompt) => prompt.in))];
}

function promptBetween(session: string | null, steps: readonly Step[]): boolean {
  return steps.some((step) => step.do === 'followup' && step.in === session);
}

const ONE_PROMPT = 'ACP has one prompt at a time; put `wait: {answered}` or `idle` between the two';

function isAnswer(step: Step): boolean {
  return step.do === 'wait' && step.wait.for === 'answered';
}

function promptOnOneLine(text: string): string | null {
  if (/[\r\n]/u.test(text)) return 'a prompt of several lines cannot be written as one line';
  return text.trim() === '' ? 'a blank line is no prompt' : null;
}

const ENDS_PROCESS: readonly StepKind[] = ['restart', 'kill'];

/** Until the process is started anew. */
function inputFollows({ scenario, index }: Place): boolean {
  for (const step of scenario.steps.slice(index + 1)) {
    if (ENDS_PROCESS.includes(step.do)) return false;
    if (step.do === 'followup') return true;
  }
  return false;
}

const SHOWN_BY_EVENTS: readonly WaitFor['for'][] = ['text', 'event', 'settled'];

function unseenInPlainOutput(step: Step, { scenario, index }: Place): string | null {
  const why = 'expect.cli.stdout makes the driver leave out --json, which would show it';
  if (step.do === 'wait' && SHOWN_BY_EVENTS.includes(step.wait.for)) return why;
  return step.do === 'idle' && index < scenario.steps.length - 1 ? why : null;
}

/** An earlier prompt of the same session may still be in flight. Where `via` names acp, that is what is tested. */
function overlaps(step: Step, { scenario, index }: Place): boolean {
  if (scenario.via?.includes('acp') === true) return false;
  let inFlight = false;
  let label: string | null = null;
  for (const earlier of scenario.steps.slice(0, index)) {
    if (earlier.do === 'followup' && earlier.in === step.in) {
      inFlight = true;
      label = earlier.as;
    } else if (
      settles(earlier, label) &&
      (earlier.do === 'wait' || earlier.in === null || earlier.in === step.in)
    ) {
      inFlight = false;
    }
  }
  return inFlight;
}

function settles(step: Step, label: string | null): boolean {
  if (step.do === 'wait') return step.wait.for === 'answered' && step.wait.label === label;
  return step.do === 'idle' || step.do === 'restart' || step.do === 'kill';
}
