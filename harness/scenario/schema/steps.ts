/** What the driver does (scenarios.md, "Steps"). */
import { z } from 'zod';
import { conversationName, holdName, json, text } from './parts.ts';

export const BARE_STEPS = ['cancel', 'idle', 'restart', 'kill', 'dispose'] as const;

/** The durable events of a session (core.md, "Session log"); live notifications are in no log. */
export const EVENT_TYPES: readonly string[] = [
  'agent/inbox/spliced',
  'turn/start',
  'turn/end',
  'step/start',
  'step/end',
  'prompt/blocked',
  'user/message',
  'request/header',
  'assistant/chunk',
  'assistant/message',
  'tool/call',
  'tool/result',
  'llm/retry',
  'subagent/descriptor',
  'goal/change',
  'session/title',
];

const event = z.union(
  [text.min(1), z.object({ type: text.min(1).describe("The event's type.") }).catchall(json)],
  { error: 'the type of an event, or {type: turn/end, …} with parts of its data' },
);

export const waitFor = z
  .strictObject({
    held: holdName.optional().describe('Until a reply stops at this hold, or a tool at this gate.'),
    request: z
      .string()
      .regex(/^[a-z][a-z0-9-]*\.[1-9][0-9]*$/u, 'expected conversation.n, such as main.2')
      .optional()
      .describe('Until request n of a conversation has come: main.2.'),
    result: conversationName.optional().describe('Until the call that started this child was answered.'),
    text: text.min(1).optional().describe('Until the driver has shown this text.'),
    event: event.optional().describe('Until the driver has shown such an event.'),
    settled: conversationName.optional().describe('Until this child has settled.'),
    answered: holdName.optional().describe('Until the step with this label (`as`) has its answer.'),
  })
  .describe('One of: held, request, result, text, event, settled, answered.');
export type RawWait = z.infer<typeof waitFor>;

const bare = z.union([z.literal(true), z.null()], { error: 'nothing, or true' }).optional();

export const stepMap = z.strictObject({
  followup: text.optional().describe('Sends an ordinary message.'),
  steer: text.optional().describe('Steers the running agent.'),
  inject: text.optional().describe('Adds context that wakes nothing.'),
  cancel: bare.describe('Cancels the whole agent.'),
  idle: bare.describe('Waits until the agent is idle.'),
  wait: waitFor.optional(),
  release: holdName.optional().describe('Lets a hold or a gate go on.'),
  write: z.record(text, text).optional().describe('Writes files into the workspace: {file: content}.'),
  checkpoint: z
    .enum(['hold', 'fail', 'release'])
    .optional()
    .describe('Delays the next checkpoint, lets it fail, or lets a delayed one go on.'),
  maintenance: z.enum(['begin', 'end']).optional().describe('Begins or ends exclusive work that is no turn.'),
  restart: bare.describe('Ends the process in the orderly way and resumes the session.'),
  kill: bare.describe('Ends the process without warning, then resumes the session.'),
  dispose: bare.describe('Disposes of the agent.'),
  frame: json.optional().describe('Sends this frame as it stands; a text is sent raw, malformed or not.'),
  in: holdName.optional().describe('The session that the step is for, where there are several.'),
  as: holdName.optional().describe('A label, so that the answer can be waited for and checked.'),
});
export type RawStep = z.infer<typeof stepMap>;

export const VERBS = [
  'followup',
  'steer',
  'inject',
  'cancel',
  'idle',
  'wait',
  'release',
  'write',
  'checkpoint',
  'maintenance',
  'restart',
  'kill',
  'dispose',
  'frame',
] as const;

export const step = z.union([z.enum(BARE_STEPS), stepMap], {
  error: `a step, such as {followup: text} or idle; the steps are ${VERBS.join(', ')}`,
});

export const expectedEvent = event;
