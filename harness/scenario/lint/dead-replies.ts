/** Replies of which it is known, without running anything, that they are never used. */
import type { JsonValue } from '../../document/position.ts';
import type { Reply, Scenario } from '../scenario.ts';
import type { Check, Note } from './check.ts';
import { stringsIn } from './strings.ts';

type Overlay = { readonly [key: string]: JsonValue };

export const lintDeadReplies: Check = (scenario, around, note) => {
  const inherited = around.categories.get(scenario.category)?.agent ?? {};
  lintUnopened(scenario, inherited, note);
  if (countsMessages(scenario, inherited)) lintTooMany(scenario, note);
};

/** What opens a conversation must be said somewhere: in a prompt, a call, a hook, a file or a frame. */
function lintUnopened({ model, steps, agent, workspace }: Scenario, inherited: Overlay, note: Note): void {
  const replies = model.conversations.flatMap((conversation) => conversation.replies);
  const said = stringsIn([
    ...replies.flatMap(({ text, tools }) => [text, ...tools.map((call) => call.arguments)]),
    ...steps.flatMap((step) => ('text' in step ? [step.text] : step.do === 'frame' ? [step.frame] : [])),
    agent,
    inherited,
    workspace,
  ]);
  for (const { name, opens } of model.conversations) {
    if (opens === null) continue;
    const escaped = JSON.stringify(opens).slice(1, -1);
    if (said.some((text) => text.includes(opens) || text.includes(escaped))) continue;
    note(
      `model.${name}.opens`,
      `nothing in this scenario says "${opens}", so nothing opens "${name}" and its replies are never used`,
    );
  }
}

/** Children, goals and raw frames bring messages that no step shows. */
function countsMessages({ model, agent, steps }: Scenario, inherited: Overlay): boolean {
  if (model.conversations.length > 1 || 'goal' in agent || 'goal' in inherited) return false;
  return steps.every((step) => step.do !== 'frame');
}

/** A final answer uses up a message: after it the agent asks again only when another one has come. */
function lintTooMany({ model, steps }: Scenario, note: Note): void {
  const messages = steps.filter((step) => step.do === 'followup' || step.do === 'steer').length;
  const answers = (model.conversations[0]?.replies ?? []).filter(isFinal);
  const dead = answers[messages];
  if (dead === undefined) return;
  const why =
    messages === 0
      ? 'no step sends a message'
      : messages === 1
        ? 'the final answer before it uses up the one message that the steps send'
        : `the ${String(messages)} final answers before it use up the ${String(messages)} messages that the steps send`;
  note({ path: dead.key, position: dead.position }, `this reply can never be used: ${why}`);
}

function isFinal({ tools, fail }: Reply): boolean {
  return tools.length === 0 && fail === null;
}
