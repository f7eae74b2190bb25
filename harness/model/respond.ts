/** The decision about one request: whom it belongs to, and which reply it draws or why it gets none. Pure (scenarios.md). */
import type { Aside, Conversation, Reply } from '../scenario/scenario.ts';
import { fittingAsides } from './asides.ts';
import { belongsTo, type Belonging, type ConversationSoFar, type History } from './conversations.ts';
import type { Attribution, ModelFinding, NeutralRequest, WireRequest } from './exchange.ts';
import { unmet } from './expectations.ts';
import type { FinishedReplies } from './finished-replies.ts';
import { nearest } from './nearest.ts';
import { prefixBreak, sharing, type PrefixBreak } from './prefix.ts';
import { breaches } from './provider-rules.ts';
import { historyLines } from './request-text.ts';
import { utterance, type Utterance } from './utterance.ts';
import { UnreadableRequest, type Startup, type Wire } from './wires/wire.ts';

export interface ConversationState extends ConversationSoFar {
  readonly script: Conversation;
  /** The request before. */
  readonly last: NeutralRequest | null;
}

/** What has happened so far, as far as it decides anything. */
export interface RunState {
  readonly conversations: readonly ConversationState[];
  readonly asides: readonly { readonly script: Aside; readonly used: number }[];
  /** Number of the request that nobody expected; every later one is refused too. */
  readonly missed: number | null;
  /** Conversations that may rewrite their history. */
  readonly rewrites: readonly string[];
  /** Ids of calls that came with reasoning. */
  readonly reasoned: ReadonlySet<string>;
  /** Finished replies of all conversations. */
  readonly finished: FinishedReplies;
}

export type Decision =
  | { readonly is: 'startup'; readonly startup: Startup }
  | {
      readonly is: 'reply';
      readonly attribution: Extract<Attribution, { readonly to: 'conversation' | 'aside' }>;
      readonly neutral: NeutralRequest;
      readonly reply: Reply;
      readonly own: readonly number[];
      readonly findings: readonly ModelFinding[];
    }
  | {
      readonly is: 'refusal';
      readonly neutral: NeutralRequest | null;
      readonly own: readonly number[];
      /** What the client is told. */
      readonly message: string;
      readonly findings: readonly ModelFinding[];
      /** The conversation whose history the vendor refuses; null where the script has no answer at all. */
      readonly conversation: string | null;
    };

/** Decides. Same state and same request, same decision. */
export function decide(state: RunState, request: WireRequest, wire: Wire): Decision {
  if (state.missed !== null) {
    return refusal(null, `Request ${state.missed} was not in the script; the run is over.`, []);
  }
  if (!wire.accepts(request)) {
    const startup = wire.startup(request) ?? probe(request);
    if (startup !== null) return { is: 'startup', startup };
    return miss(
      null,
      `${request.method} ${request.path} is no request of the wire ${wire.name}.`,
      'main',
      null,
    );
  }
  let neutral: NeutralRequest;
  try {
    neutral = wire.decode(request);
  } catch (error) {
    if (!(error instanceof UnreadableRequest)) throw error;
    return miss(null, `The wire ${wire.name} can't read this request: ${error.message}`, 'main', null);
  }
  return asideDecision(state, neutral) ?? conversationDecision(state, neutral, wire);
}

/** Some clients look whether anybody is there. */
function probe(request: WireRequest): Startup | null {
  const isRoot = request.path === '' || request.path === '/';
  return isRoot && (request.method === 'GET' || request.method === 'HEAD')
    ? { what: 'probe', body: {} }
    : null;
}

type Refusal = Extract<Decision, { readonly is: 'refusal' }>;

function refusal(
  neutral: NeutralRequest | null,
  message: string,
  findings: readonly ModelFinding[],
): Refusal {
  return { is: 'refusal', neutral, own: [], message, findings, conversation: null };
}

function miss(neutral: NeutralRequest | null, message: string, key: string, diff: string | null): Refusal {
  return refusal(neutral, message, [{ kind: 'UNEXPECTED_REQUEST', key, message, diff }]);
}

function asideDecision(state: RunState, neutral: NeutralRequest): Decision | null {
  if (state.asides.length === 0) return null;
  const fitting = fittingAsides(
    state.asides.map((aside) => aside.script),
    neutral,
  );
  const [script] = fitting;
  if (script === undefined) return null;
  if (fitting.length > 1) {
    const names = fitting.map((aside) => aside.name).join(' and ');
    const message = `The asides ${names} both fit this request; make their \`when\` tell them apart.`;
    return miss(neutral, message, `aside.${script.name}`, historyLines(neutral, '+ ').join('\n'));
  }
  const used = state.asides.find((aside) => aside.script === script)?.used ?? 0;
  const index = Math.min(used, script.replies.length - 1);
  const reply = script.replies[index];
  if (reply === undefined)
    return miss(neutral, `The aside ${script.name} has no replies.`, `aside.${script.name}`, null);
  const attribution = { to: 'aside', name: script.name, reply: index + 1 } as const;
  return { is: 'reply', attribution, neutral, reply, own: [], findings: unmet(reply, neutral) };
}

