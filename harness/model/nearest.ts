/** The reply that a request came nearest to, and what differs: the text of an UNEXPECTED_REQUEST. */
import { diffArrays } from 'diff';
import type { ConversationSoFar } from './conversations.ts';
import { isOptional } from './conversations.ts';
import type { NeutralRequest } from './exchange.ts';
import { historyLines, saidLine } from './request-text.ts';
import { utterance } from './utterance.ts';

export interface Nearest {
  readonly name: string;
  readonly diff: string;
}

/** Null only where there is no conversation at all. `among`: those that fit; all where none does. */
export function nearest(
  conversations: readonly ConversationSoFar[],
  among: readonly string[],
  request: NeutralRequest,
): Nearest | null {
  const carried = carriedLines(request);
  const candidates = conversations
    .filter((conversation) => among.length === 0 || among.includes(conversation.name))
    .map((conversation) => ({ conversation, score: likeness(conversation, carried, request) }))
    .sort((a, b) => b.score - a.score);
  const best = candidates[0]?.conversation;
  return best === undefined ? null : { name: best.name, diff: difference(best, carried, request) };
}

function carriedLines(request: NeutralRequest): string[] {
  return request.messages
    .filter((message) => message.role === 'assistant')
    .map((message) => utterance(message.text, message.calls))
    .map((said) => saidLine(said.text, said.calls));
}

function neededLines(conversation: ConversationSoFar): string[] {
  return conversation.drawn
    .filter((reply) => !isOptional(reply))
    .map(({ said }) => saidLine(said.text, said.calls));
}

/** Replies given back in order, and a little for the opening text. */
function likeness(
  conversation: ConversationSoFar,
  carried: readonly string[],
  request: NeutralRequest,
): number {
  const needed = neededLines(conversation);
  const same = needed.findIndex((line, index) => carried[index] !== line);
  const { opens } = conversation;
  const named =
    opens === null
      ? 0.25
      : request.messages.some((message) => message.role === 'user' && message.text.includes(opens))
        ? 0.5
        : 0;
  return (same < 0 ? needed.length : same) + named;
}

/** Assistant messages that the conversation needs (-) and that the request carries (+), or all of the request where these agree. */
function difference(
  conversation: ConversationSoFar,
  carried: readonly string[],
  request: NeutralRequest,
): string {
  const parts = diffArrays(neededLines(conversation), [...carried], { maxEditLength: 2_000 });
  if (parts === undefined || parts.every((part) => !part.added && !part.removed))
    return historyLines(request, '+ ').join('\n');
  return parts
    .flatMap((part) => part.value.map((line) => `${part.added ? '+' : part.removed ? '-' : ' '} ${line}`))
    .join('\n');
}
