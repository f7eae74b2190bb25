/** From the arguments to the one document or its text, and the exit code. */
import { CommanderError } from 'commander';
import { assembleReport } from '../report/assemble.ts';
import { renderConsole } from '../report/console.ts';
import { renderJson } from '../report/json.ts';
import { wantsColors } from '../report/terminal.ts';
import type { Report } from '../verdict/report.ts';
import { problemOf } from './failure.ts';
import type { Outcome } from './outcome.ts';
import { buildProgram } from './program.ts';
import { UsageError } from './usage-error.ts';
import type { World } from './world.ts';

/**
 * Runs one command. Prints exactly one document with `--json`, whatever happens, and text for people otherwise; all
 * else goes to standard error. Resolves to the exit code; never rejects.
 */
export async function main(args: readonly string[], world: World): Promise<number> {
  const started = { at: world.now(), ticks: world.ticks() };
  const json = beforeSeparator(args).includes('--json');
  const outcome = await Promise.race([dispatch(args, world), world.fault]).catch((error: unknown) =>
    failed(error, world, started),
  );
  if (json) world.stdout.write(renderJson(outcome.report));
  else write(outcome, chosenRoot(args), world);
  return outcome.report.exit;
}

async function dispatch(args: readonly string[], world: World): Promise<Outcome> {
  const helped: string[] = [];
  const found: { outcome: Outcome | null } = { outcome: null };
  const program = buildProgram({
    world,
    print: (text) => helped.push(text),
    done: (outcome) => {
      found.outcome = outcome;
    },
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return spoken(error, helped.join(''), world);
    throw error;
  }
  return found.outcome ?? spoken(new CommanderError(1, 'commander.help', ''), helped.join(''), world);
}

/** What commander wanted to say: help and version are answers, everything else is a mistake on the command line. */
function spoken(error: CommanderError, printed: string, world: World): Outcome {
  if (error.exitCode === 0) {
    const report = assembleReport({
      turnpin: world.turnpin,
      output: printed.trimEnd(),
      startedAt: world.now(),
      durationMs: 0,
    });
    return { report, text: printed };
  }
  if (error.code === 'commander.help') {
    throw new UsageError(
      'command',
      'A command is missing: `turnpin check` runs the scenarios, `turnpin --help` lists all commands.',
    );
  }
  const [first = '', ...hints] = error.message.replace(/^error: /u, '').split('\n');
  const about = /'([^']+)'/u.exec(first)?.[1]?.split(' ')[0] ?? 'arguments';
  throw new UsageError(
    about,
    [
      capital(first),
      ...hints,
      '`turnpin --help` lists the commands, `turnpin <command> --help` their options.',
    ].join('\n'),
  );
}

function failed(error: unknown, world: World, started: { at: Date; ticks: number }): Outcome {
  const found = problemOf(error, null);
  if (found.kind === 'HARNESS_ERROR')
    world.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  const report = assembleReport({
    turnpin: world.turnpin,
    problems: [found],
    startedAt: started.at,
    durationMs: world.ticks() - started.ticks,
  });
  return { report, text: null };
}

/** A mistake on the command line is told on standard error, so that nobody pipes it on as a result. */
function write(outcome: Outcome, root: string | null, world: World): void {
  const mistaken = isMistake(outcome.report);
  const output = mistaken ? world.stderr : world.stdout;
  const colors = wantsColors(world.env, output.isTerminal);
  const text = outcome.text ?? renderConsole(outcome.report, { colors, chosenRoot: root });
  if (outcome.before !== undefined && outcome.before !== null) output.write(`${outcome.before}\n\n`);
  output.write(text.endsWith('\n') || text === '' ? text : `${text}\n`);
}

function isMistake(report: Report): boolean {
  return report.problems.some((found) => found.kind === 'USAGE' || found.kind === 'UNWRITABLE');
}

function beforeSeparator(args: readonly string[]): readonly string[] {
  const separator = args.indexOf('--');
  return separator < 0 ? args : args.slice(0, separator);
}

function chosenRoot(args: readonly string[]): string | null {
  const before = beforeSeparator(args);
  for (const [index, word] of before.entries()) {
    if (word === '-C' || word === '--root') return before[index + 1] ?? null;
    if (word.startsWith('--root=')) return word.slice('--root='.length);
    if (word.startsWith('-C')) return word.slice(2);
  }
  return null;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
