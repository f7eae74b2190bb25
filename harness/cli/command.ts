/** What each file under `commands/` is: it adds one command to the program. */
import type { Command } from 'commander';
import type { Outcome } from './outcome.ts';
import type { World } from './world.ts';

/** What a command is given, and where it hands its outcome. */
export interface CommandContext {
  readonly world: World;
  /** Takes help and version texts. */
  print(text: string): void;
  done(outcome: Outcome): void;
}

/** Adds one command. Options of the program (`-C`, `--json`) may stand before or after its name. */
export type DefineCommand = (program: Command, context: CommandContext) => void;
