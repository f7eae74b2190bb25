/** What one run of one scenario through one driver left behind, raw. */
import type { Driver } from '../verdict/vocabulary.ts';
import type { Exchange, ModelFinding } from '../model/exchange.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Shown } from '../subject/subject.ts';

/** Volatile places and values of this run; normalisation replaces them. */
export interface Places {
  readonly cwd: string;
  readonly home: string;
  readonly scratch: string;
  readonly modelUrl: string;
  readonly apiKey: string;
  readonly version: string | null;
  /** The days on which the run may have happened in any time zone, `2026-11-30`. */
  readonly dates: readonly string[];
}

/** A step or a start that did not go as the scenario says. */
export interface RunFailure {
  readonly kind:
    | 'STEP_TIMEOUT'
    | 'SUBJECT_CRASHED'
    | 'SUBJECT_PROTOCOL'
    | 'SETUP_FAILED'
    | 'CAPABILITY_REFUSED'
    | 'HARNESS_ERROR';
  /** `steps.3`, `start`, `close`. */
  readonly key: string;
  readonly message: string;
}

export interface Refusal {
  /** The error as the driver got it, and what stood on standard error. */
  readonly text: string;
  /** Is the log, byte for byte, as it was, and nothing left beside it? */
  readonly untouched: boolean;
}

export interface Recording {
  readonly scenario: Scenario;
  readonly driver: Driver;
  readonly exchanges: readonly Exchange[];
  readonly findings: readonly ModelFinding[];
  readonly shown: Shown;
  /** Workspace files at the end, by relative path; only those that `expect.files` names. Null: not there. */
  readonly files: ReadonlyMap<string, string | null>;
  /** How the subject refused to open the session that the scenario gives; null where it did not, or none is expected. */
  readonly refusal: Refusal | null;
  readonly places: Places;
  readonly failures: readonly RunFailure[];
  readonly durationMs: number;
}
