/** What a command hands back: the one document, and what a person reads instead of it. */
import type { Report } from '../verdict/report.ts';

export interface Outcome {
  readonly report: Report;
  /** Null: the report as `renderConsole` writes it. */
  readonly text: string | null;
  /** What stands above the text. */
  readonly before?: string | null;
}
