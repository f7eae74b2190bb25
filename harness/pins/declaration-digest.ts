/** What a pending value was made from: a pending file from another declaration is stale (pins.md, rule 6). Pure. */
import type { Scenario } from '../scenario/scenario.ts';
import type { Suite } from '../scenario/suite.ts';
import { digestOf } from './expected-file.ts';

/** Changes with the scenario's file and with the composition of its category. */
export function declarationDigest(scenario: Scenario, suite: Suite): string {
  const category = suite.categories.get(scenario.category);
  return digestOf(JSON.stringify([scenario.digest, category?.agent ?? null, category?.headers ?? null]));
}
