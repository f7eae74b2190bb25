/** Steps that cannot be carried out, or that wait for what can never come. */
import { suggestion } from '../../document/nearest.ts';
import { EVENT_TYPES } from '../schema/steps.ts';
import type { Scenario, Step, StepKind, WaitFor } from '../scenario.ts';
import type { Check, Note } from './check.ts';

export const lintSteps: Check = (scenario, _around, note) => {
  lintLabels(scenario, note);
  scenario.steps.forEach((step, index) => {
    if (step.do === 'wait') lintWait(scenario, { wait: step.wait, index }, note);
  });
  lintAfterDispose(scenario, note);
  lintPairs(scenario, note);
};

/** Steps that the subject answers. */
const ANSWERED: readonly StepKind[] = ['followup', 'steer', 'inject', 'cancel', 'frame', 'dispose'];

function lintLabels({ steps }: Scenario, note: Note): void {
  const lines = new Map<string, number>();
  steps.forEach((step, index) => {
    if (step.as === null) return;
    const path = `steps.${String(index)}.as`;
    const first = lines.get(step.as);
    if (first !== undefined)
      note(path, `the label "${step.as}" is already used on line ${String(first)}; a label names one step`);
    else lines.set(step.as, step.position.line);
    if (!ANSWERED.includes(step.do))
      note(path, `a step "${step.do}" has no answer, so a label is of no use on it`);
  });
}

interface Waiting {
  readonly wait: WaitFor;
  readonly index: number;
}

function lintWait(scenario: Scenario, { wait, index }: Waiting, note: Note): void {
  const path = `steps.${String(index)}.wait.${wait.for}`;
  switch (wait.for) {
    case 'held':
      return;
    case 'request':
      return lintRequest(scenario, wait, path, note);
    case 'result':
    case 'settled':
      return lintChild(scenario, wait, path, note);
    case 'text':
      return lintText(scenario, wait.text, path, note);
    case 'event':
      if (!EVENT_TYPES.includes(wait.type)) {
        note(path, `there is no event "${wait.type}"${suggestion(wait.type, EVENT_TYPES)}`);
      }
      return;
    case 'answered': {
      const labels = scenario.steps.slice(0, index).flatMap(({ as }) => as ?? []);
      if (labels.includes(wait.label)) return;
      const later = scenario.steps.some(({ as }) => as === wait.label);
      note(
        path,
        later
          ? `the step labelled "${wait.label}" comes only later`
          : `no step is labelled "${wait.label}" (as: ${wait.label})${suggestion(wait.label, labels)}`,
      );
    }
  }
}

function lintRequest(
  { model }: Scenario,
  { conversation, number }: Extract<WaitFor, { for: 'request' }>,
  path: string,
  note: Note,
): void {
  const script = model.conversations.find(({ name }) => name === conversation);
  const names = model.conversations.map(({ name }) => name);
  if (script === undefined)
    note(path, `there is no conversation "${conversation}"${suggestion(conversation, names)}`);
  else if (number > script.replies.length) {
    note(
      path,
      `request ${String(number)} of "${conversation}" can never come: its script has ${String(script.replies.length)} replies, one for each request`,
    );
  }
}

function lintChild(
  { model }: Scenario,
  { conversation }: Extract<WaitFor, { for: 'result' | 'settled' }>,
  path: string,
  note: Note,
): void {
  const children = model.conversations.slice(1).map(({ name }) => name);
  if (children.includes(conversation)) return;
  note(
    path,
    conversation === 'main'
      ? '"main" is nobody\'s child; wait for `idle` instead'
      : `there is no child "${conversation}"${suggestion(conversation, children)}`,
  );
}

function lintText({ model }: Scenario, text: string, path: string, note: Note): void {
  const texts = model.conversations.flatMap(({ replies }) => replies.map((reply) => reply.text));
  const said = [...texts, texts.join('')];
  if (said.some((one) => one.includes(text) || one.includes('{{'))) return;
  note(path, `no reply says "${text}", so it is never shown`);
}

const NEEDS_AGENT: readonly StepKind[] = [
  'followup',
  'steer',
  'inject',
  'cancel',
  'checkpoint',
  'maintenance',
];

function lintAfterDispose({ steps }: Scenario, note: Note): void {
  const disposed = new Map<string | null, number>();
  steps.forEach((step: Step, index) => {
    if (step.do === 'dispose') disposed.set(step.in, step.position.line);
    if (step.do === 'restart' || step.do === 'kill') disposed.clear();
    const line = disposed.get(step.in);
    if (line !== undefined && NEEDS_AGENT.includes(step.do)) {
      note(
        `steps.${String(index)}`,
        `the agent is disposed of on line ${String(line)}; nothing can be sent to it after that`,
      );
    }
  });
}

interface Pair {
  readonly step: 'checkpoint' | 'maintenance';
  readonly open: string;
  readonly close: string;
  /** Steps that make the closing one needless. */
  readonly orBy: readonly StepKind[];
}

const PAIRS: readonly Pair[] = [
  { step: 'checkpoint', open: 'hold', close: 'release', orBy: ['kill'] },
  { step: 'maintenance', open: 'begin', close: 'end', orBy: ['cancel', 'kill', 'restart', 'dispose'] },
];

function lintPairs({ steps }: Scenario, note: Note): void {
  for (const pair of PAIRS) {
    let open: number | null = null;
    steps.forEach((step, index) => {
      if (pair.orBy.includes(step.do)) open = null;
      if (step.do !== pair.step || step.in !== null) return;
      const path = `steps.${String(index)}.${pair.step}`;
      if (step.action === pair.open) {
        if (open !== null)
          note(path, `"${pair.step}: ${pair.open}" is in force already, since step ${String(open + 1)}`);
        open = index;
      } else if (step.action === pair.close) {
        if (open === null)
          note(path, `"${pair.step}: ${pair.close}" needs "${pair.step}: ${pair.open}" before it`);
        open = null;
      }
    });
    if (open !== null) {
      note(
        `steps.${String(open)}.${pair.step}`,
        `"${pair.step}: ${pair.open}" is never followed by "${pair.step}: ${pair.close}", so the agent is never idle again`,
      );
    }
  }
}
