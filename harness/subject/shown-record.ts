/** What a subject has shown, as it grows. */
import type { JsonValue } from '../scenario/scenario.ts';
import { field, stringField } from './event-view.ts';
import type { Exit, RecordedEvent, RecordedSession, Shown, WireFrame } from './subject.ts';

interface MutableSession {
  readonly id: string;
  readonly label: string | null;
  readonly parent: string | null;
  events: RecordedEvent[];
}

/** Collects; each change is told to the listeners, after it was made. */
export class ShownRecord {
  readonly #sessions: MutableSession[] = [];
  readonly #statuses: ('running' | 'idle')[] | null;
  readonly #frames: WireFrame[] = [];
  readonly #answers = new Map<string, JsonValue>();
  readonly #violations: Shown['violations'][number][] = [];
  readonly #listeners = new Set<() => void>();
  #text = '';
  #stdout = '';
  #stderr = '';
  #exit: Exit = { code: null, signal: null };

  /** `showsStatus`: false for a way in that does not tell. */
  constructor(showsStatus: boolean) {
    this.#statuses = showsStatus ? [] : null;
  }

  /** A view that grows with the record. */
  view(): Shown {
    return {
      sessions: this.#sessions,
      statuses: this.#statuses,
      text: this.#text,
      stdout: this.#stdout,
      stderr: this.#stderr,
      frames: this.#frames,
      answers: this.#answers,
      exit: this.#exit,
      violations: this.#violations,
    };
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Makes the session known; the first one is the scenario's main session. */
  session(id: string, facts: { readonly label: string | null; readonly parent: string | null }): void {
    if (this.#sessions.some((session) => session.id === id)) return;
    this.#sessions.push({ id, ...facts, events: [] });
    this.#changed();
  }

  /** An event of a session that is known. Streamed text in it counts as shown. */
  event(sessionId: string, event: RecordedEvent): void {
    this.#sessions.find(({ id }) => id === sessionId)?.events.push(event);
    this.#text += streamedText(event);
    this.#changed();
  }

  /** Replaces what is known of the sessions by what their files say; labels stay. */
  files(sessions: readonly RecordedSession[]): void {
    for (const { id, parent, events } of sessions) {
      const known = this.#sessions.find((session) => session.id === id);
      if (known === undefined) this.#sessions.push({ id, parent, label: null, events: [...events] });
      else known.events = [...events];
    }
    this.#changed();
  }

  status(status: 'running' | 'idle'): void {
    this.#statuses?.push(status);
    this.#changed();
  }

  stdout(text: string): void {
    this.#stdout += text;
    this.#changed();
  }

  stderr(text: string): void {
    this.#stderr += text;
    this.#changed();
  }

  frame(frame: WireFrame): void {
    this.#frames.push(frame);
    this.#changed();
  }

  answer(label: string, answer: JsonValue): void {
    this.#answers.set(label, answer);
    this.#changed();
  }

  violation(violation: Shown['violations'][number]): void {
    this.#violations.push(violation);
    this.#changed();
  }

  /** How the process ended; both null once it is started anew. */
  exit(exit: Exit): void {
    this.#exit = exit;
    this.#changed();
  }

  /** Something has happened that is not shown and that somebody may be waiting for. */
  touch(): void {
    this.#changed();
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

function streamedText({ type, data }: RecordedEvent): string {
  if (type !== 'assistant/chunk') return '';
  const chunk = field(data, 'chunk');
  return stringField(chunk, 'kind') === 'text-delta' ? (stringField(chunk, 'text') ?? '') : '';
}
