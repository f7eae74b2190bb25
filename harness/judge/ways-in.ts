/** `expect.cli`, `expect.acp`, `expect.sdk`: each judged by its own driver alone. Pure. */
import { mergedSessionUpdates } from '../observe/wire.ts';
import { mismatch, textFits } from '../run/partial-match.ts';
import type { Recording } from '../run/recording.ts';
import type { Expect, JsonValue, TextMatch } from '../scenario/scenario.ts';
import { describeText, quoted, type Judged, type Unmet } from './expectation.ts';

export function judgeCli(expected: Expect['cli'], { driver, shown }: Recording): Judged {
  if (expected === null) return [];
  if (driver !== 'cli') return null;
  const stream = (name: 'stdout' | 'stderr', wanted: TextMatch | null): readonly Unmet[] => {
    if (wanted === null || textFits(wanted, shown[name])) return [];
    return [
      {
        path: `expect.cli.${name}`,
        message: `expected on ${name} ${describeText(wanted)}, found ${quoted(shown[name])}`,
      },
    ];
  };
  const how = shown.exit.signal === null ? `exit code ${shown.exit.code}` : `an end by ${shown.exit.signal}`;
  const exit = expected.exit === null || expected.exit === shown.exit.code;
  return [
    ...stream('stdout', expected.stdout),
    ...stream('stderr', expected.stderr),
    ...(exit
      ? []
      : [{ path: 'expect.cli.exit', message: `expected exit code ${expected.exit}, found ${how}` }]),
  ];
}

export function judgeSdk(expected: Expect['sdk'], { driver, shown }: Recording): Judged {
  if (expected === null) return [];
  return driver === 'sdk' ? judgeAnswers('expect.sdk.answers', expected.answers, shown.answers) : null;
}

export function judgeAcp(expected: Expect['acp'], { driver, shown }: Recording): Judged {
  if (expected === null) return [];
  if (driver !== 'acp') return null;
  return [
    ...judgeAnswers('expect.acp.answers', expected.answers, shown.answers),
    ...judgeUpdates(expected.updates, mergedSessionUpdates(shown.frames)),
  ];
}

function judgeAnswers(
  path: string,
  expected: Readonly<Record<string, JsonValue>>,
  found: ReadonlyMap<string, JsonValue>,
): readonly Unmet[] {
  return Object.entries(expected).flatMap(([label, wanted]) => {
    const answer = found.get(label);
    const differs = mismatch(wanted, answer);
    if (differs === null) return [];
    const place = differs.path === '' ? '' : `${differs.path} to be `;
    const message =
      answer === undefined
        ? `expected an answer to the step labelled "${label}", found none`
        : `answer "${label}": expected ${place}${quoted(differs.expected)}, found ${quoted(differs.found)}`;
    return [{ path: `${path}.${label}`, message }];
  });
}

function judgeUpdates(expected: readonly JsonValue[], found: readonly JsonValue[]): readonly Unmet[] {
  let next = 0;
  for (const [index, wanted] of expected.entries()) {
    const at = found.findIndex((update, position) => position >= next && mismatch(wanted, update) === null);
    if (at < 0) {
      const rest = found.slice(next, next + 8).map((update) => `\n  found ${quoted(update)}`);
      return [
        {
          path: `expect.acp.updates.${index}`,
          message: `expected an update like ${quoted(wanted)}, found none${rest.join('')}`,
        },
      ];
    }
    next = at + 1;
  }
  return [];
}
