/** Turns as seen from outside: a session's events folded into one entry a turn. Pure. */
import {
  field,
  inserted,
  messagesOf,
  numberField,
  stringField,
  type SeenMessage,
} from '../subject/event-view.ts';
import type { JsonValue } from '../scenario/scenario.ts';
import type { RecordedEvent } from '../subject/subject.ts';
import type { ObservedTurn } from './observations.ts';
import type { Normaliser } from './placeholders.ts';

interface OpenTurn {
  readonly turn: number;
  /** The ordinary message, or the first of the others where none was claimed. */
  prompt: SeenMessage | null;
  ordinary: boolean;
  steps: number;
  end: string | null;
  cause: string | null;
}

/** Folds one session. The prompt is the message that the turn claimed before its first step. */
export function turnsOf(
  events: readonly RecordedEvent[],
  lane: string,
  normaliser: Normaliser,
): readonly ObservedTurn[] {
  const fold = new TurnFold();
  for (const event of events) fold.take(event);
  return fold.turns.map(({ turn, prompt, steps, end, cause }) => ({
    lane,
    turn,
    prompt: prompt === null ? null : normaliser.text(prompt.text),
    source: prompt?.source ?? null,
    steps,
    end,
    cause,
  }));
}

/** The section `turns`: a lane each. */
export function turnsSection(turns: readonly ObservedTurn[], lanes: readonly string[]): JsonValue {
  const shown = ({ turn, prompt, source, steps, end, cause }: ObservedTurn): JsonValue => ({
    turn,
    ...(prompt === null ? {} : { prompt }),
    ...(source === null || source === 'user' ? {} : { source }),
    steps,
    end,
    ...(cause === null ? {} : { cause }),
  });
  return Object.fromEntries(
    lanes.map((lane) => [lane, turns.filter((turn) => turn.lane === lane).map(shown)]),
  );
}

class TurnFold {
  readonly turns: OpenTurn[] = [];
  readonly #inbox: Record<string, SeenMessage[]> = {};

  take(event: RecordedEvent): void {
    const { type, data } = event;
    const open = this.turns.at(-1);
    switch (type) {
      case 'agent/inbox/spliced':
        return this.#splice(event);
      case 'turn/start':
        this.turns.push({
          turn: numberField(data, 'turn') ?? 0,
          prompt: null,
          ordinary: false,
          steps: 0,
          end: null,
          cause: null,
        });
        return;
      case 'step/start':
        if (open !== undefined) open.steps += 1;
        return;
      case 'prompt/blocked':
        return this.#opened(messagesOf(event)[0], true);
      case 'turn/end': {
        const reason = field(data, 'reason');
        if (open === undefined) return;
        open.end = stringField(reason, 'kind') ?? 'unknown';
        open.cause = stringField(reason, 'cause') ?? stringField(reason, 'code');
      }
    }
  }

  #splice(event: RecordedEvent): void {
    const target = stringField(event.data, 'target') ?? '';
    const list = (this.#inbox[target] ??= []);
    const removed = list.splice(
      numberField(event.data, 'start') ?? 0,
      numberField(event.data, 'removedCount') ?? 0,
      ...inserted(event),
    );
    const claimed = stringField(event.data, 'outcome') === null;
    if (claimed) this.#opened(removed[0], target === 'next-turn');
  }

  #opened(message: SeenMessage | undefined, ordinary: boolean): void {
    const open = this.turns.at(-1);
    if (message === undefined || open === undefined || open.end !== null || open.steps > 0 || open.ordinary)
      return;
    if (ordinary || open.prompt === null) open.prompt = message;
    open.ordinary = ordinary;
  }
}
