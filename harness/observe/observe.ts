/** Recording -> Observations: the only place where raw values become comparable ones (architecture.md). Pure. */
import { lanesOf } from '../run/lanes.ts';
import type { Recording } from '../run/recording.ts';
import type { JsonValue } from '../scenario/scenario.ts';
import type { Section } from '../verdict/vocabulary.ts';
import { canonicalYaml } from './canonical.ts';
import { conversationsSection, exchangesOf } from './conversations.ts';
import { headersOf } from './headers.ts';
import { logSection, observedLog } from './log.ts';
import type { ObservedEvent, ObservedTurn, Observations } from './observations.ts';
import { Normaliser } from './placeholders.ts';
import { turnsOf, turnsSection } from './turns.ts';
import { volatileTable } from './volatile.ts';
import { wireSection } from './wire.ts';

export interface ObserveFacts {
  /** Headers whose presence alone is pinned, from the category (and a port's manifest). */
  readonly varying: readonly string[];
}

/**
 * Observes a recording. Sections are numbered in one go, in their order in the transcript, so that a driver which observes
 * fewer of them gives those the same text.
 */
export function observe(recording: Recording, facts: ObserveFacts): Observations {
  const { scenario, driver, exchanges, shown } = recording;
  const table = volatileTable(recording);
  const varying = new Set(facts.varying.map((name) => name.toLowerCase()));
  const normaliser = new Normaliser(table);
  const headers = headersOf(exchanges, scenario, { table, varying });
  const sections = new Map<Section, string>();
  const section = (name: Section, value: JsonValue): void => {
    sections.set(name, canonicalYaml({ [name]: value }));
  };

  section('conversations', conversationsSection(exchanges, scenario, { normaliser, varying }));
  const sessions = observedSessions(recording, normaliser);
  if (sessions !== null) {
    section('turns', turnsSection(sessions.turns, sessions.lanes));
    section('log', sessions.log);
  }
  if (scenario.pinsWire.includes(driver)) section('wire', wireSection(recording, normaliser));

  return {
    scenario: scenario.id,
    driver,
    headers: headers.values,
    sections,
    turns: sessions?.turns ?? null,
    log: sessions?.events ?? null,
    requests: new Map(
      scenario.model.conversations.map(({ name }) => [
        name,
        exchangesOf(exchanges, 'conversation', name).length,
      ]),
    ),
    statuses: shown.statuses,
    stdout: normaliser.text(shown.stdout),
    stderr: normaliser.text(shown.stderr),
    exit: shown.exit,
    files: new Map(
      [...recording.files].map(([file, text]) => [file, text === null ? null : normaliser.text(text)]),
    ),
    placeholders: new Map([...table.named(), ...normaliser.placeholders()]),
    credentials: headers.credentials,
    varying: headers.varying,
  };
}

interface ObservedSessions {
  readonly lanes: readonly string[];
  readonly turns: readonly ObservedTurn[];
  readonly log: JsonValue;
  readonly events: ReadonlyMap<string, readonly ObservedEvent[]>;
}

/** Null where the driver shows no events at all. */
function observedSessions({ shown, scenario }: Recording, normaliser: Normaliser): ObservedSessions | null {
  if (!shown.sessions.some(({ events }) => events.length > 0)) return null;
  const names = lanesOf(shown.sessions, scenario);
  const sessions = shown.sessions
    .map((session) => ({ lane: names.get(session.id) ?? session.id, events: session.events }))
    .sort(
      (a, b) =>
        laneRank(a.lane, scenario.model.conversations) - laneRank(b.lane, scenario.model.conversations),
    );
  const turns = sessions.flatMap(({ lane, events }) => turnsOf(events, lane, normaliser));
  const events = new Map<string, readonly ObservedEvent[]>();
  const log: Record<string, JsonValue> = {};
  for (const session of sessions) {
    const observed = observedLog(session.events, normaliser);
    log[session.lane] = logSection(observed);
    events.set(session.lane, observed.all);
    events.set(`${session.lane}.inbox`, observed.inbox);
    events.set(`${session.lane}.loop`, observed.loop);
  }
  return { lanes: sessions.map(({ lane }) => lane), turns, log, events };
}

/** Conversations in the order of the file; lanes without a conversation keep their order behind them. */
function laneRank(lane: string, conversations: readonly { readonly name: string }[]): number {
  const index = conversations.findIndex(({ name }) => name === lane);
  return index < 0 ? conversations.length : index;
}
