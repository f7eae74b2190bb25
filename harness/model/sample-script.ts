/** Scripts for tests and benches: whole replies from the few keys that matter. */
import type { Aside, Conversation, ModelScript, Reply } from '../scenario/scenario.ts';

const PLAIN: Reply = {
  key: '',
  position: { line: 1, column: 1 },
  text: '',
  reasoning: null,
  tools: [],
  finish: 'stop',
  usage: null,
  pieces: null,
  hold: null,
  ends: null,
  fail: null,
  bytes: { crlf: false, merge: false, keepAlive: false },
  sees: [],
  lacks: [],
  adds: null,
  offers: [],
  withholds: [],
};

/** A reply with every default filled in; `finish` follows from the calls. */
export function sampleReply(given: Partial<Reply>): Reply {
  const finish = given.finish ?? ((given.tools?.length ?? 0) > 0 ? 'tool_calls' : 'stop');
  return { ...PLAIN, ...given, finish };
}

/** A conversation; keys count from 1. */
export function sampleConversation(
  name: string,
  opens: string | null,
  replies: readonly Partial<Reply>[],
): Conversation {
  return {
    name,
    opens,
    replies: replies.map((reply, index) => sampleReply({ key: `${name}.${index + 1}`, ...reply })),
  };
}

/** A script with `main`, and whatever else is given. */
export function sampleScript(
  main: readonly Partial<Reply>[],
  more: { readonly conversations?: readonly Conversation[]; readonly asides?: readonly Aside[] } = {},
): ModelScript {
  return {
    conversations: [sampleConversation('main', null, main), ...(more.conversations ?? [])],
    asides: more.asides ?? [],
  };
}
