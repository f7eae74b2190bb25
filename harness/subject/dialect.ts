/** How a protocol says what a scenario asks for, and what it is heard to say. */
import type { JsonValue, Step } from '../scenario/scenario.ts';
import { field, stringField } from './event-view.ts';
import type { Answer, RpcWire } from './rpc-wire.ts';
import type { Launch } from './subject.ts';

/** A step that a protocol puts into words of its own. */
export type SpokenStep = Pick<Step, 'in' | 'as'> &
  (
    | { readonly do: 'followup' | 'steer' | 'inject'; readonly text: string }
    | { readonly do: 'cancel' | 'dispose' }
  );

/** How one protocol says things. */
export interface Dialect {
  readonly command: 'serve' | 'acp';
  /** The first words to a new process; afterwards it knows every session that the line has known before. */
  greet(line: ProtocolLine): Promise<void>;
  /** Carries out a step; resolves when the subject has taken it in. */
  say(step: SpokenStep, line: ProtocolLine): Promise<void>;
  /** What the subject tells, in the words that all protocols share; null for anything else. */
  heard(method: string, params: JsonValue): Heard | null;
  /** The answer to what the subject asks its client; undefined where the client has no such method. */
  answer(method: string, params: JsonValue): JsonValue | undefined;
}

/** A fact of one session. */
export type Heard =
  | { readonly kind: 'event'; readonly sessionId: string; readonly event: JsonValue }
  | { readonly kind: 'status'; readonly sessionId: string; readonly status: 'running' | 'idle' }
  | { readonly kind: 'child'; readonly sessionId: string; readonly parent: string };

/** `session.event` and the like, whatever the method is called. */
export function heardOf(kind: 'event' | 'status' | 'child', params: JsonValue): Heard | null {
  const sessionId = stringField(params, 'sessionId');
  if (sessionId === null) return null;
  switch (kind) {
    case 'event': {
      const event = field(params, 'event');
      return event === undefined ? null : { kind, sessionId, event };
    }
    case 'status': {
      const status = stringField(params, 'status');
      return status === 'running' || status === 'idle' ? { kind, sessionId, status } : null;
    }
    case 'child': {
      const parent = stringField(params, 'parentSessionId');
      return parent === null ? null : { kind, sessionId, parent };
    }
  }
}

/** What a dialect speaks on. */
export interface ProtocolLine {
  readonly launch: Launch;
  readonly wire: RpcWire;
  /** Label -> session id, in the order in which they were made; the main session has no label. */
  readonly sessions: Map<string | null, string>;
  /** Makes a session known under its label. */
  name(label: string | null, sessionId: string): void;
  /** How many messages the session has taken into its inbox, as its events tell. */
  taken(sessionId: string): number;
  until(condition: () => boolean): Promise<void>;
  /** The process is about to end because it was asked to. */
  expectEnd(): void;
  /** Told that a step was not accepted: a fault of the scenario, or of the subject. */
  refused(what: string, reason: string): void;
  /** The answer's result; throws what an error, or no answer at all, means for what was said. */
  accepted(what: string, answer: Answer): JsonValue;
}
