/** The scripted model: replies, conversations and asides (scenarios.md, "The scripted model"). */
import { z } from 'zod';
import { conversationName, count, holdName, json, jsonMap, text } from './parts.ts';

export const FAULT_KINDS = [
  'disconnect',
  'reset',
  'stall',
  'hang',
  'junk',
  'bad-json',
  'wrong-type',
  'no-done',
  'error-event',
  'truncated',
] as const;

const call = z.strictObject({
  name: text.min(1).describe("The tool's name."),
  arguments: z
    .union([jsonMap, text], { error: 'a map, or a text that is sent as it stands' })
    .optional()
    .describe('A map, or a raw text for malformed JSON. {{child:NAME}} is the id of that child.'),
  id: text.min(1).optional().describe('The id of the call; made up where it is left out.'),
});

const hold = z.union(
  [
    holdName,
    z.strictObject({
      name: holdName.describe('`release: name` lets it go on, `wait: {held: name}` waits for it.'),
      after: text.min(1).optional().describe('Stop after this text was sent.'),
      before: text
        .min(1)
        .optional()
        .describe('Stop before this text; `headers`: before the response headers.'),
    }),
  ],
  { error: 'a name, or {name, after} or {name, before}' },
);

const retryAfter = z.union(
  [
    z.number().describe('Seconds; 0 is allowed.'),
    z.strictObject({ date: text.min(1).describe('An HTTP date that far from now, such as +1s.') }),
  ],
  { error: 'a number of seconds, or {date: +1s}' },
);

const status = z.strictObject({
  status: z.int().min(200).max(599).describe('The HTTP status, such as 429.'),
  retryAfter: retryAfter.optional().describe('The Retry-After header: seconds, or {date: +1s}.'),
  body: json.optional().describe("The error's body; the vendor's own where it is left out."),
});

const fault = z.strictObject({
  kind: z.enum(FAULT_KINDS).describe('What goes wrong.'),
  at: z
    .string()
    .regex(
      /^(?:connect|headers|end|piece [1-9][0-9]*)$/u,
      'expected connect, headers, end or "piece n", such as piece 2',
    )
    .optional()
    .describe('Where: connect, headers, piece n (after that piece), or end.'),
});

const sight = z.union(
  [
    text,
    z.strictObject({
      role: z.literal('system').describe('Looks in the system prompt instead of the messages.'),
      text: text.describe('What must, or must not, be contained there.'),
    }),
  ],
  { error: 'a text, or {role: system, text: …}' },
);

const added = z.union(
  [
    text,
    z.strictObject({ tool: text.describe('Contained in a tool result.') }),
    z.strictObject({
      user: text.describe('Contained in a user message.'),
      source: text.optional().describe('Who wrote it: user, plugin, subagent-report, …'),
    }),
  ],
  { error: 'a text (a user message), {tool: text}, or {user: text, source: …}' },
);

export const reply = z
  .strictObject({
    text: text.optional().describe('What the model says. Streamed in pieces.'),
    reasoning: text.optional().describe('What the model thinks.'),
    tools: z.array(call).min(1).optional().describe('Tool calls; several are parallel calls.'),
    finish: z
      .enum(['stop', 'length', 'content_filter'])
      .optional()
      .describe('Why the reply ends, where that does not follow from the content.'),
    usage: z
      .strictObject({
        input: count.describe('Tokens of the request.'),
        output: count.describe('Tokens of the answer.'),
        cached: count.optional().describe('Tokens of the request that were cached.'),
      })
      .optional()
      .describe("Token counts, sent in the wire's own format."),
    pieces: z
      .union([z.array(text).min(1), z.int().min(1)], { error: 'a list of texts, or a number' })
      .optional()
      .describe('Exact chunk boundaries: the pieces themselves, or how many.'),
    hold: hold.optional().describe('Stop here until `release: name`.'),
    ends: z
      .literal('cancelled')
      .optional()
      .describe('The subject closes this request before its end. Its hold needs no release.'),
    fail: z
      .union([status, fault], { error: '{status: 429, …} or {kind: disconnect, at: …}' })
      .optional()
      .describe('A fault, alone or after a prefix: {status} or {kind, at}.'),
    bytes: z
      .strictObject({
        crlf: z.boolean().optional().describe('Lines end with CR LF.'),
        merge: z.boolean().optional().describe('All events in one write.'),
        keepAlive: z.boolean().optional().describe('Keep-alive comments between the events.'),
      })
      .optional()
      .describe('How the frames are written.'),
    sees: z.array(sight).optional().describe('Texts that the messages of the request must contain.'),
    lacks: z.array(sight).optional().describe('Texts that the messages of the request must not contain.'),
    adds: z
      .array(added)
      .optional()
      .describe('In order, all that stands after the last assistant message of the request.'),
    offers: z.array(text).optional().describe('Tools that the request must offer.'),
    withholds: z.array(text).optional().describe('Tools that the request must not offer.'),
  })
  .meta({ id: 'reply', description: 'One answer of the model, and what its request must look like.' });
export type RawReply = z.infer<typeof reply>;

const replies = z.array(reply);

const named = z.strictObject({
  opens: text.optional().describe('Text in the user messages by which this conversation is recognised.'),
  replies: replies.describe('What the model answers in this conversation, in order.'),
});

const mainScript = z.union(
  [replies, z.strictObject({ replies: replies.describe('What the model answers, in order.') })],
  {
    error: 'a list of replies, or {replies: […]}',
  },
);

const script = z.union([replies, named], { error: '{opens: text, replies: […]}' });

export const asideWhen = z
  .strictObject({
    system: text.optional().describe('Contained in the system prompt.'),
    user: text.optional().describe('Contained in the last user message.'),
    model: text.optional().describe("The model's name."),
    tools: z.array(text).optional().describe('The exact list of tool names.'),
    stream: z.boolean().optional().describe('Whether a streamed answer is asked for.'),
  })
  .describe('What the side request says. Every key that is given must fit.');

export const aside = z.strictObject({
  when: asideWhen,
  replies: replies.min(1).describe('Used in order; the last one repeats.'),
});

export const model = z
  .object({
    main: mainScript.optional().describe('The script of the agent itself: a list of replies.'),
    asides: z
      .record(conversationName, aside)
      .optional()
      .describe('Side requests, such as one for a title: name -> {when, replies}.'),
  })
  .catchall(
    script.describe(
      'The script of a child: {opens, replies}. Children count from 1 in the order of the file.',
    ),
  )
  .describe('What the model answers: one script a conversation.');
