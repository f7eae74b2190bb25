/** What the pins know, decide and write. Deciding is pure; `store.ts` alone touches the disk. */
import type { Driver } from '../verdict/vocabulary.ts';
import type { Problem } from '../verdict/problem.ts';
import type { PinState } from '../verdict/report.ts';
import type { HeaderPart } from '../observe/observations.ts';

/** An expected file that a declaration claims. */
export interface Claim {
  /** `base/system-prompt`, `turns/x/transcript`, `subagents/list/system-prompt.1`. */
  readonly key: string;
  /** Relative to the project, with `/`. */
  readonly file: string;
  readonly owner:
    | { readonly kind: 'category'; readonly category: string; readonly part: HeaderPart }
    | { readonly kind: 'child'; readonly scenario: string; readonly child: number; readonly part: HeaderPart }
    | { readonly kind: 'transcript'; readonly scenario: string }
    | { readonly kind: 'wire'; readonly scenario: string; readonly driver: Driver };
  /** False for a category's own file where it extends another: it may inherit. */
  readonly required: boolean;
}

/** A file below the snapshots folder, as read once at the start. */
export interface DiskFile {
  readonly file: string;
  /** Its text, a byte order mark and the line ends kept; its bytes where they are no UTF-8. */
  readonly content: string | Uint8Array;
}

/** An actual value that `accept` can write. */
export interface Pending {
  readonly key: string;
  readonly file: string;
  readonly text: string;
  /** Digest of the expected file that this was compared with; null where there was none. */
  readonly base: string | null;
  /** Digests of the declarations of the scenarios that ran, by id; for a complete category's pin, of all its members. */
  readonly scenarios: Readonly<Record<string, string>>;
  /** Did every member of the category run? Always true for a scenario's own file. */
  readonly complete: boolean;
}

/** The result of holding all runs against the disk. */
export interface PinJudgement {
  readonly problems: readonly Problem[];
  readonly pins: readonly PinState[];
  readonly pending: readonly Pending[];
}

/** What `accept`, `prune` and `move` did. Refusals are problems; what is written is written all or nothing. */
export interface StoreResult {
  readonly problems: readonly Problem[];
  /** Files written, changed or deleted, sorted. */
  readonly written: readonly string[];
  /** Keys that were accepted or pruned. */
  readonly keys: readonly string[];
}
