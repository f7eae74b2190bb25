/** The sessions that a stdio server has open, whatever its protocol. */
import type { SessionId } from '../session/events.ts';
import { messageOf } from '../session/thrown.ts';

/** What a server keeps of an open session. */
export interface OpenSession {
  /** Settles when all is flushed and let go; rejects with the store's error when the last flush failed. */
  dispose(): Promise<void>;
}

export class SessionRegistry<S extends OpenSession> {
  readonly #openings = new Map<SessionId, Promise<S>>();
  readonly #closings = new Map<SessionId, Promise<boolean>>();
  readonly #report: (message: string) => void;
  #saved = true;

  /** `report` tells the operator of a session that could not be saved completely. */
  constructor(report: (message: string) => void) {
    this.#report = report;
  }

  /** False when a session's last flush has failed. */
  get saved(): boolean {
    return this.#saved;
  }

  /** The session, also one that is still being opened; undefined where none is, or it is being closed. */
  get(id: SessionId): Promise<S> | undefined {
    return this.#openings.get(id);
  }

  /**
   * Concurrent openings of one id share the first, so that they make one session. One that fails is forgotten; one that
   * comes while the id is being closed waits for that.
   */
  open(id: SessionId, start: () => Promise<S>): Promise<S> {
    const known = this.#openings.get(id);
    if (known !== undefined) return known;
    const closing = this.#closings.get(id);
    const opening = closing === undefined ? start() : closing.then(start, start);
    this.#openings.set(id, opening);
    opening.catch(() => forget(this.#openings, id, opening));
    return opening;
  }

  /**
   * Disposes one session, which is forgotten at once; false where none is open. Rejects with the store's error when its
   * last flush has failed.
   */
  async close(id: SessionId): Promise<boolean> {
    const opening = this.#openings.get(id);
    if (opening === undefined) return false;
    this.#openings.delete(id);
    const closing = this.#dispose(opening);
    this.#closings.set(id, closing);
    try {
      return await closing;
    } finally {
      forget(this.#closings, id, closing);
    }
  }

  /** Disposes every session. */
  async dispose(): Promise<void> {
    await Promise.allSettled([
      ...[...this.#openings.values()].map((opening) => this.#dispose(opening)),
      ...this.#closings.values(),
    ]);
  }

  /** False where it could not be opened. */
  async #dispose(opening: Promise<S>): Promise<boolean> {
    const session = await opening.catch(() => null);
    try {
      await session?.dispose();
    } catch (error) {
      this.#saved = false;
      this.#report(`a session was not saved completely: ${messageOf(error)}`);
      throw error;
    }
    return session !== null;
  }
}

/** The id may stand for a later one by now. */
function forget<T>(map: Map<SessionId, T>, id: SessionId, value: T): void {
  if (map.get(id) === value) map.delete(id);
}
