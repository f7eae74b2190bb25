/** The command line of turnpin. Only what it takes to read the arguments is loaded here; a command loads the rest. */
import { Command } from 'commander';
import type { CommandContext, DefineCommand } from './command.ts';
import { defineAccept } from './commands/accept.ts';
import { defineCheck } from './commands/check.ts';
import { defineExplain } from './commands/explain.ts';
import { defineLint } from './commands/lint.ts';
import { defineModel } from './commands/model.ts';
import { defineMove } from './commands/move.ts';
import { defineNew } from './commands/new.ts';
import { definePrune } from './commands/prune.ts';
import { defineReview } from './commands/review.ts';
import { defineRules } from './commands/rules.ts';
import { defineWhy } from './commands/why.ts';

const COMMANDS: readonly DefineCommand[] = [
  defineCheck,
  defineAccept,
  definePrune,
  defineReview,
  defineWhy,
  defineMove,
  defineLint,
  defineExplain,
  defineRules,
  defineNew,
  defineModel,
];

/** Throws CommanderError, never prints and never exits. */
export function buildProgram(context: CommandContext): Command {
  const program = new Command('turnpin')
    .description(
      'Runs scenarios against an agent and a scripted model, and holds what it does to rules and pins.',
    )
    .option(
      '-C, --root <dir>',
      'the project (default: nearest folder upwards with turnpin.yaml or scenarios/)',
    )
    .option('--json', 'print exactly one report document (turnpin.report/1) to standard output')
    .version(context.world.turnpin, '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({ writeOut: context.print, writeErr: () => undefined })
    .configureHelp({ showGlobalOptions: true, helpWidth: 110 })
    .helpCommand('help [command]', 'show what a command does')
    .helpOption('-h, --help', 'show what a command does')
    .addHelpText('after', EXITS);
  for (const define of COMMANDS) define(program, context);
  return program;
}

const EXITS = `
Exit codes: 0 no problem, 1 the subject fails, 2 usage or an invalid scenario (nothing was run), 3 only hygiene,
70 turnpin itself failed, 130 interrupted.`;
