/** `expect.turns`: complete and in order, lane by lane. Pure. */
import type { ObservedTurn } from '../observe/observations.ts';
import { textFits } from '../run/partial-match.ts';
import type { ExpectedTurn } from '../scenario/scenario.ts';
import { describeText, type Judged, type Unmet } from './expectation.ts';

/** Judges every lane that the expectation names, and `main` always. */
export function judgeTurns(
  expected: readonly ExpectedTurn[] | null,
  found: readonly ObservedTurn[] | null,
): Judged {
  if (expected === null) return [];
  if (found === null) return null;
  const lanes = new Set(['main', ...expected.map(({ lane }) => lane)]);
  return [...lanes].flatMap((lane) =>
    judgeLane(
      lane,
      expected,
      found.filter((turn) => turn.lane === lane),
    ),
  );
}

function judgeLane(
  lane: string,
  expected: readonly ExpectedTurn[],
  found: readonly ObservedTurn[],
): readonly Unmet[] {
  const wanted = expected
    .map((turn, index) => ({ turn, path: `expect.turns.${index}` }))
    .filter(({ turn }) => turn.lane === lane);
  const seen = `\n${describeTurns(lane, found)}`;
  for (const [index, { turn, path }] of wanted.entries()) {
    const actual = found[index];
    if (actual === undefined) {
      const message = `expected ${wanted.length} turns in "${lane}", found ${found.length}; there is no turn ${index + 1}${seen}`;
      return [{ path, message }];
    }
    const unmet = judgeTurn(turn, actual, path);
    // After a turn that is not the one that was meant, every later one would differ too.
    if (unmet.length > 0)
      return unmet.map((each) => ({
        ...each,
        message: `turn ${index + 1} of "${lane}": ${each.message}${seen}`,
      }));
  }
  if (found.length === wanted.length) return [];
  const message = `expected ${wanted.length} turns in "${lane}" and no more, found ${found.length}${seen}`;
  return [{ path: 'expect.turns', message }];
}

function judgeTurn(expected: ExpectedTurn, found: ObservedTurn, path: string): readonly Unmet[] {
  const unmet: Unmet[] = [];
  const check = (key: string, holds: boolean, message: string): void => {
    if (!holds) unmet.push({ path: `${path}.${key}`, message });
  };
  const { prompt, source, end, cause, steps } = expected;
  if (prompt !== null) {
    const fits = found.prompt !== null && textFits(prompt, found.prompt);
    check('prompt', fits, `expected the prompt ${describeText(prompt)}, found ${text(found.prompt)}`);
  }
  if (source !== null)
    check('source', source === found.source, `expected the source ${source}, found ${text(found.source)}`);
  check('end', end === found.end, `expected the end ${end}, found ${found.end ?? 'a turn that never ended'}`);
  if (cause !== null)
    check('cause', cause === found.cause, `expected the cause ${cause}, found ${text(found.cause)}`);
  if (steps !== null) check('steps', steps === found.steps, `expected ${steps} steps, found ${found.steps}`);
  return unmet;
}

function describeTurns(lane: string, turns: readonly ObservedTurn[]): string {
  if (turns.length === 0) return `  found no turn in "${lane}"`;
  return turns
    .map(({ turn, prompt, source, steps, end, cause }) => {
      const from = source === null || source === 'user' ? '' : ` (${source})`;
      const why = cause === null ? '' : `, ${cause}`;
      return `  found ${turn}. ${text(prompt)}${from}: ${end ?? 'never ended'}${why}, ${steps} ${steps === 1 ? 'step' : 'steps'}`;
    })
    .join('\n');
}

function text(value: string | null): string {
  if (value === null) return 'none';
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
}
