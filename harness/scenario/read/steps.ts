/** `steps:` -> steps. */
import type { JsonValue, Path } from '../../document/position.ts';
import type { ExpectedEvent, Step, WaitFor } from '../scenario.ts';
import type { RawScenario } from '../schema/scenario.ts';
import { VERBS, type RawStep, type RawWait } from '../schema/steps.ts';
import type { Reading } from './reading.ts';

export function readSteps(raw: RawScenario['steps'], reading: Reading): Step[] {
  return raw.flatMap((step, index) => {
    const path: Path = ['steps', index];
    const read = readStep(typeof step === 'string' ? { [step]: true } : step, path, reading);
    return read === null ? [] : [read];
  });
}

function readStep(raw: RawStep, path: Path, reading: Reading): Step | null {
  const verbs = VERBS.filter((verb) => raw[verb] !== undefined);
  const [verb] = verbs;
  if (verb === undefined || verbs.length > 1) {
    reading.note(
      path,
      verb === undefined
        ? `this step does nothing; give it one of ${VERBS.join(', ')}`
        : `one step does one thing, this one has ${verbs.join(' and ')}; make a list item of each`,
    );
    return null;
  }
  const place = { position: reading.at(path), in: raw.in ?? null, as: raw.as ?? null };
  switch (verb) {
    case 'followup':
    case 'steer':
    case 'inject':
      return { ...place, do: verb, text: raw[verb] ?? '' };
    case 'cancel':
    case 'idle':
    case 'restart':
    case 'kill':
    case 'dispose':
      return { ...place, do: verb };
    case 'wait': {
      const wait = readWait(raw.wait ?? {}, [...path, 'wait'], reading);
      return wait === null ? null : { ...place, do: verb, wait };
    }
    case 'release':
      return { ...place, do: verb, name: raw.release ?? '' };
    case 'write':
      return { ...place, do: verb, files: raw.write ?? {} };
    case 'checkpoint':
      return { ...place, do: verb, action: raw.checkpoint ?? 'hold' };
    case 'maintenance':
      return { ...place, do: verb, action: raw.maintenance ?? 'begin' };
    case 'frame':
      return { ...place, do: verb, frame: raw.frame ?? null };
  }
}

const WAITS = ['held', 'request', 'result', 'text', 'event', 'settled', 'answered'] as const;

function readWait(raw: RawWait, path: Path, reading: Reading): WaitFor | null {
  const given = WAITS.filter((word) => raw[word] !== undefined);
  const [word] = given;
  if (word === undefined || given.length > 1) {
    reading.note(
      path,
      word === undefined
        ? `this waits for nothing; give it one of ${WAITS.join(', ')}`
        : `one step waits for one thing, this one has ${given.join(' and ')}; make a list item of each`,
    );
    return null;
  }
  switch (word) {
    case 'held':
      return { for: word, name: raw.held ?? '' };
    case 'request': {
      const [conversation = '', number = ''] = (raw.request ?? '').split('.');
      return { for: word, conversation, number: Number(number) };
    }
    case 'result':
      return { for: word, conversation: raw.result ?? '' };
    case 'text':
      return { for: word, text: raw.text ?? '' };
    case 'event':
      return { for: word, ...readEvent(raw.event ?? '') };
    case 'settled':
      return { for: word, conversation: raw.settled ?? '' };
    case 'answered':
      return { for: word, label: raw.answered ?? '' };
  }
}

/** An event is written as its type, or as `{type, …}` with parts of its data. */
export function readEvent(
  raw: string | ({ readonly type: string } & { readonly [key: string]: JsonValue }),
): Pick<ExpectedEvent, 'type' | 'match'> {
  if (typeof raw === 'string') return { type: raw, match: {} };
  const { type, ...match } = raw;
  return { type, match };
}
