/** The whole scenario file (scenarios.md). The published JSON Schema is made from this. */
import { z } from 'zod';
import { DRIVERS } from '../../verdict/vocabulary.ts';
import { expect } from './expect.ts';
import { conversationName, jsonMap, text } from './parts.ts';
import { aside, model, reply } from './reply.ts';
import { sessionIdOf } from '../session-log.ts';
import { step, stepMap, waitFor } from './steps.ts';

const childPins = z.union(
  [
    z.array(z.int().min(1)),
    z.record(z.string().regex(/^[1-9][0-9]*$/u, 'a child is named by its number, from 1'), text),
  ],
  { error: 'a list of child numbers such as [1], or {1: scenario} where another scenario owns the file' },
);

const drivers = z.array(z.enum(DRIVERS)).min(1);

const sessionLog = text.refine((log) => sessionIdOf(log) !== null, {
  error: 'a session log: its first line is JSON with an "id", as in {"type":"session","version":0,"id":"…"}',
});

export const scenarioFile = z
  .strictObject({
    title: text.min(1).describe('The rule that this scenario shows, as one sentence.'),
    covers: z.array(text).describe('Ids from requirements.yaml; `turnpin rules WORD` finds them.'),
    category: text
      .optional()
      .describe("The agent's composition, from categories.yaml; base where it isn't given."),
    agent: jsonMap.optional().describe('Overlay of agent.yaml for this scenario alone.'),
    workspace: z.record(text, text).optional().describe('Files to start with: {file: content}.'),
    session: sessionLog
      .optional()
      .describe(
        'The log that the session is resumed from: a header line with an id, then a line for each event.',
      ),
    via: drivers.optional().describe('Only these drivers, where the way in is what is tested.'),
    model: model.optional(),
    steps: z.array(step).min(1).describe('What the driver does, in order. A last `idle` is implied.'),
    expect: expect.optional(),
    pinsChildSystemPrompts: childPins
      .optional()
      .describe(
        "Children whose system prompt differs from the category's: [1], or {1: scenario that owns the file}.",
      ),
    pinsChildToolSchemas: childPins
      .optional()
      .describe("Children whose tools differ from the category's: [1], or {1: scenario that owns the file}."),
    pinsWire: drivers.optional().describe('Drivers whose raw frames are pinned.'),
    rewrites: z
      .array(conversationName)
      .optional()
      .describe('Conversations whose requests may rewrite their history (REQ-3).'),
  })
  .describe('One scenario: what the model answers, what the driver does, what must hold.');
export type RawScenario = z.infer<typeof scenarioFile>;

/** Where a key belongs that turns up in the wrong place. */
export const ELSEWHERE: ReadonlyMap<string, string> = new Map(
  [
    [scenarioFile.shape, 'at the top of the file'],
    [expect.shape, 'under "expect"'],
    [{ main: 0, asides: 0 }, 'under "model"'],
    [reply.shape, 'in a reply, under "model"'],
    [aside.shape, 'in an aside, under "model.asides"'],
    [waitFor.shape, 'under "wait", in a step'],
    [stepMap.shape, 'in a step, under "steps"'],
  ]
    .flatMap(([shape, where]) => Object.keys(shape as object).map((key) => [key, where as string] as const))
    .reverse(),
);
