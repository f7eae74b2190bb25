/** The shape of the report as others may rely on it: the zod schema, and the JSON Schema that is published from it. */
import { z } from 'zod';
import { BLAMES, DRIVERS, KINDS, SECTIONS, STATUSES, type Kind } from '../verdict/vocabulary.ts';
import type { Report } from '../verdict/report.ts';

const kinds = Object.keys(KINDS) as [Kind, ...Kind[]];
const driver = z.enum(DRIVERS);
const count = z.int().min(0);
/** Relative to the project, with `/`. */
const path = z.string().regex(/^(?!\/)[^\\]*$/u);

const result = z.strictObject({
  scenario: z.string(),
  driver,
  status: z.enum(STATUSES),
  reason: z.string().nullable(),
  covers: z.array(z.string()).readonly(),
  sections: z.array(z.enum(SECTIONS)).readonly(),
  problems: z.array(z.string()).readonly(),
  durationMs: z.number().min(0),
});

const pin = z.strictObject({
  key: z.string(),
  file: path,
  state: z.enum(['match', 'changed', 'missing', 'not-judged']),
  ran: count,
  members: count,
});

const problem = z.strictObject({
  id: z.string().min(1),
  kind: z.enum(kinds),
  blame: z.enum(BLAMES),
  key: z.string(),
  driver: driver.nullable(),
  file: path.nullable(),
  line: z.int().min(1).nullable(),
  column: z.int().min(1).nullable(),
  affected: z.array(z.strictObject({ scenario: z.string(), driver })).readonly(),
  message: z.string().min(1),
  diff: z.string().nullable(),
  fix: z.strictObject({ command: z.array(z.string()).readonly(), writes: count }).nullable(),
});

const coverage = z.strictObject({
  level: z.enum(['MUST', 'SHOULD', 'MAY']),
  state: z.enum(['held', 'failing', 'unsupported', 'unit-test', 'uncovered', 'not-judged']),
  by: z.array(z.string()).readonly(),
});

/** Accepts exactly the documents that report.md describes; an unknown key is an error. */
export const reportSchema = z.strictObject({
  schema: z.literal('turnpin.report/1'),
  turnpin: z.string(),
  suite: z.strictObject({ digest: z.string(), scenarios: count }),
  subject: z.strictObject({
    name: z.string(),
    version: z.string().nullable(),
    drivers: z.array(driver).readonly(),
  }),
  filtered: z.boolean(),
  selectors: z.array(z.string()).readonly(),
  verdict: z.enum([
    'conformant',
    'no-problem',
    'failing',
    'hygiene',
    'invalid',
    'harness-error',
    'interrupted',
  ]),
  exit: z.literal([0, 1, 2, 3, 70, 130]),
  totals: z.strictObject(
    Object.fromEntries(STATUSES.map((status) => [status, count])) as Record<
      (typeof STATUSES)[number],
      typeof count
    >,
  ),
  results: z.array(result).readonly(),
  pins: z.array(pin).readonly(),
  problems: z.array(problem).readonly(),
  coverage: z.record(z.string(), coverage),
  written: z.array(path).readonly(),
  output: z.json(),
  startedAt: z.iso.datetime(),
  durationMs: z.number().min(0),
}) satisfies z.ZodType<unknown>;

/** The published JSON Schema (report.md). Readers of `/1` must bear fields that are added, so nothing is closed in it. */
export function reportJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(reportSchema, {
    target: 'draft-2020-12',
    override: ({ jsonSchema }) => void delete jsonSchema.additionalProperties,
  });
  return { $id: 'https://turnpin.dev/schema/report-1.json', title: 'turnpin.report/1', ...schema };
}

/** Reads a document that claims to be a report. Throws a zod error that names every wrong field. */
export function parseReport(text: string): Report {
  return reportSchema.parse(JSON.parse(text)) as Report;
}
