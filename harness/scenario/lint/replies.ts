/** Replies that contradict themselves, texts too short to tell anything, and replies that can never be used. */
import type { JsonValue, Position } from '../../document/position.ts';
import type { Conversation, Reply, Scenario } from '../scenario.ts';
import type { Check, Note } from './scenario.ts';
import { stringsIn } from './strings.ts';

/** Shorter texts turn up by accident. */
const SHORTEST_SIGHT = 6;

export const lintReplies: Check = (scenario, around, note) => {
  for (const script of [...scenario.model.conversations, ...scenario.model.asides]) {
    script.replies.forEach((reply, index) => {
      const at = placeIn(scenario, { reply, script: script.name, index });
      lintSights(reply, at, note);
      lintHoldText(reply, at, note);
      lintPieces(reply, at, note);
    });
  }
  lintOpens(scenario, note);
  lintDead(scenario, around.categories.get(scenario.category)?.agent ?? {}, note);
};

type At = (part: string) => { readonly path: string; readonly position: Position };

/** A script is a list, or a map with `replies`; an aside lies one level deeper. The position of the reply tells which. */
function placeIn(
  scenario: Scenario,
  { reply, script, index }: { reply: Reply; script: string; index: number },
): At {
  const roots = [`model.${script}`, `model.${script}.replies`, `model.asides.${script}.replies`];
  const same = ({ line, column }: Position): boolean =>
    line === reply.position.line && column === reply.position.column;
  const root = roots.find((one) => same(scenario.positionOf(`${one}.${String(index)}`))) ?? roots[0] ?? '';
  return (part) => ({
    path: reply.key,
    position: part === '' ? reply.position : scenario.positionOf(`${root}.${String(index)}.${part}`),
  });
}

function lintSights(reply: Reply, at: At, note: Note): void {
  reply.sees.forEach(({ text, where }, index) => {
    if (text.trim().length < SHORTEST_SIGHT) {
      note(
        at(`sees.${String(index)}`),
        `"${text}" is too short to prove anything; a text in "sees" has at least six characters`,
      );
    }
    if (reply.lacks.some((other) => other.where === where && text.includes(other.text))) {
      note(at(`sees.${String(index)}`), `the request cannot contain "${text}" and lack it too`);
    }
  });
  reply.lacks.forEach(({ text }, index) => {
    if (text === '') note(at(`lacks.${String(index)}`), 'every request contains the empty text');
  });
  reply.offers.forEach((tool, index) => {
    if (reply.withholds.includes(tool))
      note(at(`offers.${String(index)}`), `"${tool}" cannot be offered and withheld`);
  });
}

function lintHoldText({ hold, text, reasoning, tools }: Reply, at: At, note: Note): void {
  const stop = hold?.after ?? hold?.before ?? null;
  if (hold === null || stop === null || (hold.before === 'headers' && hold.after === null)) return;
  const key = hold.after !== null ? 'after' : 'before';
  const said = [
    text,
    reasoning ?? '',
    ...tools.flatMap((call) => [call.name, JSON.stringify(call.arguments), ...stringsIn(call.arguments)]),
  ];
  if (said.some((one) => one.includes(stop))) return;
  note(at(`hold.${key}`), `this reply never says "${stop}", so it cannot stop ${key} it`);
}

function lintPieces({ pieces, fail, text }: Reply, at: At, note: Note): void {
  if (typeof pieces !== 'object' || pieces === null) return;
  if (text !== '' && pieces.join('') !== text)
    note(at('pieces'), 'the pieces, joined, are not the text of this reply');
  if (fail === null || fail.kind === 'status' || typeof fail.at !== 'object') return;
  if (fail.at.piece > pieces.length) {
    note(
      at('fail.at'),
      `there is no piece ${String(fail.at.piece)}; this reply has ${String(pieces.length)}`,
    );
  }
}

