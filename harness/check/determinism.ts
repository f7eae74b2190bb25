/** Rule 7 of pins.md: a second run elsewhere must show the same. Pure. */
import { problem, type Problem } from '../verdict/problem.ts';
import type { Observations } from '../observe/observations.ts';

const CONTEXT_CHARACTERS = 60;

/** The first difference between two runs of one scenario, with both raw values; null where they show the same. */
export function differenceBetween(first: Observations, second: Observations): Problem | null {
  const one = valuesOf(first);
  const other = valuesOf(second);
  for (const place of [...new Set([...one.keys(), ...other.keys()])]) {
    const before = one.get(place) ?? '';
    const after = other.get(place) ?? '';
    if (before !== after) return notDeterministic({ first, second, place, before, after });
  }
  return null;
}

/** Everything that is pinned, by the name under which a reader knows it. */
function valuesOf(observations: Observations): Map<string, string> {
  const values = new Map<string, string>();
  for (const [section, text] of observations.sections) values.set(section, text);
  for (const header of observations.headers) {
    values.set(`${header.part} of ${header.conversation} request ${header.request}`, header.text);
  }
  return values;
}

interface Difference {
  readonly first: Observations;
  readonly second: Observations;
  readonly place: string;
  readonly before: string;
  readonly after: string;
}

function notDeterministic({ first, second, place, before, after }: Difference): Problem {
  const old = before.split('\n');
  const fresh = after.split('\n');
  const line = old.findIndex((text, index) => text !== fresh[index]);
  const at = line < 0 ? Math.min(old.length, fresh.length) : line;
  const raw = [`first run    ${raised(old[at], first)}`, `second run   ${raised(fresh[at], second)}`];
  return problem({
    kind: 'NOT_DETERMINISTIC',
    key: `${first.scenario}/${place.split(' ')[0] ?? place}`,
    affected: [{ scenario: first.scenario, driver: first.driver }],
    message: [
      `A second run in another directory, home and time zone showed something else in ${place}, line ${at + 1}.`,
      ...raw,
      'A value that varies from run to run needs a placeholder rule (`volatile:` of the manifest), or must not reach the model.',
    ].join('\n'),
    diff: `-${old[at] ?? ''}\n+${fresh[at] ?? ''}`,
    seen: `${place}:${at}`,
  });
}

/** The line with the raw values in the places of its placeholders, around what a screen bears. */
function raised(line: string | undefined, observations: Observations): string {
  if (line === undefined) return '(no such line)';
  let text = line;
  for (const [placeholder, value] of observations.placeholders)
    text = text.replaceAll(placeholder, () => value);
  return text.length > 4 * CONTEXT_CHARACTERS ? `${text.slice(0, 4 * CONTEXT_CHARACTERS)}…` : text;
}
