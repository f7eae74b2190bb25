/** All checks of one scenario, one file a check. Pure. */
import type { Mistake } from '../../document/position.ts';
import type { Scenario } from '../scenario.ts';
import type { Check, Note, Surroundings } from './check.ts';
import { lintDeadReplies } from './dead-replies.ts';
import { lintExpectations } from './expectations.ts';
import { lintHead } from './head.ts';
import { lintHolds } from './holds.ts';
import { lintOpens } from './opens.ts';
import { lintPaths } from './paths.ts';
import { lintReplies } from './replies.ts';
import { lintSteps } from './steps.ts';

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
