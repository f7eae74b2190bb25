/** The `bash` tool. */
import { CommandOutput, LARGEST_OUTPUT, LARGEST_SPILL, type SpillDirectory } from './command-output.ts';
import { runShell, type ShellEnd } from './shell-process.ts';
import { ToolError, type Tool, type ToolOutcome } from './tool.ts';
import { Workspace } from './workspace.ts';

const DEFAULT_TIMEOUT_S = 120;
const LONGEST_TIMEOUT_S = 600;
/** In bytes. Linux takes 128 KiB as one argument. */
const LONGEST_COMMAND = 120_000;

export interface BashOptions {
  readonly confine: boolean;
  readonly spill: SpillDirectory;
}

/**
 * Runs a shell command. The model sees standard output and standard error as they were mixed, 32 KiB of it at most (up
 * to 64 MiB goes to a file that is named), and the exit code. An exit code other than 0 is an error result
 * (`NONZERO_EXIT`), so are `TIMED_OUT`, `ABORTED` (with the output until then), `COMMAND_TOO_LONG` and `SHELL_NOT_STARTED`. Only
 * `workdir` is confined to the workspace: a shell command can reach whatever its user can.
 */
export function bashTool(options: BashOptions): Tool {
  return {
    name: 'bash',
    description:
      'Runs a command in bash and shows what it prints, standard error included, and its exit code. ' +
      'Every call is a fresh shell: variables and the current directory do not carry over. ' +
      'Long output is shown with its middle left out; all of it is then in a file, which the result names. ' +
      'When the shell ends, background processes that it started are stopped.',
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'string', minLength: 1, description: 'The command, which may span lines.' },
        timeout: {
          type: 'number',
          exclusiveMinimum: 0,
          maximum: LONGEST_TIMEOUT_S,
          description: `Seconds after which it is stopped; ${String(DEFAULT_TIMEOUT_S)} by default.`,
        },
        workdir: {
          type: 'string',
          minLength: 1,
          description: 'The directory to run in; the workspace by default.',
        },
      },
      required: ['command'],
      additionalProperties: false,
    },
    run: async (args, { cwd, env, signal, callId }) => {
      const {
        command,
        timeout = DEFAULT_TIMEOUT_S,
        workdir = '.',
      } = args as {
        readonly command: string;
        readonly timeout?: number;
        readonly workdir?: string;
      };
      refuseUnusable(command);
      const workspace = await Workspace.open({ root: cwd, confine: options.confine });
      const output = new CommandOutput(() => options.spill.create(callId), {
        shown: LARGEST_OUTPUT,
        spilled: LARGEST_SPILL,
      });
      const end = await runShell({
        command,
        cwd: await workspace.directory(workdir),
        env,
        timeoutMs: timeout * 1000,
        signal,
        onOutput: (piece) => output.add(piece),
      });
      return outcome(await output.finish(), end, timeout);
    },
  };
}

/** What no system could start. */
function refuseUnusable(command: string): void {
  if (command.includes('\0')) throw new ToolError('INVALID_ARGS', 'The command holds a NUL character.');
  if (Buffer.byteLength(command) > LONGEST_COMMAND) {
    throw new ToolError(
      'COMMAND_TOO_LONG',
      `The command is longer than ${String(LONGEST_COMMAND)} bytes. Put it into a file with write, and run that.`,
    );
  }
}

function outcome(output: string, end: ShellEnd, timeout: number): ToolOutcome {
  const { note, code } = account(end, timeout);
  const content = output === '' || output.endsWith('\n') ? `${output}[${note}]` : `${output}\n[${note}]`;
  return code === null ? { content, isError: false } : { content, isError: true, code };
}

function account(end: ShellEnd, timeout: number): { readonly note: string; readonly code: string | null } {
  switch (end.kind) {
    case 'exited':
      return { note: `exit code ${String(end.code)}`, code: end.code === 0 ? null : 'NONZERO_EXIT' };
    case 'killed':
      return { note: `ended by ${end.signal}`, code: 'NONZERO_EXIT' };
    case 'timed-out':
      return { note: `stopped after ${String(timeout)} s, the limit for this call`, code: 'TIMED_OUT' };
    case 'aborted':
      return { note: 'cancelled; the command was stopped', code: 'ABORTED' };
    case 'not-started':
      return { note: `bash could not be started (${end.code})`, code: 'SHELL_NOT_STARTED' };
  }
}
