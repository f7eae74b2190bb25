/** Which session is which lane: the name of its conversation, else its label, else its number. */
import type { Scenario } from '../scenario/scenario.ts';
import type { RecordedSession } from '../subject/subject.ts';
import { messagesOf } from '../subject/event-view.ts';

/**
 * Session id -> lane. The first session is `main`; another one belongs to the first free conversation whose `opens` its
 * user messages contain, as the scripted model attributes requests (scenarios.md).
 */
export function lanesOf(
  sessions: readonly RecordedSession[],
  scenario: Scenario,
): ReadonlyMap<string, string> {
  const lanes = new Map<string, string>();
  const taken = new Set<string>();
  for (const [index, session] of sessions.entries()) {
    const lane =
      index === 0
        ? 'main'
        : (conversationOf(session, scenario, taken) ?? session.label ?? `session-${index + 1}`);
    taken.add(lane);
    lanes.set(session.id, lane);
  }
  return lanes;
}

/** The session that leads a conversation; null where none is known yet. */
export function sessionOf(
  conversation: string,
  sessions: readonly RecordedSession[],
  scenario: Scenario,
): string | null {
  for (const [session, lane] of lanesOf(sessions, scenario)) if (lane === conversation) return session;
  return null;
}

function conversationOf(
  session: RecordedSession,
  scenario: Scenario,
  taken: ReadonlySet<string>,
): string | null {
  const texts = session.events.flatMap((event) => messagesOf(event).map((message) => message.text));
  for (const { name, opens } of scenario.model.conversations) {
    if (opens === null || taken.has(name)) continue;
    if (texts.some((text) => text.includes(opens))) return name;
  }
  return null;
}
