/** Expectations that expect nothing, that nobody can judge, or that the script contradicts. */
import { suggestion } from '../../document/nearest.ts';
import { DRIVERS } from '../../verdict/vocabulary.ts';
import { partsOf } from '../credit.ts';
import { whyNotExpressible } from '../plan.ts';
import { EVENT_TYPES } from '../schema/steps.ts';
import type { Scenario } from '../scenario.ts';
import type { Check, Note } from './check.ts';

export const lintExpectations: Check = (scenario, _around, note) => {
  if (partsOf(scenario).length === 0) {
    note(
      'expect',
      'this scenario expects nothing; say under "expect" what must hold, such as turns: [{prompt: …, end: completed}]',
    );
  }
  if (scenario.expect.refused !== null && scenario.session === null) {
    note('expect.refused', 'there is no log that could be refused; give it under "session"');
  }
  lintDrivers(scenario, note);
  lintLanes(scenario, note);
  lintRequests(scenario, note);
  lintAnswers(scenario, note);
};

function lintDrivers(scenario: Scenario, note: Note): void {
  const reasons = new Map(DRIVERS.map((driver) => [driver, whyNotExpressible(scenario, driver)]));
  if ([...reasons.values()].every((why) => why !== null)) {
    const told = [...reasons].map(([driver, why]) => `${driver}: ${why ?? ''}`).join('; ');
    note('steps', `no driver can express these steps (${told})`);
    return;
  }
  scenario.via?.forEach((driver, index) => {
    const why = reasons.get(driver) ?? null;
    if (why !== null) note(`via.${String(index)}`, `${driver} cannot express this scenario: ${why}`);
  });
  for (const driver of ['cli', 'acp', 'sdk'] as const) {
    const why = reasons.get(driver) ?? null;
    if (scenario.expect[driver] !== null && why !== null) {
      note(
        `expect.${driver}`,
        `this can never be judged, because ${driver} cannot express the scenario: ${why}`,
      );
    }
  }
  scenario.pinsWire.forEach((driver, index) => {
    const why = reasons.get(driver) ?? null;
    const path = `pinsWire.${String(index)}`;
    if (driver === 'inproc') note(path, 'there are no frames in process; pin those of cli, sdk or acp');
    else if (why !== null) note(path, `${driver} cannot express this scenario: ${why}`);
  });
}

function lintLanes({ expect, model, steps }: Scenario, note: Note): void {
  const sessions = [
    ...model.conversations.map(({ name }) => name),
    ...steps.flatMap((step) => step.in ?? []),
  ];
  const known = (name: string): boolean => sessions.includes(name) || /^session-[1-9][0-9]*$/u.test(name);
  expect.turns?.forEach(({ lane }, index) => {
    if (!known(lane))
      note(
        `expect.turns.${String(index)}.lane`,
        `there is no conversation "${lane}"${suggestion(lane, sessions)}`,
      );
  });
  for (const [lane, events] of Object.entries(expect.log ?? {})) {
    const [, session = lane, part] = /^(.*?)(?:\.(inbox|loop))?$/u.exec(lane) ?? [];
    if (!known(session)) {
      const lanes = sessions.flatMap((name) => [name, `${name}.inbox`, `${name}.loop`]);
      note(
        `expect.log.${lane}`,
        `there is no lane "${lane}"${part === undefined ? ` (a lane is a conversation, or its part .inbox or .loop)` : ''}${suggestion(lane, lanes)}`,
      );
    }
    events.forEach(({ type, position }, index) => {
      if (EVENT_TYPES.includes(type)) return;
      note(
        { path: `expect.log.${lane}.${String(index)}`, position },
        `there is no event "${type}"${suggestion(type, EVENT_TYPES)}`,
      );
    });
  }
}

/** Every reply is used exactly once, so the script says how many requests there are. */
function lintRequests({ expect, model }: Scenario, note: Note): void {
  const counts = new Map(model.conversations.map(({ name, replies }) => [name, replies.length]));
  const unseen = model.conversations.some(({ replies }) =>
    replies.some(({ fail }) => fail !== null && fail.kind !== 'status' && fail.at === 'connect'),
  );
  if (expect.requests === null) return;
  if (typeof expect.requests === 'number') {
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
    if (!unseen && expect.requests !== all) note('expect.requests', contradiction(expect.requests, all));
    return;
  }
  for (const [name, expected] of Object.entries(expect.requests)) {
    const count = counts.get(name);
    const path = `expect.requests.${name}`;
    if (count === undefined)
      note(path, `there is no conversation "${name}"${suggestion(name, counts.keys())}`);
    else if (!unseen && count !== expected) note(path, contradiction(expected, count));
  }
}

function contradiction(expected: number, replies: number): string {
  return `${String(expected)} ${expected === 1 ? 'request is' : 'requests are'} expected, but the script has ${String(replies)} ${replies === 1 ? 'reply' : 'replies'}, and each is used exactly once`;
}

function lintAnswers({ expect, steps }: Scenario, note: Note): void {
  const labels = steps.flatMap(({ as }) => as ?? []);
  for (const driver of ['acp', 'sdk'] as const) {
    for (const label of Object.keys(expect[driver]?.answers ?? {})) {
      if (!labels.includes(label)) {
        note(
          `expect.${driver}.answers.${label}`,
          `no step is labelled "${label}" (as: ${label})${suggestion(label, labels)}`,
        );
      }
    }
  }
}
