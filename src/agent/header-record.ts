/** When a request header is recorded: first used, first asked after a resume, changed (REQ-4). */
import type { RequestHeader } from '../session/events.ts';
import type { SessionLog } from '../session/log.ts';

export class HeaderRecord {
  readonly #log: SessionLog;
  /** The header in force as text; null until this agent asks for the first time. */
  #current: string | null = null;

  constructor(log: SessionLog) {
    this.#log = log;
  }

  /** To be called with the header of every step request, right before it is sent. */
  use(header: RequestHeader): void {
    const text = JSON.stringify(header);
    if (text === this.#current) return;
    const known = this.#log.state.header !== null;
    const reason = this.#current !== null ? 'change' : known ? 'resume' : 'initial';
    this.#log.append('request/header', { header, reason });
    this.#current = text;
  }
}
