/** The shape of events as a session file holds them. Unknown fields are kept: a later version may add some. */
import en from 'zod/v4/locales/en.js';
import * as z from 'zod/mini';
import type { EventType } from './events.ts';

// `zod/mini`, since every command starts here: it loads in a tenth of the time of `zod`, and brings no messages along.
z.config(en());

const count = z.int().check(z.gte(0));
const ordinal = z.int().check(z.gte(1));
const place = { turn: ordinal, step: ordinal };

const source = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('user') }),
  z.looseObject({ kind: z.literal('plugin'), name: z.optional(z.string()) }),
  z.looseObject({ kind: z.literal('tool'), name: z.optional(z.string()) }),
  z.looseObject({ kind: z.literal('coordinator'), senderSessionId: z.string() }),
  z.looseObject({ kind: z.literal('subagent-report'), senderSessionId: z.string() }),
  z.looseObject({ kind: z.literal('subagent-settled'), senderSessionId: z.string() }),
  z.looseObject({ kind: z.literal('goal'), goalId: z.string(), revision: count, round: count }),
]);

/** A user message, wherever it stands. Also what `followup`, `steer` and `inject` accept (SEND-8). */
export const userMessageSchema = z.looseObject({
  id: z.string().check(z.minLength(1)),
  role: z.literal('user'),
  content: z.array(z.looseObject({ type: z.literal('text'), text: z.string() })),
  source,
});

const usage = z.looseObject({
  input: z.number(),
  output: z.number(),
  cached: z.optional(z.number()),
  reasoning: z.optional(z.number()),
});

const toolCall = z.looseObject({ id: z.string(), name: z.string(), arguments: z.string() });

const chunk = z.discriminatedUnion('kind', [
  z.looseObject({
    kind: z.literal('block-start'),
    block: z.enum(['text', 'reasoning', 'tool-call']),
    index: count,
  }),
  z.looseObject({ kind: z.literal('text-delta'), index: count, text: z.string() }),
  z.looseObject({ kind: z.literal('reasoning-delta'), index: count, text: z.string() }),
  z.looseObject({ kind: z.literal('tool-call-delta'), index: count, arguments: z.string() }),
  z.looseObject({ kind: z.literal('block-end'), index: count }),
  z.looseObject({ kind: z.literal('usage'), usage }),
  z.looseObject({
    kind: z.literal('finish'),
    reason: z.enum(['stop', 'length', 'tool-calls', 'content-filter']),
  }),
]);

const turnEndReason = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('completed') }),
  z.looseObject({ kind: z.literal('max-tokens') }),
  z.looseObject({ kind: z.literal('rejected') }),
  z.looseObject({ kind: z.literal('aborted'), cause: z.enum(['user', 'parent', 'hook', 'disposed']) }),
  z.looseObject({
    kind: z.literal('error'),
    message: z.string(),
    code: z.string(),
    status: z.optional(z.number()),
  }),
  z.looseObject({ kind: z.literal('interrupted') }),
]);

const record = z.record(z.string(), z.unknown());

const requestHeader = z.looseObject({
  method: z.string(),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  parameters: record,
  systemPrompt: z.string(),
  tools: z.array(z.looseObject({ name: z.string(), description: z.string(), parameters: record })),
});

/** One schema for the data of each event type. */
export const EVENT_DATA_SCHEMAS: Readonly<Record<EventType, z.ZodMiniType>> = {
  'agent/inbox/spliced': z.looseObject({
    target: z.enum(['next-turn', 'next-step']),
    start: count,
    removedCount: z.optional(count),
    inserted: z.array(userMessageSchema),
    quiet: z.optional(z.literal(true)),
    outcome: z.optional(z.enum(['cancelled', 'moved'])),
  }),
  'turn/start': z.looseObject({ turn: ordinal }),
  'turn/end': z.looseObject({ turn: ordinal, reason: turnEndReason }),
  'step/start': z.looseObject(place),
  'step/end': z.looseObject(place),
  'prompt/blocked': z.looseObject({ message: userMessageSchema, reason: z.string() }),
  'user/message': userMessageSchema,
  'request/header': z.looseObject({ header: requestHeader, reason: z.enum(['initial', 'resume', 'change']) }),
  'assistant/chunk': z.looseObject({ ...place, chunk }),
  'assistant/message': z.looseObject({
    ...place,
    message: z.looseObject({
      role: z.literal('assistant'),
      text: z.string(),
      reasoning: z.optional(z.string()),
      toolCalls: z.array(toolCall),
    }),
    usage: z.optional(usage),
    interrupted: z.optional(z.literal(true)),
  }),
  'tool/call': z.looseObject({ ...place, callId: z.string(), name: z.string(), arguments: z.string() }),
  'tool/result': z.looseObject({
    ...place,
    callId: z.string(),
    content: z.string(),
    isError: z.boolean(),
    code: z.optional(z.string()),
  }),
  'llm/retry': z.looseObject({
    ...place,
    attempt: ordinal,
    delayMs: z.number().check(z.gte(0)),
    failure: z.looseObject({ message: z.string(), code: z.string(), status: z.optional(z.number()) }),
  }),
  'subagent/descriptor': z.looseObject({
    mode: z.enum(['isolated', 'continuable']),
    label: z.string(),
    persona: z.optional(z.string()),
    tools: z.optional(z.array(z.string())),
  }),
  'goal/change': z.looseObject({ operation: z.string(), goal: z.unknown(), roundsStarted: count }),
  'session/title': z.looseObject({ title: z.string() }),
};

/** A header line of this version. */
export const headerSchema = z.looseObject({
  type: z.literal('session'),
  version: z.literal(0),
  id: z.string().check(z.minLength(1)),
  createdAt: z.string(),
  cwd: z.optional(z.string()),
  parentSession: z.optional(z.string()),
  origin: z.optional(z.literal('subagent')),
  delegationDepth: z.optional(count),
});
