/** A problem: what a reader, a tool and `accept` get to know about one thing that is wrong. */
import { createHash } from 'node:crypto';
import { KINDS, type Blame, type Driver, type Kind } from './vocabulary.ts';

/** A scenario as run through one driver. */
export interface Affected {
  readonly scenario: string;
  readonly driver: Driver;
}

/** A command that works when pasted, and how many files it writes. */
export interface Fix {
  readonly command: readonly string[];
  readonly writes: number;
}

export interface Problem {
  readonly id: string;
  readonly kind: Kind;
  readonly blame: Blame;
  readonly key: string;
  /** Null when several drivers show the problem, or none. */
  readonly driver: Driver | null;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly affected: readonly Affected[];
  readonly message: string;
  readonly diff: string | null;
  readonly fix: Fix | null;
}

export interface ProblemFacts {
  readonly kind: Kind;
  readonly key: string;
  readonly message: string;
  readonly driver?: Driver | null;
  readonly file?: string | null;
  readonly line?: number | null;
  readonly column?: number | null;
  readonly affected?: readonly Affected[];
  readonly diff?: string | null;
  readonly fix?: Fix | null;
  /** The offending value itself, for the id; the message where nothing else tells values apart. */
  readonly seen?: string;
}

/** Makes a problem. Its id is a digest of kind, key, file and the value seen (report.md). */
export function problem(facts: ProblemFacts): Problem {
  const file = facts.file ?? null;
  const identity = JSON.stringify([facts.kind, facts.key, file, facts.seen ?? facts.message]);
  const drivers = new Set((facts.affected ?? []).map((affected) => affected.driver));
  const [only] = drivers;
  return Object.freeze({
    id: createHash('sha256').update(identity).digest('hex').slice(0, 16),
    kind: facts.kind,
    blame: KINDS[facts.kind].blame,
    key: facts.key,
    driver:
      facts.driver !== undefined ? facts.driver : drivers.size === 1 && only !== undefined ? only : null,
    file,
    line: facts.line ?? null,
    column: facts.column ?? null,
    affected: facts.affected ?? [],
    message: facts.message,
    diff: facts.diff ?? null,
    fix: facts.fix ?? null,
  });
}

/** Sorts by blame, kind and key (report.md), then by id, so that equal runs print equal reports. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  const rank = (text: string, other: string): number => (text < other ? -1 : text > other ? 1 : 0);
  return [...problems].sort(
    (a, b) => rank(a.blame, b.blame) || rank(a.kind, b.kind) || rank(a.key, b.key) || rank(a.id, b.id),
  );
}
