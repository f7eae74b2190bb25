#!/usr/bin/env node
/** The command line of the agent: one file a command, each loaded only when it is called. */
import { Command, CommanderError } from 'commander';
import { version } from '../assembly/version.ts';
import type { AcpOptions } from './acp.ts';
import { processEdge } from './edge.ts';
import type { CommandEdge } from './edge.ts';
import type { ExecOptions } from './exec.ts';
import { failure } from './failure.ts';
import { EXIT } from './interval.ts';
import type { ServeOptions } from './serve.ts';

void run(process.argv.slice(2), processEdge());

/** Ends the process once everything that it has to say has left. */
async function run(args: readonly string[], edge: CommandEdge): Promise<never> {
  const code = await main(args, edge).catch((error: unknown) => failure(error, edge));
  await edge.stdout.flushed();
  const lost = edge.stdout.failure;
  if (lost !== null) edge.complain(`the output could not be written: ${lost.message}`);
  await edge.stderr.flushed();
  process.exit(lost !== null && code === EXIT.completed ? EXIT.notCompleted : code);
}

async function main(args: readonly string[], at: CommandEdge): Promise<number> {
  let exitCode: number = EXIT.completed;
  const program = new Command('turnpin-agent')
    .description('An agent on any OpenAI-compatible endpoint, with real tools on the current directory.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .configureOutput({
      writeOut: (text) => at.stdout.write(text),
      writeErr: (text) => at.stderr.write(text),
      outputError: (text, write) => write(`turnpin-agent: ${text.replace(/^error: /, '')}`),
    })
    .showSuggestionAfterError()
    .exitOverride();
  program
    .command('exec')
    .description('carry out one task, print the last answer, and exit 0 only when it was completed')
    .argument('[task...]', 'what to do; read from standard input where it is left out')
    .option(
      '--lines',
      'every non-blank line of standard input is a task of its own, enqueued when it is read',
    )
    .option('--json', 'print JSON lines, {"event": …} or {"status": …}, instead of the last answer')
    .option('--session <id>', 'resume this session')
    .option('--config <file>', 'read this file instead of ./agent.yaml')
    .action(async (task: string[], options: ExecOptions) => {
      const { exec } = await import('./exec.ts');
      exitCode = await exec(task, options, at);
    });
  program
    .command('serve')
    .description('speak the low-level protocol: newline-delimited JSON-RPC 2.0 on standard input and output')
    .option('--config <file>', 'read this file instead of ./agent.yaml')
    .action(async (options: ServeOptions) => {
      const { serve } = await import('./serve.ts');
      exitCode = await serve(options, at);
    });
  program
    .command('acp')
    .description('speak the Agent Client Protocol, version 1, on standard input and output, for editors')
    .option('--config <file>', 'read this file instead of ./agent.yaml')
    .action(async (options: AcpOptions) => {
      const { acp } = await import('./acp.ts');
      exitCode = await acp(options, at);
    });
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.completed : EXIT.usage;
  }
  return exitCode;
}
