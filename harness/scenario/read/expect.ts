/** `expect:` -> expectations. What is not mentioned is null: it is not checked. */
import type { Path } from '../../document/position.ts';
import type { Expect, ExpectedEvent, ExpectedTurn, TextMatch } from '../scenario.ts';
import type { RawExpect } from '../schema/expect.ts';
import type { Reading } from './reading.ts';
import { readEvent } from './steps.ts';

export function readExpect(raw: RawExpect | undefined, reading: Reading): Expect {
  const given = raw ?? {};
  return {
    refused: given.refused === undefined ? null : readMatch(given.refused),
    turns: given.turns?.map((turn, index) => readTurn(turn, ['expect', 'turns', index], reading)) ?? null,
    requests: given.requests ?? null,
    log: given.log === undefined ? null : readLog(given.log, reading),
    files:
      given.files === undefined
        ? null
        : Object.fromEntries(
            Object.entries(given.files).map(([file, match]) => [
              file,
              match === null ? null : readMatch(match),
            ]),
          ),
    cli:
      given.cli === undefined
        ? null
        : {
            stdout: given.cli.stdout === undefined ? null : readMatch(given.cli.stdout),
            stderr: given.cli.stderr === undefined ? null : readMatch(given.cli.stderr),
            exit: given.cli.exit ?? null,
          },
    acp:
      given.acp === undefined ? null : { answers: given.acp.answers ?? {}, updates: given.acp.updates ?? [] },
    sdk: given.sdk === undefined ? null : { answers: given.sdk.answers ?? {} },
    status: given.status ?? null,
  };
}

function readTurn(raw: NonNullable<RawExpect['turns']>[number], path: Path, reading: Reading): ExpectedTurn {
  if (raw.cause !== undefined && raw.end !== 'aborted') {
    reading.note(
      [...path, 'cause'],
      `only a turn with "end: aborted" has a cause; this one ends as "${raw.end}"`,
    );
  }
  return {
    position: reading.at(path),
    prompt: raw.prompt === undefined ? null : readMatch(raw.prompt),
    source: raw.source ?? null,
    end: raw.end,
    cause: raw.cause ?? null,
    steps: raw.steps ?? null,
    lane: raw.lane ?? 'main',
  };
}

function readLog(
  raw: NonNullable<RawExpect['log']>,
  reading: Reading,
): { [lane: string]: readonly ExpectedEvent[] } {
  return Object.fromEntries(
    Object.entries(raw).map(([lane, events]) => [
      lane,
      events.map((event, index) => ({
        position: reading.at(['expect', 'log', lane, index]),
        ...readEvent(event),
      })),
    ]),
  );
}

function readMatch(raw: string | { readonly is: string }): TextMatch {
  return typeof raw === 'string' ? { contains: raw } : { is: raw.is };
}
