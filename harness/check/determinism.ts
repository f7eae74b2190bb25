/** Rule 7 of pins.md: a second run elsewhere must show the same. Pure. */
import { problem, type Problem } from '../verdict/problem.ts';
import type { Observations } from '../observe/observations.ts';
import { placeholderRule, type ShownLine } from './placeholder-rule.ts';

const MOST_CHARACTERS = 240;

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
  const lines = [lineOf(old[at], first), lineOf(fresh[at], second)] as const;
  return problem({
    kind: 'NOT_DETERMINISTIC',
    key: `${first.scenario}/${place.split(' ')[0] ?? place}`,
    affected: [{ scenario: first.scenario, driver: first.driver }],
    message: [
      `A second run in another directory, home, time zone, locale and order showed something else in ${place}, line ${at + 1}.`,
      `first run    ${cut(lines[0].raw)}`,
      `second run   ${cut(lines[1].raw)}`,
      `rule         ${placeholderRule(...lines)}`,
      'What varies from run to run needs a placeholder, or must not reach the model.',
    ].join('\n'),
    diff: `-${old[at] ?? ''}\n+${fresh[at] ?? ''}`,
    seen: `${place}:${at}`,
    fix: { command: ['turnpin', 'check', first.scenario, '--keep', '--twice'], writes: 0 },
  });
}

/** The line as it is compared, and with the raw values in the places of its placeholders. */
function lineOf(line: string | undefined, observations: Observations): ShownLine {
  const shown = line ?? '(no such line)';
  const raw = [...observations.placeholders].reduce(
    (text, [placeholder, value]) => text.replaceAll(placeholder, () => value),
    shown,
  );
  return { shown, raw };
}

/** What a screen bears. */
function cut(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}
