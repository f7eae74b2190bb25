/**
 * The report package (seed 002): what gives a continuable child its way back. Two registrations on the child's own
 * scope, one disposer. It sends nothing itself and knows nothing of settlement.
 */
import { SECTION_ORDER } from '../prompt/first-party.ts';
import type { PromptSection } from '../prompt/sections.ts';
import type { MessageId } from '../session/events.ts';
import { messageOf } from '../session/thrown.ts';
import type { Tool } from '../tools/tool.ts';

/** What a child's scope has to offer. `deliver` hands a report to the parent; it throws a `ToolError` where it cannot. */
export interface ReportScope {
  readonly tools: { add(tool: Tool): () => void };
  readonly systemPrompt: { add(section: PromptSection): () => void };
  readonly deliver: (text: string) => MessageId;
}

/** Registrations that could not all be made, or not all be revoked. `errors` has every failure. */
export class ReportRegistrationError extends AggregateError {
  readonly code: 'REPORT_INSTALL_FAILED' | 'REPORT_CLEANUP_FAILED';
  constructor(code: ReportRegistrationError['code'], what: string, errors: readonly unknown[]) {
    super(errors, `${what}: ${errors.map(messageOf).join('; ')}`);
    this.name = 'ReportRegistrationError';
    this.code = code;
  }
}

/** A package was loaded without something that it names as a dependency (REPORT-9). */
export class MissingDependencyError extends Error {
  readonly code = 'MISSING_DEPENDENCY';
  readonly missing: readonly string[];
  constructor(name: string, missing: readonly string[]) {
    super(
      `The package "${name}" needs ${missing.map((each) => `"${each}"`).join(' and ')}, which is not there. Provide it, or leave the package out.`,
    );
    this.name = 'MissingDependencyError';
    this.missing = missing;
  }
}

/** What the package needs of the agent that it is loaded into. */
export const REPORT_PACKAGE = { name: 'report', inject: ['systemPrompt', 'tools'] } as const;

/** What a loaded package does for one child; returns the disposer. */
export type InstallReport = (scope: ReportScope) => () => void;

/** Loads the package. @throws {MissingDependencyError} at once, not when the next child is made (REPORT-9). */
export function loadReportPackage(
  services: Readonly<Partial<Record<(typeof REPORT_PACKAGE.inject)[number], unknown>>>,
): InstallReport {
  const missing = REPORT_PACKAGE.inject.filter((name) => services[name] === undefined);
  if (missing.length > 0) throw new MissingDependencyError(REPORT_PACKAGE.name, missing);
  return installReportTool;
}

/**
 * Registers the tool `report` and the section `tool:report` (REPORT-1..4). Where the tool cannot be registered, the
 * section is rolled back; where that fails too, both failures are told. The disposer is idempotent and attempts both
 * revocations before it throws.
 */
export function installReportTool(scope: ReportScope): () => void {
  const removeSection = scope.systemPrompt.add(reportSection());
  let removeTool: () => void;
  try {
    removeTool = scope.tools.add(reportTool(scope.deliver));
  } catch (failure) {
    const [rollback] = failuresOf([removeSection]);
    if (rollback === undefined) throw failure;
    throw new ReportRegistrationError(
      'REPORT_INSTALL_FAILED',
      'The report tool could not be registered, nor its section removed again',
      [failure, rollback.error],
    );
  }
  let disposed = false;
  return () => {
    if (disposed) return;
    disposed = true;
    const failures = failuresOf([removeTool, removeSection]).map(({ error }) => error);
    if (failures.length === 0) return;
    throw new ReportRegistrationError(
      'REPORT_CLEANUP_FAILED',
      'The report tool could not be removed completely',
      failures,
    );
  };
}

/** Runs all of them, whatever the first ones do. */
function failuresOf(actions: readonly (() => void)[]): readonly { readonly error: unknown }[] {
  return actions.flatMap((action) => {
    try {
      action();
      return [];
    } catch (error) {
      return [{ error }];
    }
  });
}

/** The obligation where a model looks for a tool. */
export function reportTool(deliver: ReportScope['deliver']): Tool {
  return {
    name: 'report',
    description:
      'Sends a message to the agent that gave you your task. It is your only way back: that agent sees nothing else of ' +
      'what you write or do. Call it once before you end, with a final result that can be understood on its own, ' +
      'without your conversation. Call it earlier as well, whenever partial progress would change what that agent does ' +
      'next. It ends nothing: you go on afterwards, and may report again.',
    parameters: {
      type: 'object',
      properties: {
        text: { type: 'string', minLength: 1, description: 'The report, complete in itself.' },
      },
      required: ['text'],
      additionalProperties: false,
    },
    run: (args) => {
      const { text } = args as { readonly text: string };
      return Promise.resolve({ content: `Delivered as message ${deliver(text)}.`, isError: false });
    },
  };
}

const OBLIGATION = `I work for another agent. It gave me this task and waits for what comes of it, but it cannot look into this conversation: an answer that I only write here is lost on it.

So I am not done when I know the answer. I am done when I have called \`report\` with it: once before I end, with a final result that stands on its own, with findings, decisions and paths spelled out. When something that I find on the way would change what that agent does next, I report it at once and go on working.`;

/** The same obligation in the child's own voice, where it judges whether it is finished. */
export function reportSection(): PromptSection {
  return { name: 'tool:report', order: SECTION_ORDER['tool:report'], text: OBLIGATION };
}
