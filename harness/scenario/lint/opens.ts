/** A request is recognised by `opens`; a text that two conversations share recognises neither (scenarios.md). */
import type { Conversation, Scenario } from '../scenario.ts';
import { SHORTEST_SIGHT } from './replies.ts';
import type { Check } from './check.ts';
import { stringsIn } from './strings.ts';

/** A conversation that is told from others by a text. */
type Opened = Conversation & { readonly opens: string };

/** What can open conversations: prompts of the steps, one a session, and texts in the arguments of calls. */
interface Openers {
  readonly prompts: readonly string[];
  readonly calls: readonly string[];
}

export const lintOpens: Check = (scenario, _around, note) => {
  const opened = scenario.model.conversations.filter(
    (one): one is Opened => one.opens !== null && one.opens !== '',
  );
  const openers: Openers = { prompts: openingPrompts(scenario), calls: callTexts(scenario) };
  for (const conversation of opened) {
    const others = opened.filter((one) => one !== conversation);
    const why = whyAmbiguous(conversation, others, openers);
    if (why !== null) note(`model.${conversation.name}.opens`, why);
  }
};

function whyAmbiguous(
  { opens }: Opened,
  others: readonly Opened[],
  { prompts, calls }: Openers,
): string | null {
  if (opens.trim().length < SHORTEST_SIGHT) {
    return `"${opens}" is too short to recognise a conversation by; "opens" has at least six characters`;
  }
  const twin = others.find((other) => other.opens.includes(opens));
  if (twin !== undefined)
    return `"${opens}" also occurs in what opens "${twin.name}"; use a text that only this one has`;
  const ownCalls = calls.filter((text) => text.includes(opens));
  const ownPrompts = prompts.filter((text) => text.includes(opens));
  // A child is opened by a call; a second session by a prompt of its own.
  const [foreign] = ownCalls.length > 0 ? ownPrompts : ownPrompts.slice(1);
  if (foreign !== undefined)
    return `"${opens}" also occurs in the prompt that opens another conversation: "${foreign}"`;
  for (const text of ownCalls) {
    const rival = others.find((other) => text.includes(other.opens) && !opens.includes(other.opens));
    if (rival !== undefined) return `one call opens both this conversation and "${rival.name}": "${text}"`;
  }
  return null;
}

function openingPrompts({ steps }: Scenario): string[] {
  const seen = new Set<string | null>();
  return steps.flatMap((step) => {
    if (step.do !== 'followup' || seen.has(step.in)) return [];
    seen.add(step.in);
    return [step.text];
  });
}

function callTexts({ model }: Scenario): string[] {
  return model.conversations.flatMap(({ replies }) =>
    replies.flatMap(({ tools }) => tools.flatMap((call) => stringsIn(call.arguments))),
  );
}
