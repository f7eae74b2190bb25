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
  readonly #byKey = new Map<string, Drawn[]>();

  add(reply: Drawn): void {
    const key = keyOf(reply.said, reply.finish === 'length');
    const bucket = this.#byKey.get(key);
    if (bucket === undefined) this.#byKey.set(key, [reply]);
    else bucket.push(reply);
  }

  /** Whether a message of a history equals one of them. */
  explain(said: Utterance): boolean {
    return this.#has(said, keyOf(said, false)) || this.#has(said, keyOf(said, true));
  }

  #has(said: Utterance, key: string): boolean {
    return this.#byKey.get(key)?.some((reply) => givesBack(said, reply)) ?? false;
  }
}

/** A reply that the length limit ended may lose its calls, so these are no part of its key. */
function keyOf(said: Utterance, cutShort: boolean): string {
  return cutShort
    ? `length\0${said.text}`
    : `${said.calls.map((call) => call.name).join('\0')}\0\0${said.text}`;
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