/** A request is recognised by `opens`; a text that two conversations share recognises neither (scenarios.md). */
function lintOpens(scenario: Scenario, note: Note): void {
  const { conversations } = scenario.model;
  const prompts = openingPrompts(scenario);
  const calls = conversations.flatMap(({ replies }) =>
    replies.flatMap(({ tools }) => tools.flatMap((call) => stringsIn(call.arguments))),
  );
  for (const { name, opens } of conversations) {
    if (opens === null) continue;
    const path = `model.${name}.opens`;
    if (opens.trim().length < SHORTEST_SIGHT) {
      note(
        path,
        `"${opens}" is too short to recognise a conversation by; "opens" has at least six characters`,
      );
      continue;
    }
    const twin = conversations.find((other) => other.name !== name && other.opens?.includes(opens) === true);
    if (twin !== undefined)
      note(path, `"${opens}" also occurs in what opens "${twin.name}"; make the two tell each other apart`);
    const prompt = prompts.find((text) => text.includes(opens));
    if (prompt !== undefined && isChild(conversations, name, calls)) {
      note(path, `"${opens}" also occurs in the prompt that opens another conversation: "${prompt}"`);
    }
    for (const text of calls) {
      const rival = conversations.find(
        (other) =>
          other.name !== name &&
          other.opens !== null &&
          text.includes(other.opens) &&
          !(other.opens.includes(opens) || opens.includes(other.opens)),
      );
      if (text.includes(opens) && rival !== undefined) {
        note(path, `one call opens both "${name}" and "${rival.name}": "${text}"`);
        break;
      }
    }
  }
}

/** Opened by a call; a second session is opened by a prompt of its own. */
function isChild(conversations: readonly Conversation[], name: string, calls: readonly string[]): boolean {
  const opens = conversations.find((one) => one.name === name)?.opens ?? '';
  return calls.some((text) => text.includes(opens));
}

function openingPrompts({ steps }: Scenario): string[] {
  const seen = new Set<string | null>();
  return steps.flatMap((step) => {
    if (step.do !== 'followup' || seen.has(step.in)) return [];
    seen.add(step.in);
    return [step.text];
  });
}

/**
 * What can be known without running anything: a conversation that nothing opens; and in a scenario without children,
 * goals and raw frames more final answers than there are messages to answer.
 */
function lintDead(scenario: Scenario, inherited: { readonly [key: string]: JsonValue }, note: Note): void {
  const { steps, model, agent, workspace } = scenario;
  const said = stringsIn([
    ...model.conversations.flatMap(({ replies }) =>
      replies.flatMap(({ text, tools }) => [text, ...tools.map((call) => call.arguments)]),
    ),
    ...steps.flatMap((step) => ('text' in step ? [step.text] : step.do === 'frame' ? [step.frame] : [])),
    agent,
    inherited,
    workspace,
  ]);
  for (const { name, opens } of model.conversations) {
    if (
      opens === null ||
      said.some((text) => text.includes(opens) || text.includes(JSON.stringify(opens).slice(1, -1)))
    )
      continue;
    note(
      `model.${name}.opens`,
      `nothing in this scenario says "${opens}", so nothing opens "${name}" and its replies are never used`,
    );
  }
  if (model.conversations.length > 1 || 'goal' in agent || 'goal' in inherited) return;
  if (steps.some((step) => step.do === 'frame')) return;
  const messages = steps.filter((step) => step.do === 'followup' || step.do === 'steer').length;
  const answers = (model.conversations[0]?.replies ?? []).filter(isFinal);
  const [dead] = answers.slice(messages);
  if (dead === undefined) return;
  note(
    { path: dead.key, position: dead.position },
    `this reply can never be used: ${messages === 0 ? 'no step sends a message' : `the ${String(answers.indexOf(dead))} final ${messages === 1 ? 'answer' : 'answers'} before it use up the ${String(messages)} ${messages === 1 ? 'message' : 'messages'} that the steps send`}`,
  );
}

/** After such an answer a turn goes on only if steering came. */
function isFinal({ tools, fail }: Reply): boolean {
  return tools.length === 0 && fail === null;
}
