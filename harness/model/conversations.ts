/** Which conversation a request belongs to: the rule of scenarios.md ("The scripted model"), steps 2 to 5. Pure. */
import type { Outcome } from './exchange.ts';
import { isEmpty, isMalformed, type Utterance } from './utterance.ts';

/** A reply of the script that a request has drawn. */
export interface Drawn {
  readonly said: Utterance;
  readonly finish: 'stop' | 'length' | 'content_filter' | 'tool_calls';
  readonly outcome: Outcome;
  /** It came in a turn that a step cancelled. */
  readonly cancelledTurn: boolean;
}

export interface ConversationSoFar {
  readonly name: string;
  /** Null for `main` alone. */
  readonly opens: string | null;
  readonly drawn: readonly Drawn[];
}

/** What decides: the user messages and the assistant messages of a request. */
export interface History {
  readonly users: readonly string[];
  readonly assistant: readonly Utterance[];
}

export type Belonging =
  | { readonly found: 'one'; readonly name: string; readonly own: readonly number[] }
  /** `names`: the conversations that fit equally well. */
  | {
      readonly found: 'none' | 'several';
      readonly names: readonly string[];
      readonly own: readonly number[];
    };

/** Decides. `own` are the indices of assistant messages that equal no finished reply of this run. */
export function belongsTo(conversations: readonly ConversationSoFar[], history: History): Belonging {
  const finished = new FinishedReplies(conversations);
  const own: number[] = [];
  const kept: Utterance[] = [];
  history.assistant.forEach((said, index) => {
    if (isEmpty(said)) return;
    if (finished.explains(said)) kept.push(said);
    else own.push(index);
  });

  const fitting = conversations.filter(
    (conversation) => mayContinue(conversation, history) && fits(conversation.drawn, kept),
  );
  const best = bestOf(fitting, history);
  const [only] = best;
  if (best.length === 1 && only !== undefined) return { found: 'one', name: only.name, own };
  return {
    found: best.length === 0 ? 'none' : 'several',
    names: best.map((conversation) => conversation.name),
    own,
  };
}

/** An unopened conversation begins with a user message that contains its `opens`; an opened one may have lost it. */
function mayContinue(conversation: ConversationSoFar, history: History): boolean {
  return conversation.opens === null || conversation.drawn.length > 0 || isNamed(conversation, history);
}

function isNamed(conversation: ConversationSoFar, history: History): boolean {
  const { opens } = conversation;
  return opens !== null && history.users.some((user) => user.includes(opens));
}

/** Step 4: those whose `opens` is there, then `main`, then the rest; in a group those that were opened. */
function bestOf(fitting: readonly ConversationSoFar[], history: History): readonly ConversationSoFar[] {
  const named = fitting.filter((conversation) => isNamed(conversation, history));
  const main = fitting.filter((conversation) => conversation.opens === null);
  const group = named.length > 0 ? named : main.length > 0 ? main : fitting;
  const opened = group.filter((conversation) => conversation.drawn.length > 0);
  return opened.length > 0 ? opened : group;
}

/** Step 3: are these messages the conversation's finished replies, in this order, the optional ones at will? */
export function fits(drawn: readonly Drawn[], messages: readonly Utterance[]): boolean {
  let reached = new Set([0]);
  for (const reply of drawn) {
    const next = new Set<number>();
    for (const index of reached) {
      const message = messages[index];
      if (message !== undefined && repeats(message, reply)) next.add(index + 1);
      if (isOptional(reply)) next.add(index);
    }
    reached = next;
    if (reached.size === 0) return false;
  }
  return reached.has(messages.length);
}

/** A reply that the history need not carry. A filtered answer counts with the failed ones: agents drop it. */
export function isOptional(reply: Drawn): boolean {
  return (
    reply.outcome !== 'finished' ||
    reply.cancelledTurn ||
    reply.finish === 'content_filter' ||
    isEmpty(reply.said)
  );
}

/** Whether a message gives back a reply: all of it, or what an unfinished one had of it. */
function repeats(message: Utterance, reply: Drawn): boolean {
  if (reply.outcome === 'finished') return equals(message, reply);
  return reply.said.text.startsWith(message.text) && isSelection(message.calls, reply.said.calls);
}

function equals(message: Utterance, reply: Drawn): boolean {
  if (message.text !== reply.said.text) return false;
  if (reply.finish === 'length') return isSelection(message.calls, reply.said.calls);
  return message.calls.length === reply.said.calls.length && isSelection(message.calls, reply.said.calls);
}

/** True when `some` are calls of `all`, in order. */
function isSelection(some: Utterance['calls'], all: Utterance['calls']): boolean {
  let next = 0;
  for (const call of all) {
    const wanted = some[next];
    if (wanted === undefined) break;
    if (wanted.name === call.name && (wanted.arguments === call.arguments || isMalformed(call.arguments)))
      next += 1;
  }
  return next === some.length;
}

/** The finished replies of all conversations, found by what they say. */
class FinishedReplies {
  readonly #byText = new Map<string, Drawn[]>();

  constructor(conversations: readonly ConversationSoFar[]) {
    for (const { drawn } of conversations) {
      for (const reply of drawn) {
        if (reply.outcome !== 'finished') continue;
        const key = FinishedReplies.#key(reply.said, reply.finish === 'length');
        const bucket = this.#byText.get(key);
        if (bucket === undefined) this.#byText.set(key, [reply]);
        else bucket.push(reply);
      }
    }
  }

  explains(said: Utterance): boolean {
    return [FinishedReplies.#key(said, false), FinishedReplies.#key(said, true)].some((key) =>
      (this.#byText.get(key) ?? []).some((reply) => equals(said, reply)),
    );
  }

  /** Replies cut by the length limit may lose their calls, so these don't belong to their key. */
  static #key(said: Utterance, cutShort: boolean): string {
    return JSON.stringify(cutShort ? [said.text] : [said.text, said.calls.map((call) => call.name)]);
  }
}
