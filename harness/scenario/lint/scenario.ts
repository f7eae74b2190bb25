/** All checks of one scenario, one file a check. Pure. */
import type { Mistake, Position } from '../../document/position.ts';
import type { Requirement } from '../../requirements/requirement.ts';
import type { Category, Scenario } from '../scenario.ts';
import { lintDeadReplies } from './dead-replies.ts';
import { lintExpectations } from './expectations.ts';
import { lintHead } from './head.ts';
import { lintHolds } from './holds.ts';
import { lintOpens } from './opens.ts';
import { lintPaths } from './paths.ts';
import { lintReplies } from './replies.ts';
import { lintSteps } from './steps.ts';

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

const CHECKS: readonly Check[] = [
  lintHead,
  lintReplies,
  lintOpens,
  lintDeadReplies,
  lintHolds,
  lintSteps,
  lintExpectations,
  lintPaths,
];

export function lintScenario(scenario: Scenario, around: Surroundings): Mistake[] {
  const found: Mistake[] = [];
  const note: Note = (where, message) => {
    found.push(
      typeof where === 'string'
        ? { position: scenario.positionOf(where), path: where, message }
        : { position: where.position, path: where.path, message },
    );
  };
  for (const check of CHECKS) check(scenario, around, note);
  return found;
}
