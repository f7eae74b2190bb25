/** Which names in a scenario are gates: those that are held or released and that no reply holds. */
import type { JsonValue, Reply, Scenario } from '../scenario/scenario.ts';

/** Names of the gates that a scenario uses; empty where it needs no `gate` program. */
export function gatesOf(scenario: Scenario): ReadonlySet<string> {
  const replies = [...scenario.model.conversations, ...scenario.model.asides].flatMap(
    ({ replies: all }) => all,
  );
  const holds = new Set(replies.flatMap(({ hold }) => hold?.name ?? []));
  const named = scenario.steps.flatMap((step) => {
    if (step.do === 'release') return step.name;
    return step.do === 'wait' && step.wait.for === 'held' ? step.wait.name : [];
  });
  const called = [...replies.flatMap(argumentsOf), JSON.stringify(scenario.agent)].flatMap((text) =>
    [...text.matchAll(/\bgate ([\w.-]+)/g)].flatMap(([, name]) => name ?? []),
  );
  return new Set([...named, ...called].filter((name) => !holds.has(name)));
}

function argumentsOf({ tools }: Reply): readonly string[] {
  return tools.map(({ arguments: given }: { readonly arguments: JsonValue }) =>
    typeof given === 'string' ? given : JSON.stringify(given),
  );
}
