/** All provider wires by name. */
import { chatCompletions, openaiChatCompletions } from './chat-completions.ts';
import type { Wire, WireName } from './wire.ts';

const WIRES: { readonly [name in WireName]?: Wire } = {
  'chat-completions': chatCompletions,
  'openai-chat-completions': openaiChatCompletions,
};

/** The wire of that name. */
export function wireNamed(name: WireName): Wire {
  const wire = WIRES[name];
  if (wire === undefined) throw new RangeError(`No wire ${name}.`);
  return wire;
}
