/** The shape of a tool, its call and its result (core.md, "Tools"). */
import type { Json, ToolSchema } from '../session/events.ts';

/** What a tool's body may use. */
export interface ToolContext {
  /** Absolute path of the workspace. */
  readonly cwd: string;
  /** Environment for processes that the tool starts. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by `cancel()`, disposal and, for a child in the foreground, by its caller. */
  readonly signal: AbortSignal;
  readonly callId: string;
}

/** Content that the model sees. `code` is a stable name for a kind of error, such as `UNKNOWN_TOOL`. */
export interface ToolOutcome {
  readonly content: string;
  readonly isError: boolean;
  readonly code?: string;
}

export interface Tool extends ToolSchema {
  /** May these (already valid) arguments run beside other parallel-safe calls? Absent means never. */
  readonly parallelSafe?: (args: { readonly [key: string]: Json }) => boolean;
  /**
   * Runs the call. A thrown error becomes an error result that the model sees (`TOOL_FAILED`, or the
   * error's own `code` when it is a `ToolError`); it never fails the turn.
   */
  run(args: { readonly [key: string]: Json }, context: ToolContext): Promise<ToolOutcome>;
}

/** An error that a tool raises on purpose, for the model to read. */
export class ToolError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = 'ToolError';
    this.code = code;
  }
}
