/** Where the sessions of children lie: beside their parent's, on disk or in memory. The edge that opens them. */
import type { EventData, SessionEvent, SessionHeader, SessionId } from '../session/events.ts';
import {
  createMemorySession,
  createSession,
  openSession,
  readSession,
  sessionExists,
  sessionFile,
  isSafeSessionId,
} from '../session/session.ts';
import type { HeaderFacts, Session } from '../session/session.ts';
import type { SessionStore } from '../session/store.ts';

export type Descriptor = EventData['subagent/descriptor'];

/** A session as its record tells it, opened by nobody. */
export interface StoredSession {
  readonly header: SessionHeader;
  readonly events: readonly SessionEvent[];
}

export interface ChildSessions {
  create(facts: HeaderFacts): Session;
  /** Under its lock, repaired. @throws {SessionFileError} where it cannot be opened. */
  open(id: SessionId): Session;
  /** Null where there is none, or none that can be read. */
  read(id: SessionId): StoredSession | null;
}

/** Wraps each store, for example to know whether its last flush failed. */
type WrapStore = (store: SessionStore) => SessionStore;

/** Session files in `dir`. */
export function diskChildSessions(dir: string, wrapStore: WrapStore): ChildSessions {
  return {
    create: (facts) => createSession({ dir, facts, wrapStore }),
    open: (id) => openSession({ dir, id, wrapStore }),
    read: (id) => {
      if (!isSafeSessionId(id) || !sessionExists(dir, id)) return null;
      try {
        return readSession(sessionFile(dir, id));
      } catch {
        return null;
      }
    },
  };
}

/** For a parent without a file: its children have none either, and live as long as this value. */
export function memoryChildSessions(): ChildSessions {
  const sessions = new Map<SessionId, Session>();
  const known = (id: SessionId): Session => {
    const session = sessions.get(id);
    if (session === undefined) throw new Error(`There is no session ${id} in memory.`);
    return session;
  };
  return {
    create: (facts) => {
      const session = createMemorySession({ facts });
      sessions.set(session.id, session);
      return session;
    },
    open: (id) => ({ ...known(id), resumed: { tail: { kind: 'clean' }, repairs: 0 } }),
    read: (id) => {
      const session = sessions.get(id);
      return session === undefined ? null : { header: session.header, events: session.log.events };
    },
  };
}

/** What a child's session says it is; null for one that is no child's. */
export function descriptorOf(events: readonly SessionEvent[]): Descriptor | null {
  const first = events[0];
  return first?.type === 'subagent/descriptor' ? first.data : null;
}
