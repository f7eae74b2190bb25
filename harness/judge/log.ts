/** `expect.log`: for each lane, partial events that occur in this order, others between them at will. Pure. */
import type { ObservedEvent } from '../observe/observations.ts';
import { mismatch } from '../run/partial-match.ts';
import type { Expect, ExpectedEvent, JsonValue } from '../scenario/scenario.ts';
import { quoted, type Judged, type Unmet } from './expectation.ts';

/** A lane is a conversation, or one half of it: `main.inbox`, `main.loop`. */
export function judgeLog(
  expected: Expect['log'],
  found: ReadonlyMap<string, readonly ObservedEvent[]> | null,
): Judged {
  if (expected === null) return [];
  if (found === null) return null;
  return Object.entries(expected).flatMap(([lane, events]) => judgeLane(lane, events, found.get(lane)));
}

function judgeLane(
  lane: string,
  expected: readonly ExpectedEvent[],
  found: readonly ObservedEvent[] | undefined,
): readonly Unmet[] {
  const path = `expect.log.${lane}`;
  if (found === undefined)
    return [{ path, message: `expected a lane "${lane}" in the log, found no session of that name` }];
  let next = 0;
  for (const [index, event] of expected.entries()) {
    const at = found.findIndex((candidate, position) => position >= next && fits(event, candidate));
    if (at < 0) return [{ path: `${path}.${index}`, message: missing(event, found, next) }];
    next = at + 1;
  }
  return [];
}

function fits(expected: ExpectedEvent, { type, data }: ObservedEvent): boolean {
  return type === expected.type && mismatch(expected.match, data as JsonValue) === null;
}

function missing(expected: ExpectedEvent, found: readonly ObservedEvent[], from: number): string {
  const rest = found.slice(from);
  const wanted =
    Object.keys(expected.match).length === 0
      ? expected.type
      : `${expected.type} with ${quoted(expected.match)}`;
  const where = from === 0 ? 'in the log' : `after event ${from} (${found[from - 1]?.type ?? ''})`;
  const near = rest
    .filter(({ type }) => type === expected.type)
    .slice(0, 3)
    .flatMap(({ data }) => mismatch(expected.match, data as JsonValue) ?? [])
    .map(
      (differs) =>
        `\n  nearest: ${differs.path || 'data'} is ${quoted(differs.found)}, expected ${quoted(differs.expected)}`,
    );
  const types =
    rest.length === 0
      ? 'nothing'
      : rest
          .slice(0, 30)
          .map(({ type }) => type)
          .join(', ');
  return `expected ${wanted} ${where}, found none${near.join('')}\n  found ${where}: ${types}`;
}
