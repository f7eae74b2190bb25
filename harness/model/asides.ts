/** Side requests: recognised by what they say, before any conversation is looked at (scenarios.md, step 1). */
import type { Aside, AsideWhen } from '../scenario/scenario.ts';
import type { NeutralRequest } from './exchange.ts';

/** The asides whose `when` fits; more than one is a script's mistake. */
export function fittingAsides(asides: readonly Aside[], request: NeutralRequest): readonly Aside[] {
  return asides.filter((aside) => isMeant(aside.when, request));
}

function isMeant(when: AsideWhen, request: NeutralRequest): boolean {
  const user = request.messages.findLast((message) => message.role === 'user')?.text ?? '';
  const tools = request.tools.map((tool) => tool.name);
  return (
    (when.system === null || request.system.some((text) => text.includes(when.system ?? ''))) &&
    (when.user === null || user.includes(when.user)) &&
    (when.model === null || request.model === when.model) &&
    (when.tools === null || JSON.stringify(tools) === JSON.stringify(when.tools)) &&
    (when.stream === null || request.stream === when.stream)
  );
}
