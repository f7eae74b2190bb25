/** The finished replies of a run, found by what they say (scenarios.md, step 2). Grows with the run. */
import type { Outcome } from './exchange.ts';
import { sameArguments, type Utterance } from './utterance.ts';

/** A reply of the script that a request has drawn. */
export interface Drawn {
  readonly said: Utterance;
  readonly finish: 'stop' | 'length' | 'content_filter' | 'tool_calls';
  readonly outcome: Outcome;
  /** It came in a turn that a step cancelled. */
  readonly cancelledTurn: boolean;
}

export class FinishedReplies {
  readonly #whole = new Map<string, Drawn[]>();
  /** A reply that the length limit ended may lose its calls, so these are no part of its key. */
  readonly #cutShort = new Map<string, Drawn[]>();

  add(reply: Drawn): void {
    const { said } = reply;
    if (reply.finish === 'length') put(this.#cutShort, said.text, reply);
    else put(this.#whole, keyOf(said), reply);
  }

  /** Whether a message of a history equals one of them. */
  explain(said: Utterance): boolean {
    return has(this.#whole.get(keyOf(said)), said) || has(this.#cutShort.get(said.text), said);
  }
}

function keyOf({ text, calls }: Utterance): string {
  let key = text;
  for (const { name } of calls) key += `\0${name}`;
  return key;
}

function put(replies: Map<string, Drawn[]>, key: string, reply: Drawn): void {
  const alike = replies.get(key);
  if (alike === undefined) replies.set(key, [reply]);
  else alike.push(reply);
}

function has(replies: readonly Drawn[] | undefined, said: Utterance): boolean {
  return replies?.some((reply) => givesBack(said, reply)) ?? false;
}

/** Whether a message is a finished reply: text and calls, or of a `length` reply the text and some of its calls. */
export function givesBack(message: Utterance, reply: Drawn): boolean {
  if (message.text !== reply.said.text) return false;
  if (reply.finish !== 'length' && message.calls.length !== reply.said.calls.length) return false;
  return isSelection(message.calls, reply.said.calls);
}

/** True when `some` are calls of `all`, in order. */
export function isSelection(some: Utterance['calls'], all: Utterance['calls']): boolean {
  let next = 0;
  for (const call of all) {
    const wanted = some[next];
    if (wanted === undefined) break;
    if (wanted.name === call.name && sameArguments(wanted.arguments, call.arguments)) next += 1;
  }
  return next === some.length;
}
