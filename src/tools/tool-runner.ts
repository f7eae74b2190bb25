/** What the loop asks of whoever runs a step's tool calls. One implementation: `scheduler.ts`. */
import type { ToolCall, ToolSchema } from '../session/events.ts';
import type { ToolOutcome } from './tool.ts';

/** What the calls of one step have in common. */
export interface ToolRunEnvironment {
  /** Absolute path of the workspace. */
  readonly cwd: string;
  /** Environment for processes that tools start. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The turn's own signal (core.md, "Cancel"). */
  readonly signal: AbortSignal;
}

export interface ToolRunner {
  /** The schemas of all tools that a request should offer, in a stable order (REQ-2). */
  schemas(): readonly ToolSchema[];
  /**
   * Runs the calls of one step. `onResult` is called once for each call, in call order, whatever happens to it
   * (CANCEL-4, REQ-5); calls are told apart by their place, not by id (TURN-12). Resolves after the last one.
   * Rejects only where `onResult` itself throws.
   */
  run(
    calls: readonly ToolCall[],
    environment: ToolRunEnvironment,
    onResult: (index: number, outcome: ToolOutcome) => void,
  ): Promise<void>;
}
