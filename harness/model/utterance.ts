/** What an assistant said, in the form in which a history is compared with a script (scenarios.md, step 2). */
import type { NeutralCall } from './exchange.ts';

/** Text trimmed; arguments as canonical JSON values. Ids and reasoning don't count. */
export interface Utterance {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
}

const MALFORMED = 'malformed:';

/** The utterance of a message or of a reply. */
export function utterance(
  text: string,
  calls: readonly Pick<NeutralCall, 'name' | 'arguments'>[],
): Utterance {
  return {
    text: text.trim(),
    calls: calls.map((call) => ({ name: call.name, arguments: canonicalArguments(call.arguments) })),
  };
}

/** Arguments as a JSON value with sorted keys; none at all means `{}`; what is no JSON stays as written, marked. */
export function canonicalArguments(written: string): string {
  if (written.trim() === '') return '{}';
  try {
    return canonicalJson(JSON.parse(written));
  } catch {
    return MALFORMED + written;
  }
}

/** True for a reply whose arguments are no JSON: agents send them back mended in ways of their own. */
export function isMalformed(canonical: string): boolean {
  return canonical.startsWith(MALFORMED);
}

export function isEmpty(said: Utterance): boolean {
  return said.text === '' && said.calls.length === 0;
}

/** JSON text with the keys of every object in order, so that equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (inner === null || typeof inner !== 'object' || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  });
}
