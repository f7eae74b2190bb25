import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { problem } from '../verdict/problem.ts';
import type { Result } from '../verdict/report.ts';
import { assembleReport } from './assemble.ts';
import { renderJson } from './json.ts';
import { parseReport, reportJsonSchema, reportSchema } from './schema.ts';

const published = new URL('./report.schema.json', import.meta.url);
const startedAt = new Date('2026-01-02T03:04:05.000Z');
const run: Result = {
  scenario: 'turns/b',
  driver: 'inproc',
  status: 'pass',
  reason: null,
  covers: ['SEND-1'],
  sections: ['conversations'],
  problems: [],
  durationMs: 3,
};
const facts = { turnpin: '0.1.0', startedAt, durationMs: 12.4, ran: true };

describe('the published JSON Schema', () => {
  it('is the one that follows from the zod schema (`vitest -u` writes it anew)', async () => {
    const text = `${JSON.stringify(reportJsonSchema(), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(published.pathname);
  });

  it('accepts a report, and a report of a later /1 with more fields', () => {
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(
      JSON.parse(readFileSync(published, 'utf8')),
    );
    const report = assembleReport({ ...facts, results: [run] });
    expect(validate(report)).toBe(true);
    expect(validate({ ...report, later: 1 })).toBe(true);
    expect(validate({ ...report, exit: 4 })).toBe(false);
  });
});

describe('a report', () => {
  it('is one line of JSON with exactly one LF, and reads back as what it was', () => {
    const report = assembleReport({ ...facts, results: [run] });
    const text = renderJson(report);
    expect(text.indexOf('\n')).toBe(text.length - 1);
    expect(parseReport(text)).toEqual(report);
  });

  it('refuses absolute paths, backslashes and unknown fields', () => {
    const report = assembleReport({
      ...facts,
      problems: [problem({ kind: 'ORPHAN_FILE', key: 'k', message: 'm', file: 'snapshots/x' })],
    });
    const broken = (file: string): unknown => ({
      ...report,
      problems: report.problems.map((p) => ({ ...p, file })),
    });
    expect(reportSchema.safeParse(report).success).toBe(true);
    expect(reportSchema.safeParse(broken('/etc/passwd')).success).toBe(false);
    expect(reportSchema.safeParse(broken('snapshots\\x')).success).toBe(false);
    expect(reportSchema.safeParse({ ...report, extra: true }).success).toBe(false);
  });

  it('sorts results by scenario and driver and sums every status', () => {
    const report = assembleReport({
      ...facts,
      results: [run, { ...run, driver: 'cli', status: 'unsupported' }, { ...run, scenario: 'turns/a' }],
    });
    expect(report.results.map((result) => `${result.scenario} ${result.driver}`)).toEqual([
      'turns/a inproc',
      'turns/b cli',
      'turns/b inproc',
    ]);
    expect(Object.values(report.totals).reduce((sum, number) => sum + number, 0)).toBe(3);
    expect(report.totals).toMatchObject({ pass: 2, unsupported: 1, 'not-run': 0 });
  });

  it('is conformant only where everything was run without a filter', () => {
    expect(assembleReport({ ...facts, results: [run] }).verdict).toBe('conformant');
    expect(assembleReport({ ...facts, results: [run], filtered: true }).verdict).toBe('no-problem');
    expect(assembleReport({ ...facts, results: [{ ...run, status: 'not-run' }] }).verdict).toBe('no-problem');
    expect(assembleReport({ ...facts, ran: false }).verdict).toBe('no-problem');
  });

  it('tells the same problem once, with everybody whom it affects', () => {
    const one = problem({
      kind: 'EXPECTATION_FAILED',
      key: 'k',
      message: 'm',
      affected: [{ scenario: 'a', driver: 'inproc' }],
    });
    const two = problem({
      kind: 'EXPECTATION_FAILED',
      key: 'k',
      message: 'm',
      affected: [{ scenario: 'a', driver: 'cli' }],
    });
    const report = assembleReport({ ...facts, problems: [one, two] });
    expect(report.problems).toHaveLength(1);
    expect(report.problems[0]).toMatchObject({
      driver: null,
      affected: [{ driver: 'cli' }, { driver: 'inproc' }],
    });
    expect(report.exit).toBe(1);
  });

  it('takes the first exit code that matches', () => {
    const of = (kind: Parameters<typeof problem>[0]['kind']): ReturnType<typeof problem> =>
      problem({ kind, key: 'k', message: 'm' });
    expect(assembleReport({ ...facts, problems: [of('ORPHAN_FILE')] })).toMatchObject({
      exit: 3,
      verdict: 'hygiene',
    });
    expect(assembleReport({ ...facts, problems: [of('ORPHAN_FILE'), of('PIN_CHANGED')] })).toMatchObject({
      exit: 1,
      verdict: 'failing',
    });
    expect(assembleReport({ ...facts, problems: [of('PIN_CHANGED'), of('USAGE')] })).toMatchObject({
      exit: 2,
      verdict: 'invalid',
    });
    expect(assembleReport({ ...facts, problems: [of('USAGE'), of('HARNESS_ERROR')] })).toMatchObject({
      exit: 70,
      verdict: 'harness-error',
    });
    expect(assembleReport({ ...facts, problems: [of('HARNESS_ERROR'), of('INTERRUPTED')] })).toMatchObject({
      exit: 130,
      verdict: 'interrupted',
    });
  });
});
