/** What a check is asked to do, and what it hands back. */
import type { Progress } from '../report/progress.ts';
import type { Report } from '../verdict/report.ts';
import type { Driver } from '../verdict/vocabulary.ts';

export interface CheckOptions {
  /** Absolute. */
  readonly root: string;
  readonly selectors: readonly string[];
  /** Null: every driver. */
  readonly drivers: readonly Driver[] | null;
  /** Runs at a time; null: by the number of processors. */
  readonly jobs: number | null;
  /** Leave the directories of every run. */
  readonly keep: boolean;
  /** Run everything a second time; new pins are run twice in any case. */
  readonly twice: boolean;
  /** Leave pending files and `turnpin.patch`; the gate in CI writes nothing. */
  readonly writes: boolean;
  readonly interrupt: AbortSignal;
  readonly progress: Progress;
  readonly turnpin: string;
  readonly now: () => Date;
  readonly ticks: () => number;
}

export interface CheckOutcome {
  readonly report: Report;
  /** For people, on standard error: what was kept where. */
  readonly remarks: readonly string[];
  /** What happened, where one scenario was run alone; null otherwise. */
  readonly timeline: string | null;
}
