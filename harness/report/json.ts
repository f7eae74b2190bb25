/** The report as one line of JSON. */
import type { Report } from '../verdict/report.ts';

/** Fields in the order of report.md, keys of maps sorted, exactly one LF, at the end. */
export function renderJson(report: Report): string {
  const ordered: Report = {
    schema: report.schema,
    turnpin: report.turnpin,
    suite: { digest: report.suite.digest, scenarios: report.suite.scenarios },
    subject: { name: report.subject.name, version: report.subject.version, drivers: report.subject.drivers },
    filtered: report.filtered,
    selectors: report.selectors,
    verdict: report.verdict,
    exit: report.exit,
    totals: report.totals,
    results: report.results,
    pins: report.pins,
    problems: report.problems,
    coverage: Object.fromEntries(Object.entries(report.coverage).sort(([a], [b]) => (a < b ? -1 : 1))),
    written: report.written,
    output: report.output ?? null,
    startedAt: report.startedAt,
    durationMs: report.durationMs,
  };
  return `${JSON.stringify(ordered)}\n`;
}
