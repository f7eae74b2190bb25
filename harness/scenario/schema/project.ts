/** The files beside the scenarios: categories.yaml and turnpin.yaml. */
import { z } from 'zod';
import { jsonMap, text } from './parts.ts';

const category = z
  .strictObject({
    extends: text.optional().describe('The category whose overlay and pins this one inherits.'),
    agent: jsonMap.optional().describe('Overlay of agent.yaml.'),
    headers: z
      .strictObject({
        varying: z.array(text).optional().describe('HTTP headers whose presence alone is pinned.'),
      })
      .optional()
      .describe('HTTP headers that need a rule of their own.'),
  })
  .describe('One composition of the agent.');

export const categoriesFile = z
  .record(
    text,
    z.union([category, z.null()], { error: 'a map with extends, agent or headers; {} for the plain agent' }),
  )
  .describe("Compositions of the agent by name. A scenario's `category` names one of them.");
export type RawCategories = z.infer<typeof categoriesFile>;

export const projectFile = z
  .strictObject({
    scenarios: text.min(1).optional().describe('Folder of the scenarios; scenarios where it is left out.'),
    snapshots: text
      .min(1)
      .optional()
      .describe('Folder of the expected files; snapshots where it is left out.'),
  })
  .describe('Where a project keeps its parts. Every key has a default.');
