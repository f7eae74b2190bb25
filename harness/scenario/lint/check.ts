/** What a check of a scenario is given, and how it tells what it finds. */
import type { Position } from '../../document/position.ts';
import type { Requirement } from '../../requirements/requirement.ts';
import type { Category, Scenario } from '../scenario.ts';

/** What a scenario is held against. */
export interface Surroundings {
  readonly categories: ReadonlyMap<string, Category>;
  readonly requirements: readonly Requirement[];
  readonly byId: ReadonlyMap<string, Scenario>;
  /** Ids of all scenario files, readable or not. */
  readonly files: ReadonlySet<string>;
}

/** Tells a mistake: at a dotted path of the file, or at a position that is known already. */
export type Note = (
  where: string | { readonly path: string; readonly position: Position },
  message: string,
) => void;

export type Check = (scenario: Scenario, around: Surroundings, note: Note) => void;
