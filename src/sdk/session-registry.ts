/** The sessions that a stdio server has open, whatever its protocol. */
import type { Assembled } from '../assembly/assemble.ts';
import type { SessionId } from '../session/events.ts';

export class SessionRegistry {
  readonly #openings = new Map<SessionId, Promise<Assembled>>();
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

  /** The session, also one that is still being opened; undefined where none is. */
  get(id: SessionId): Promise<Assembled> | undefined {
    return this.#openings.get(id);
  }

  /** Concurrent openings of one id share the first, so that they make one session. One that fails is forgotten. */
  open(id: SessionId, start: () => Promise<Assembled>): Promise<Assembled> {
    const known = this.#openings.get(id);
    if (known !== undefined) return known;
    const opening = start();
    this.#openings.set(id, opening);
    opening.catch(() => this.#openings.delete(id));
    return opening;
  }

  /** Disposes one session and forgets it; false where none is open. */
  async close(id: SessionId): Promise<boolean> {
    const opening = this.#openings.get(id);
    if (opening === undefined) return false;
    await this.#dispose(opening);
    this.#openings.delete(id);
    return true;
  }

  /** Disposes every session. */
  async dispose(): Promise<void> {
    await Promise.all([...this.#openings.values()].map((opening) => this.#dispose(opening)));
  }

  async #dispose(opening: Promise<Assembled>): Promise<void> {
    const assembled = await opening.catch(() => null);
    try {
      await assembled?.dispose();
    } catch (error) {
      this.#saved = false;
      this.#report(
        `a session was not saved completely: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }
}
