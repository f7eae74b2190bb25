/** Which conversation a request belongs to: the rule of scenarios.md ("The scripted model"), steps 2 to 5. Pure. */
import { FinishedReplies, givesBack, isSelection, type Drawn } from './finished-replies.ts';
import { isEmpty, type Utterance } from './utterance.ts';

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

/**
 * Decides. `own` are the indices of assistant messages that equal no finished reply of this run. `finished` holds those
 * replies; whoever asks often keeps it.
 */
export function belongsTo(
  conversations: readonly ConversationSoFar[],
  history: History,
  finished: FinishedReplies = finishedOf(conversations),
): Belonging {
  const own: number[] = [];
  const kept: Utterance[] = [];
  // Nearly always they are the finished replies of one conversation, and none has to be looked up.
  const alike = conversations.some(({ drawn }) => areReplies(history.assistant, drawn));
  for (const [index, said] of history.assistant.entries()) {
    if (isEmpty(said)) continue;
    if (alike || finished.explain(said)) kept.push(said);
    else own.push(index);
  }

  const best = bestOf(conversations, history, kept);
  const [only] = best;
  if (best.length === 1 && only !== undefined) return { found: 'one', name: only.name, own };
  return {
    found: best.length === 0 ? 'none' : 'several',
    names: best.map((conversation) => conversation.name),
    own,
  };
}

/** Whether these messages are finished replies, the first the first of `drawn`, and so on. */
function areReplies(messages: readonly Utterance[], drawn: readonly Drawn[]): boolean {
  if (messages.length > drawn.length) return false;
  for (let index = 0; index < messages.length; index += 1) {
    const [message, reply] = [messages[index], drawn[index]];
    if (message === undefined || reply?.outcome !== 'finished' || !givesBack(message, reply)) return false;
  }
  return true;
}

function finishedOf(conversations: readonly ConversationSoFar[]): FinishedReplies {
  const finished = new FinishedReplies();
  for (const { drawn } of conversations) {
    for (const reply of drawn) if (reply.outcome === 'finished') finished.add(reply);
  }
  return finished;
}

/**
 * Of those that fit (step 3) the best (step 4): whose `opens` is there, then `main`, then opened ones that have lost it; in a
 * group those that were opened. An unopened conversation begins with a user message that contains its `opens`.
 */
function bestOf(
  conversations: readonly ConversationSoFar[],
  history: History,
  kept: readonly Utterance[],
): readonly ConversationSoFar[] {
  const groups: readonly ((conversation: ConversationSoFar) => boolean)[] = [
    ({ opens }) => isNamed(opens, history),
    ({ opens }) => opens === null,
    ({ opens, drawn }) => opens !== null && !isNamed(opens, history) && drawn.length > 0,
  ];
  for (const isMember of groups) {
    const fitting = conversations.filter(
      (conversation) => isMember(conversation) && fits(conversation.drawn, kept),
    );
    const opened = fitting.filter((conversation) => conversation.drawn.length > 0);
    if (opened.length > 0) return opened;
    if (fitting.length > 0) return fitting;
  }
  return [];
}

function isNamed(opens: string | null, history: History): boolean {
  return opens !== null && history.users.some((user) => user.includes(opens));
}

/** Step 3: are these messages the conversation's finished replies, in this order, the optional ones at will? */
export function fits(drawn: readonly Drawn[], messages: readonly Utterance[]): boolean {
  // As long as no reply is optional there is one way only.
  const firstOptional = drawn.findIndex(isOptional);
  const alike = firstOptional < 0 ? drawn.length : firstOptional;
  for (let index = 0; index < alike; index += 1) {
    const [reply, message] = [drawn[index], messages[index]];
    if (reply === undefined || message === undefined || !repeats(message, reply)) return false;
  }
  let reached = new Set([alike]);
  for (const reply of drawn.slice(alike)) {
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
  if (reply.outcome === 'finished') return givesBack(message, reply);
  return reply.said.text.startsWith(message.text) && isSelection(message.calls, reply.said.calls);
}
