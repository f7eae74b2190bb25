/** What a run shows while it lasts. Pure: the command line writes the text, and knows whether a terminal reads it. */
import type { Result } from '../verdict/report.ts';
import { FAILING_STATUSES } from '../verdict/vocabulary.ts';

export interface Progress {
  started(total: number): void;
  finished(result: Pick<Result, 'scenario' | 'driver' | 'status'>): void;
  /** Takes away what must not stay. */
  ended(): void;
}

export const SILENT: Progress = {
  started: () => undefined,
  finished: () => undefined,
  ended: () => undefined,
};

/** One line that rewrites itself; runs that failed stay above it. */
export function liveProgress(write: (text: string) => void, columns: () => number): Progress {
  let total = 0;
  let done = 0;
  let failed = 0;
  const clear = '\r\u001B[2K';
  return {
    started(count) {
      total = count;
      write(`${clear}0/${total}`);
    },
    finished(result) {
      done += 1;
      const fails = isFailure(result.status);
      if (fails) failed += 1;
      if (fails) write(`${clear}${result.status}  ${result.scenario} (${result.driver})\n`);
      const line = `${done}/${total}${failed > 0 ? `  ${failed} failed` : ''}  ${result.scenario}`;
      write(`${clear}${line.slice(0, Math.max(10, columns() - 1))}`);
    },
    ended: () => write(clear),
  };
}

/** For logs: a line for each run that failed, and one for each tenth of the way when there is much to do. */
export function sparseProgress(write: (text: string) => void): Progress {
  let total = 0;
  let done = 0;
  return {
    started(count) {
      total = count;
    },
    finished(result) {
      done += 1;
      if (isFailure(result.status)) write(`${result.status}  ${result.scenario} (${result.driver})\n`);
      const tenth = Math.ceil(total / 10);
      if (total >= 100 && done % tenth === 0) write(`${done}/${total}\n`);
    },
    ended: () => undefined,
  };
}

function isFailure(status: Result['status']): boolean {
  return FAILING_STATUSES.includes(status) || status === 'harness-error';
}
