/** All provider wires by name. */
import { anthropicMessages } from './anthropic-messages.ts';
import { chatCompletions, openaiChatCompletions } from './chat-completions.ts';
import { gemini } from './gemini.ts';
import { responses } from './responses.ts';
import type { Wire, WireName } from './wire.ts';

const WIRES: { readonly [name in WireName]: Wire } = {
  'chat-completions': chatCompletions,
  'openai-chat-completions': openaiChatCompletions,
  'anthropic-messages': anthropicMessages,
  responses,
  gemini,
};

/** Every name, in the order of the documentation. */
export const WIRE_NAMES: readonly WireName[] = [
  'chat-completions',
  'openai-chat-completions',
  'anthropic-messages',
  'responses',
  'gemini',
];

/** The wire of that name. */
export function wireNamed(name: WireName): Wire {
  return WIRES[name];
}
