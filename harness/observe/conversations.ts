/** The section `conversations`: a script each, what every request adds, which reply it drew, and how that ended. */
import type { Exchange, NeutralMessage } from '../model/exchange.ts';
import type { JsonValue, Scenario } from '../scenario/scenario.ts';
import type { Normaliser } from './placeholders.ts';
import { requestHeader } from './request-header.ts';

/** Conversations in the order of the file, then asides as `aside.<name>` with their whole header. */
export function conversationsSection(
  exchanges: readonly Exchange[],
  scenario: Scenario,
  ways: { readonly normaliser: Normaliser; readonly varying: ReadonlySet<string> },
): JsonValue {
  const conversations = scenario.model.conversations.map(({ name }): [string, JsonValue] => [
    name,
    conversation(exchangesOf(exchanges, 'conversation', name), ways.normaliser),
  ]);
  const asides = scenario.model.asides.map(({ name }): [string, JsonValue] => [
    `aside.${name}`,
    exchangesOf(exchanges, 'aside', name).map((exchange) => aside(exchange, ways)),
  ]);
  return Object.fromEntries([...conversations, ...asides]);
}

/** The exchanges that belong to a script, in order of arrival. */
export function exchangesOf(
  exchanges: readonly Exchange[],
  to: 'conversation' | 'aside',
  name: string,
): readonly Exchange[] {
  return exchanges.filter(({ attribution }) => attribution.to === to && attribution.name === name);
}

function conversation(exchanges: readonly Exchange[], normaliser: Normaliser): JsonValue {
  let before: readonly NeutralMessage[] = [];
  return exchanges.map((exchange) => {
    const messages = exchange.neutral?.messages ?? [];
    const kept = commonStart(before, messages);
    const rewritten = kept < before.length ? { keeps: kept } : {};
    before = messages;
    return {
      ...rewritten,
      adds: messages.slice(kept).map((message) => shownMessage(message, normaliser)),
      ...ending(exchange),
    };
  });
}

function aside(
  exchange: Exchange,
  ways: { readonly normaliser: Normaliser; readonly varying: ReadonlySet<string> },
): JsonValue {
  const { normaliser } = ways;
  return {
    header: requestHeader(exchange, ways).value,
    system: (exchange.neutral?.system ?? []).map((text) => normaliser.text(text)),
    tools: (exchange.neutral?.tools ?? []).map(({ schema }) => normaliser.value(schema)),
    messages: (exchange.neutral?.messages ?? []).map((message) => shownMessage(message, normaliser)),
    ...ending(exchange),
  };
}

function ending({ attribution, outcome }: Exchange): { readonly [key: string]: JsonValue } {
  const drew = attribution.to === 'conversation' ? `${attribution.name}.${attribution.reply}` : null;
  const aside = attribution.to === 'aside' ? `aside.${attribution.name}.${attribution.reply}` : null;
  return { drew: drew ?? aside, ended: outcome };
}

/** A message of the history as it was sent. */
export function shownMessage(message: NeutralMessage, normaliser: Normaliser): JsonValue {
  switch (message.role) {
    case 'user':
      return { user: normaliser.text(message.text) };
    case 'tool':
      return { tool: normaliser.text(message.text), call: normaliser.id(message.callId) };
    case 'assistant':
      return {
        assistant: normaliser.text(message.text),
        ...(message.reasoning === null ? {} : { reasoning: normaliser.text(message.reasoning) }),
        ...(message.calls.length === 0
          ? {}
          : { calls: message.calls.map((call) => shownCall(call, normaliser)) }),
      };
  }
}

function shownCall(
  call: { readonly id: string; readonly name: string; readonly arguments: string },
  normaliser: Normaliser,
): JsonValue {
  return { id: normaliser.id(call.id), name: call.name, arguments: normaliser.text(call.arguments) };
}

/** How many messages at the start are the same in both. */
function commonStart(before: readonly NeutralMessage[], after: readonly NeutralMessage[]): number {
  const differs = before.findIndex(
    (message, index) => JSON.stringify(message) !== JSON.stringify(after[index]),
  );
  return differs < 0 ? Math.min(before.length, after.length) : differs;
}