function conversationDecision(state: RunState, neutral: NeutralRequest, wire: Wire): Decision {
  const { conversations } = state;
  const belonging = belongsTo(conversations, historyOf(neutral), state.finished);
  const own = ownMessages(neutral, belonging.own);
  if (belonging.found !== 'one') {
    const near = nearest(conversations, belonging.names, neutral);
    return {
      ...miss(
        neutral,
        homeless(belonging, near?.name ?? null),
        near === null ? 'main' : nextKey(state, near.name),
        near?.diff ?? null,
      ),
      own,
    };
  }
  const conversation = conversations.find(({ name }) => name === belonging.name);
  if (conversation === undefined) throw new Error(`The rule named ${belonging.name}, which no script has.`);
  return { ...draw(state, conversation, neutral, wire), own };
}

function historyOf({ messages }: NeutralRequest): History {
  const users: string[] = [];
  const assistant: Utterance[] = [];
  for (const message of messages) {
    if (message.role === 'user') users.push(message.text);
    else if (message.role === 'assistant') assistant.push(utterance(message.text, message.calls));
  }
  return { users, assistant };
}

/** Indices of assistant messages as indices of the whole history. */
function ownMessages(neutral: NeutralRequest, own: readonly number[]): number[] {
  if (own.length === 0) return [];
  const assistant = neutral.messages.flatMap((message, index) =>
    message.role === 'assistant' ? [index] : [],
  );
  return own.flatMap((index) => assistant[index] ?? []);
}

function homeless(belonging: Exclude<Belonging, { found: 'one' }>, near: string | null): string {
  if (belonging.found === 'several') {
    return `This request fits the conversations ${belonging.names.join(' and ')} alike; give them opening texts that tell them apart.`;
  }
  return near === null
    ? 'The script has no conversation.'
    : `This request belongs to no conversation of the script. Nearest is ${near}: - is what its history has to carry, + what the request carries.`;
}

/** The reply that a conversation would give next; its last where it has used up all. */
function nextKey(state: RunState, name: string): string {
  const conversation = state.conversations.find(({ script }) => script.name === name);
  const replies = conversation?.script.replies ?? [];
  return (replies[conversation?.drawn.length ?? 0] ?? replies.at(-1))?.key ?? name;
}

function draw(
  state: RunState,
  conversation: ConversationState,
  request: NeutralRequest,
  wire: Wire,
): Exclude<Decision, { readonly is: 'startup' }> {
  const { script, drawn, last } = conversation;
  const reply = script.replies[drawn.length];
  if (reply === undefined) {
    const all = script.replies.length;
    const message = `${script.name} has used up ${drawn.length} of ${all} ${all === 1 ? 'reply' : 'replies'}, and the subject asks once more.`;
    return miss(
      request,
      message,
      script.replies.at(-1)?.key ?? script.name,
      historyLines(request, '+ ').join('\n'),
    );
  }
  const rewrites = last === null || state.rewrites.includes(script.name);
  const broken = rewrites ? null : prefixBreak(last, request);
  const neutral = rewrites || broken !== null ? request : sharing(last, request);
  const breached = breaches(neutral, wire.rules, state.reasoned);
  const findings = [
    ...(broken === null ? [] : [prefixFinding(script, reply, broken)]),
    ...breached.map(({ message }): ModelFinding => ({
      kind: 'EXPECTATION_FAILED',
      key: reply.key,
      message: `${reply.key}: ${message}`,
      diff: historyLines(neutral, '+ ').join('\n'),
    })),
  ];
  const refused = breached.find((breach) => breach.refused);
  if (refused !== undefined) {
    return { is: 'refusal', neutral, own: [], message: refused.message, findings, conversation: script.name };
  }
  const attribution = { to: 'conversation', name: script.name, reply: drawn.length + 1 } as const;
  return {
    is: 'reply',
    attribution,
    neutral,
    reply,
    own: [],
    findings: [...findings, ...unmet(reply, neutral)],
  };
}

function prefixFinding(script: Conversation, reply: Reply, broken: PrefixBreak): ModelFinding {
  const message = `${script.name}: the request for ${reply.key} does not extend the one before; message ${broken.index} of the history differs.`;
  return { kind: 'PREFIX_BROKEN', key: script.name, message, diff: broken.diff };
}
