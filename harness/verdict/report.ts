/** The one document that every command prints with `--json` (report.md), and the exit code that follows from it. */
import { FAILING_STATUSES, KINDS, STATUSES, type Driver, type Section, type Status } from './vocabulary.ts';
import type { Problem } from './problem.ts';

export type Verdict =
  'conformant' | 'no-problem' | 'failing' | 'hygiene' | 'invalid' | 'harness-error' | 'interrupted';
export type Exit = 0 | 1 | 2 | 3 | 70 | 130;
export type Level = 'MUST' | 'SHOULD' | 'MAY';
export type CoverageState = 'held' | 'failing' | 'unsupported' | 'unit-test' | 'uncovered' | 'not-judged';

export interface Result {
  readonly scenario: string;
  readonly driver: Driver;
  readonly status: Status;
  readonly reason: string | null;
  readonly covers: readonly string[];
  readonly sections: readonly Section[];
  /** Ids of problems. */
  readonly problems: readonly string[];
  readonly durationMs: number;
}

export interface PinState {
  readonly key: string;
  readonly file: string;
  readonly state: 'match' | 'changed' | 'missing' | 'not-judged';
  readonly ran: number;
  readonly members: number;
}

export interface Coverage {
  readonly level: Level;
  readonly state: CoverageState;
  readonly by: readonly string[];
}

export interface Report {
  readonly schema: 'turnpin.report/1';
  readonly turnpin: string;
  readonly suite: { readonly digest: string; readonly scenarios: number };
  readonly subject: {
    readonly name: string;
    readonly version: string | null;
    readonly drivers: readonly Driver[];
  };
  readonly filtered: boolean;
  readonly selectors: readonly string[];
  readonly verdict: Verdict;
  readonly exit: Exit;
  readonly totals: Readonly<Record<Status, number>>;
  readonly results: readonly Result[];
  readonly pins: readonly PinState[];
  readonly problems: readonly Problem[];
  readonly coverage: Readonly<Record<string, Coverage>>;
  readonly written: readonly string[];
  readonly output: unknown;
  readonly startedAt: string;
  readonly durationMs: number;
}

/** The first exit code that matches, in the order of report.md. */
export function exitCode(problems: readonly Problem[], statuses: readonly Status[]): Exit {
  const codes = new Set<Exit>(problems.map((problem) => KINDS[problem.kind].exit));
  if (codes.has(130)) return 130;
  if (codes.has(70) || statuses.includes('harness-error')) return 70;
  if (codes.has(2)) return 2;
  if (codes.has(1) || statuses.some((status) => FAILING_STATUSES.includes(status))) return 1;
  if (codes.has(3)) return 3;
  return 0;
}

/** `conformant` = exit 0, unfiltered, nothing `not-run`; every other exit 0 is `no-problem`. */
export function verdictOf(
  exit: Exit,
  facts: { filtered: boolean; ran: boolean; statuses: readonly Status[] },
): Verdict {
  switch (exit) {
    case 0:
      return facts.ran && !facts.filtered && !facts.statuses.includes('not-run')
        ? 'conformant'
        : 'no-problem';
    case 1:
      return 'failing';
    case 2:
      return 'invalid';
    case 3:
      return 'hygiene';
    case 70:
      return 'harness-error';
    case 130:
      return 'interrupted';
  }
}

/** All statuses, always present; they sum to the number of results. */
export function totalsOf(results: readonly Result[]): Record<Status, number> {
  const totals = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>;
  for (const result of results) totals[result.status] += 1;
  return totals;
}
