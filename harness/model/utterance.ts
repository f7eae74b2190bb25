/** What an assistant said, in the form in which a history is compared with a script (scenarios.md, step 2). */
import type { NeutralCall } from './exchange.ts';

/** Text trimmed, and calls with their arguments as written. Ids and reasoning don't count. */
export interface Utterance {
  readonly text: string;
  readonly calls: readonly Pick<NeutralCall, 'name' | 'arguments'>[];
}

/** The utterance of a message or of a reply. */
export function utterance(text: string, calls: Utterance['calls']): Utterance {
  return { text: text.trim(), calls };
}

export function isEmpty(said: Utterance): boolean {
  return said.text === '' && said.calls.length === 0;
}

/**
 * Whether arguments in a history are those that a reply gave: equal as JSON values, `{}` where there are none. Arguments that
 * were no JSON may come back as anything, since every agent mends them in its own way.
 */
export function sameArguments(carried: string, given: string): boolean {
  if (carried === given) return true;
  const wanted = canonicalArguments(given);
  return wanted === null || canonicalArguments(carried) === wanted;
}

/** Null for what is no JSON. */
function canonicalArguments(written: string): string | null {
  if (written.trim() === '') return '{}';
  try {
    return canonicalJson(JSON.parse(written));
  } catch {
    return null;
  }
}

/** JSON text with the keys of every object in order, so that equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  });
}
