/** What must hold (scenarios.md, "Expectations"). */
import { z } from 'zod';
import { conversationName, count, json, text, textMatch } from './parts.ts';
import { expectedEvent } from './steps.ts';

/** Reasons for the end of a turn (core.md, "Session log"). */
export const TURN_ENDS = ['completed', 'max-tokens', 'rejected', 'aborted', 'error', 'interrupted'] as const;
export const CANCEL_CAUSES = ['user', 'parent', 'hook', 'disposed'] as const;

const turn = z
  .strictObject({
    prompt: textMatch.optional().describe('The message that opened the turn.'),
    source: text.optional().describe('Who wrote that message: user, subagent-settled, goal, …'),
    end: z.enum(TURN_ENDS).describe('Why the turn ended.'),
    cause: z.enum(CANCEL_CAUSES).optional().describe('Who cancelled it, for `end: aborted`.'),
    steps: count.optional().describe('How many model requests with their tool calls it had.'),
    lane: conversationName.optional().describe("The conversation; main where it isn't given."),
  })
  .describe('One turn: {prompt, end}, and where it matters source, cause, steps, lane.');

const answers = z.record(text, json).describe('Label of a step (`as`) -> parts of its answer.');

export const expect = z
  .strictObject({
    refused: textMatch
      .optional()
      .describe('The log in `session` is not opened, with an error that says this, and is left untouched.'),
    turns: z.array(turn).optional().describe('All turns, in order.'),
    requests: z
      .union([count, z.record(conversationName, count)], {
        error: 'a number, or a number for each conversation',
      })
      .optional()
      .describe('How many requests there are; retries count, asides do not.'),
    log: z
      .record(text, z.array(expectedEvent))
      .optional()
      .describe(
        'Lane (main, or its parts main.inbox and main.loop) -> events that appear in it in this order, among others.',
      ),
    files: z
      .record(
        text,
        z.union([textMatch, z.null()], {
          error: 'a text, {is: text}, or null for a file that must not exist',
        }),
      )
      .optional()
      .describe('Files of the workspace at the end; null: must not exist.'),
    cli: z
      .strictObject({
        stdout: textMatch.optional().describe('Standard output; makes the driver leave out --json.'),
        stderr: textMatch.optional().describe('Standard error.'),
        exit: z.int().min(0).max(255).optional().describe('Exit code.'),
      })
      .optional()
      .describe('What the one-shot command shows.'),
    acp: z
      .strictObject({
        answers: answers.optional(),
        updates: z
          .array(json)
          .optional()
          .describe('Session updates that appear in this order, among others.'),
      })
      .optional()
      .describe('What an ACP client sees.'),
    sdk: z.strictObject({ answers: answers.optional() }).optional().describe('What an SDK client sees.'),
    status: z
      .array(z.enum(['running', 'idle']))
      .optional()
      .describe('All transitions of the whole agent, in order.'),
  })
  .describe('What must hold. List only what matters.');
export type RawExpect = z.infer<typeof expect>;
