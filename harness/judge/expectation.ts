/** One part of `expect`, judged. */
import type { JsonValue, TextMatch } from '../scenario/scenario.ts';

/** Something that does not hold. `path` names the place in the scenario, such as `expect.turns.1.end`. */
export interface Unmet {
  readonly path: string;
  /** What was expected and what was found, in whole sentences. */
  readonly message: string;
}

/** Null: this part cannot be observed through this driver. */
export type Judged = readonly Unmet[] | null;

/** A text expectation in words. */
export function describeText(expected: TextMatch): string {
  return 'is' in expected
    ? `exactly ${quoted(expected.is)}`
    : `something that contains ${quoted(expected.contains)}`;
}

/** A value in words, shortened. */
export function quoted(value: JsonValue | undefined): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= 300 ? text : `${text.slice(0, 200)}… (${text.length} characters) …${text.slice(-80)}`;
}
