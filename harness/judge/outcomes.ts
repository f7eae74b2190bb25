/** `expect.requests`, `expect.files` and `expect.status`. Pure. */
import type { Observations } from '../observe/observations.ts';
import { textFits } from '../run/partial-match.ts';
import type { Recording } from '../run/recording.ts';
import type { Expect } from '../scenario/scenario.ts';
import { describeText, quoted, type Judged, type Unmet } from './expectation.ts';

/** A session that had to be refused, by name and without a trace (LOG-6). */
export function judgeRefused(expected: Expect['refused'], found: Recording['refusal']): readonly Unmet[] {
  if (expected === null) return [];
  const path = 'expect.refused';
  if (found === null) return [{ path, message: 'expected the session not to be opened, and it was' }];
  const says = textFits(expected, found.text)
    ? []
    : [
        {
          path,
          message: `expected the refusal to be ${describeText(expected)}, found ${quoted(found.text)}`,
        },
      ];
  const touched = 'expected the log to be left untouched, with nothing beside it, and it was not';
  return found.untouched ? says : [...says, { path, message: touched }];
}

/** One number for all conversations together, or one for each that is named; retries count. */
export function judgeRequests(expected: Expect['requests'], found: ReadonlyMap<string, number>): Judged {
  if (expected === null) return [];
  if (typeof expected === 'number') {
    const total = [...found.values()].reduce((sum, count) => sum + count, 0);
    if (total === expected) return [];
    const each = [...found].map(([name, count]) => `${name} ${count}`).join(', ');
    return [
      { path: 'expect.requests', message: `expected ${expected} requests in all, found ${total} (${each})` },
    ];
  }
  return Object.entries(expected).flatMap(([name, wanted]) => {
    const count = found.get(name) ?? 0;
    if (count === wanted) return [];
    return [
      {
        path: `expect.requests.${name}`,
        message: `expected ${wanted} requests of "${name}", found ${count}`,
      },
    ];
  });
}

export function judgeFiles(expected: Expect['files'], found: ReadonlyMap<string, string | null>): Judged {
  if (expected === null) return [];
  return Object.entries(expected).flatMap(([file, wanted]) => {
    const text = found.get(file) ?? null;
    const path = `expect.files.${file}`;
    if (wanted === null)
      return text === null
        ? []
        : [{ path, message: `expected no file ${file}, found one with ${quoted(text)}` }];
    if (text === null)
      return [{ path, message: `expected a file ${file} with ${describeText(wanted)}, found no such file` }];
    return textFits(wanted, text)
      ? []
      : [{ path, message: `expected in ${file} ${describeText(wanted)}, found ${quoted(text)}` }];
  });
}

export function judgeStatus(expected: Expect['status'], found: Observations['statuses']): Judged {
  if (expected === null) return [];
  if (found === null) return null;
  if (expected.join() === found.join()) return [];
  const [wanted, seen] = [expected.join(', ') || 'nowhere', found.join(', ') || 'no change'];
  return [{ path: 'expect.status', message: `expected the status to go ${wanted}; found ${seen}` }];
}
