/** What is compared and pinned: a recording with everything volatile replaced, in canonical text. */
import type { Driver, Section } from '../verdict/vocabulary.ts';
import type { Exit } from '../subject/subject.ts';

export const HEADER_PARTS = ['request-header', 'system-prompt', 'tool-schemas'] as const;
export type HeaderPart = (typeof HEADER_PARTS)[number];

/** One part of one step request's header, as it would stand in an expected file (final newline included). */
export interface HeaderValue {
  readonly part: HeaderPart;
  readonly text: string;
  /** The conversation that the request belongs to; `main` is 0, the others count from 1 in the order of the file. */
  readonly conversation: string;
  readonly child: number;
  /** Number of the request in its conversation, from 1. */
  readonly request: number;
}

/** A turn as seen from outside. */
export interface ObservedTurn {
  readonly lane: string;
  readonly turn: number;
  /** Text of the message that opened it; null where none was admitted or it is unknown. */
  readonly prompt: string | null;
  readonly source: string | null;
  readonly steps: number;
  /** Reason kind; null for a turn that never ended. */
  readonly end: string | null;
  readonly cause: string | null;
}

/** An event with placeholders instead of volatile values, chunks left out. */
export interface ObservedEvent {
  readonly type: string;
  readonly data: unknown;
}

export interface Observations {
  readonly scenario: string;
  readonly driver: Driver;
  /**
   * Every distinct value of every part of each conversation, in order of first use, with the first request that showed it:
   * a child whose prompt equals its parent's shows it anew, so that a declared sidecar is judged even then.
   */
  readonly headers: readonly HeaderValue[];
  /**
   * Each section that this driver observes, as a canonical YAML document with one key, the section's name; joined in the
   * order of SECTIONS they are the transcript file. `wire` only where the scenario pins it.
   */
  readonly sections: ReadonlyMap<Section, string>;
  /** Null: this driver shows no events. */
  readonly turns: readonly ObservedTurn[] | null;
  /** By lane, in the order of the log; `main`, and its two parts `main.inbox` and `main.loop`. */
  readonly log: ReadonlyMap<string, readonly ObservedEvent[]> | null;
  /** Requests of each conversation, retries included. */
  readonly requests: ReadonlyMap<string, number>;
  readonly statuses: readonly ('running' | 'idle')[] | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: Exit;
  readonly files: ReadonlyMap<string, string | null>;
  /** Placeholder -> raw value, for `explain` and for the determinism check. */
  readonly placeholders: ReadonlyMap<string, string>;
  /** Places in a request that hold what looks like a credential and is not the key handed out (pins.md). The value is never kept. */
  readonly credentials: readonly string[];
  /** Header whose presence alone is pinned -> a digest of its value for each request that carries it. */
  readonly varying: ReadonlyMap<string, readonly string[]>;
}
