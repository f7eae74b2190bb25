/** Running a step's tool calls (core.md, "Tools"; CANCEL-4, REQ-5, TURN-12). */
import { distance } from 'fastest-levenshtein';
import type { ToolCall } from '../session/events.ts';
import { messageOf } from '../session/thrown.ts';
import { readArguments, type ToolArguments } from './arguments.ts';
import type { ToolRegistry } from './registry.ts';
import type { ToolRunEnvironment, ToolRunner } from './tool-runner.ts';
import { ToolError, type Tool, type ToolContext, type ToolOutcome } from './tool.ts';

/** Most calls that run at once. */
export const MOST_AT_ONCE = 10;

export interface SchedulerOptions {
  /**
   * How long a body may go on after an abort, to kill its processes and say what it did. One that ignores the signal
   * is settled as `ABORTED` then, and left behind. Three seconds by default.
   */
  readonly abortGraceMs?: number | undefined;
}

/**
 * Runs the tools of `registry`. Adjacent calls that are parallel-safe run side by side; any other call waits for all
 * before it, and all after it wait for it.
 */
export function createToolRunner(registry: ToolRegistry, options: SchedulerOptions = {}): ToolRunner {
  const abortGraceMs = options.abortGraceMs ?? 3_000;
  return {
    schemas: () => registry.schemas(),
    run: async (calls, environment, onResult) => {
      const results = new OrderedResults(onResult);
      const prepared = await Promise.all(calls.map((call, index) => prepare(registry, call, index)));
      for (const group of groupsOf(prepared)) await runGroup(group, { environment, abortGraceMs, results });
    },
  };
}

/** A call that is ready to run, or whose outcome is known without running anything. */
type Prepared =
  | {
      readonly kind: 'ready';
      readonly index: number;
      readonly call: ToolCall;
      readonly tool: Tool;
      readonly args: ToolArguments;
      readonly parallelSafe: boolean;
    }
  | { readonly kind: 'refused'; readonly index: number; readonly outcome: ToolOutcome };

async function prepare(registry: ToolRegistry, call: ToolCall, index: number): Promise<Prepared> {
  const tool = registry.get(call.name);
  if (tool === undefined) return { kind: 'refused', index, outcome: unknownTool(registry, call.name) };
  try {
    const args = await readArguments(tool, call.arguments);
    return { kind: 'ready', index, call, tool, args, parallelSafe: tool.parallelSafe?.(args) ?? false };
  } catch (error) {
    return { kind: 'refused', index, outcome: failure(error) };
  }
}

/** Cuts the calls into runs that may go side by side. A refused call runs nothing, so it is no barrier. */
function groupsOf(calls: readonly Prepared[]): readonly (readonly Prepared[])[] {
  const groups: Prepared[][] = [];
  let open: Prepared[] | null = null;
  for (const call of calls) {
    if (call.kind === 'ready' && !call.parallelSafe) {
      groups.push([call]);
      open = null;
    } else if (open === null) {
      open = [call];
      groups.push(open);
    } else {
      open.push(call);
    }
  }
  return groups;
}

interface GroupRun {
  readonly environment: ToolRunEnvironment;
  readonly abortGraceMs: number;
  readonly results: OrderedResults;
}

async function runGroup(group: readonly Prepared[], run: GroupRun): Promise<void> {
  const waiting = [...group];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      run.results.settle(next.index, await outcomeOf(next, run));
    }
  };
  await Promise.all(Array.from({ length: Math.min(MOST_AT_ONCE, group.length) }, work));
}

async function outcomeOf(call: Prepared, { environment, abortGraceMs }: GroupRun): Promise<ToolOutcome> {
  if (environment.signal.aborted) return ABORTED_BEFORE_DISPATCH;
  if (call.kind === 'refused') return call.outcome;
  const context: ToolContext = { ...environment, callId: call.call.id };
  const body = runBody(call.tool, call.args, context);
  return settleDespiteAbort(body, environment.signal, abortGraceMs);
}

/** Never rejects: what a body throws, at once or later, becomes an error result. */
async function runBody(tool: Tool, args: ToolArguments, context: ToolContext): Promise<ToolOutcome> {
  try {
    const outcome: unknown = await tool.run(args, context);
    return isOutcome(outcome)
      ? outcome
      : failure(new Error(`"${tool.name}" answered with something that is no result`));
  } catch (error) {
    return failure(error);
  }
}

/** The body's outcome, or `ABORTED` where the abort came first; with the body's own words where it says that itself. */
function settleDespiteAbort(
  body: Promise<ToolOutcome>,
  signal: AbortSignal,
  graceMs: number,
): Promise<ToolOutcome> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      timer = setTimeout(() => {
        resolve(ABORTED);
      }, graceMs);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    void body.then((outcome) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(signal.aborted && outcome.code !== 'ABORTED' ? ABORTED : outcome);
    });
  });
}

/** Passes results on in call order, each once, as soon as all before it are there. */
class OrderedResults {
  readonly #onResult: (index: number, outcome: ToolOutcome) => void;
  readonly #settled = new Map<number, ToolOutcome>();
  #next = 0;

  constructor(onResult: (index: number, outcome: ToolOutcome) => void) {
    this.#onResult = onResult;
  }

  settle(index: number, outcome: ToolOutcome): void {
    this.#settled.set(index, outcome);
    for (let ready = this.#take(); ready !== undefined; ready = this.#take()) {
      this.#onResult(this.#next++, ready);
    }
  }

  #take(): ToolOutcome | undefined {
    const outcome = this.#settled.get(this.#next);
    this.#settled.delete(this.#next);
    return outcome;
  }
}

const ABORTED: ToolOutcome = {
  content: 'The call was cancelled while it ran. What it had done until then stands.',
  isError: true,
  code: 'ABORTED',
};

const ABORTED_BEFORE_DISPATCH: ToolOutcome = {
  content: 'The call was cancelled before it started. Nothing was done.',
  isError: true,
  code: 'ABORTED_BEFORE_DISPATCH',
};

function failure(error: unknown): ToolOutcome {
  if (error instanceof ToolError) return { content: error.message, isError: true, code: error.code };
  return { content: `The tool failed: ${messageOf(error)}`, isError: true, code: 'TOOL_FAILED' };
}

function isOutcome(value: unknown): value is ToolOutcome {
  if (typeof value !== 'object' || value === null) return false;
  const { content, isError } = value as Partial<Record<keyof ToolOutcome, unknown>>;
  return typeof content === 'string' && typeof isError === 'boolean';
}

/** Most names that an `UNKNOWN_TOOL` proposes. */
const MOST_PROPOSED = 3;

function unknownTool(registry: ToolRegistry, name: string): ToolOutcome {
  const known = registry.tools().map((tool) => tool.name);
  const nearest = known
    .map((candidate) => ({ candidate, far: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.far - b.far)
    .slice(0, MOST_PROPOSED)
    .map(({ candidate }) => `"${candidate}"`);
  const advice =
    nearest.length === 0 ? 'No tool is available.' : `The nearest names are ${nearest.join(', ')}.`;
  return {
    content: `There is no tool named ${JSON.stringify(name)}. ${advice}`,
    isError: true,
    code: 'UNKNOWN_TOOL',
  };
}
