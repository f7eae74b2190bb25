/** Transcripts and wire files of one scenario: driver against driver first, then against the file (pins.md). Pure. */
import { changeOf } from '../diff/change.ts';
import { problem, type Affected, type Fix, type Problem } from '../verdict/problem.ts';
import type { PinState } from '../verdict/report.ts';
import type { Driver, Section } from '../verdict/vocabulary.ts';
import { formProblem } from './canonical-form.ts';
import type { JudgeFacts } from './category-judge.ts';
import type { Claim, Pending } from './contract.ts';
import { joinTranscript, splitTranscript, TRANSCRIPT_SECTIONS } from './transcript-file.ts';

/** What the sound runs of one scenario showed. A text equal to the expected one is kept as null. */
export interface ScenarioSeen {
  readonly scenario: string;
  readonly sections: ReadonlyMap<Section, ReadonlyMap<string | null, readonly Driver[]>>;
  readonly wires: ReadonlyMap<Driver, string | null>;
  /** Drivers whose run came to its end and was free of problems but differences from pins. */
  readonly sound: ReadonlySet<Driver>;
  readonly ran: ReadonlySet<Driver>;
}

export interface FileJudgement {
  readonly problems: readonly Problem[];
  readonly pin: PinState;
  readonly pending: Pending | null;
}

/** No run that could be judged; `ran` is 1 where there was one that could not. */
export function notJudged(claim: Claim, ran: 0 | 1): FileJudgement {
  return {
    problems: [],
    pin: { key: claim.key, file: claim.file, state: 'not-judged', ran, members: 1 },
    pending: null,
  };
}

/** Judges `transcript.expected.yaml`. */
export function judgeTranscript(claim: Claim, seen: ScenarioSeen, facts: JudgeFacts): FileJudgement {
  if (seen.sound.size === 0) return notJudged(claim, 1);
  const expected = facts.disk.expected(claim.file);
  const pinned = splitTranscript(expected ?? '').sections;
  const differing = [...seen.sections].flatMap(([section, values]) =>
    values.size < 2
      ? []
      : [driversDiffer(claim, { seen, section, values, pinned: pinned.get(section) ?? null })],
  );
  if (differing.length > 0)
    return judged(claim, { problems: differing, expected, pending: null, changed: true });

  const unseen = TRANSCRIPT_SECTIONS.filter((section) => pinned.has(section) && !seen.sections.has(section));
  // What was not to be observed stays as it is; after a full run that was sound it has no observer left.
  const kept = facts.filtered || unsound(seen).length > 0 ? unseen : [];
  const actual = new Map(
    TRANSCRIPT_SECTIONS.flatMap((section) => {
      const [text] = seen.sections.get(section)?.keys() ?? (kept.includes(section) ? [null] : []);
      const value = text === null ? pinned.get(section) : text;
      return value === undefined ? [] : [[section, value] as const];
    }),
  );
  const lost = unseen.filter((section) => !kept.includes(section));
  return againstFile(claim, joinTranscript(actual), { seen, facts, expected, lost });
}

/** Judges `wire.<driver>.expected.yaml`. */
export function judgeWire(
  claim: Claim,
  seen: ScenarioSeen,
  facts: JudgeFacts & { readonly driver: Driver },
): FileJudgement {
  const text = seen.wires.get(facts.driver);
  if (text === undefined) return notJudged(claim, seen.ran.has(facts.driver) ? 1 : 0);
  const expected = facts.disk.expected(claim.file);
  const runs = { ...seen, ran: new Set([facts.driver]), sound: new Set([facts.driver]) };
  return againstFile(claim, text ?? expected ?? '', { seen: runs, facts, expected, lost: [] });
}

function againstFile(
  claim: Claim,
  actual: string,
  how: {
    readonly seen: ScenarioSeen;
    readonly facts: JudgeFacts;
    readonly expected: string | null;
    readonly lost: readonly Section[];
  },
): FileJudgement {
  const { seen, facts, expected } = how;
  const same = expected === actual;
  const broken = unsound(seen);
  const rewrites = !same || facts.disk.get(claim.file)?.text !== actual;
  const pending: Pending | null =
    broken.length === 0 && rewrites
      ? {
          key: claim.key,
          file: claim.file,
          text: actual,
          base: facts.disk.digest(claim.file),
          scenarios: { [seen.scenario]: facts.digestOf(seen.scenario) },
          complete: true,
        }
      : null;
  if (same) return judged(claim, { problems: [], expected, pending, changed: false });
  const fix: Fix | null = pending === null ? null : { command: ['turnpin', 'accept', claim.key], writes: 1 };
  const file = facts.disk.get(claim.file);
  if (file !== null && !facts.disk.isComparable(claim.file)) {
    const form = fix === null ? null : formProblem(claim, file, () => fix);
    return { ...notJudged(claim, 1), problems: form === null ? [] : [form], pending };
  }
  const blocked =
    broken.length === 0
      ? []
      : [`The run through ${broken.join(', ')} had other problems; mend those first, then check again.`];
  const change = expected === null ? null : changeOf(claim.file, expected, actual);
  const lost = how.lost.map((section) => `The section "${section}" is pinned, but no driver observed it.`);
  const found = problem({
    kind: expected === null ? 'MISSING_PIN' : 'TRANSCRIPT_CHANGED',
    key: claim.key,
    file: claim.file,
    affected: runsOf(seen, [...seen.sound]),
    message: [
      change === null ? 'Nothing is pinned yet.' : `change       ${change.summary}`,
      ...lost,
      ...blocked,
    ].join('\n'),
    diff: change?.diff ?? null,
    seen: actual,
    fix,
  });
  return judged(claim, { problems: [found], expected, pending, changed: true });
}

/** Drivers whose run says nothing about the file. */
function unsound({ ran, sound }: ScenarioSeen): Driver[] {
  return [...ran].filter((driver) => !sound.has(driver)).sort();
}

function judged(
  claim: Claim,
  facts: {
    readonly problems: readonly Problem[];
    readonly expected: string | null;
    readonly pending: Pending | null;
    readonly changed: boolean;
  },
): FileJudgement {
  const state = facts.expected === null ? 'missing' : facts.changed ? 'changed' : 'match';
  return {
    problems: facts.problems,
    pin: { key: claim.key, file: claim.file, state, ran: 1, members: 1 },
    pending: facts.pending,
  };
}

function runsOf(seen: ScenarioSeen, drivers: readonly Driver[]): Affected[] {
  return [...drivers].sort().map((driver) => ({ scenario: seen.scenario, driver }));
}

/** The value that most drivers show, or else the pinned one, is the old side of the diff. */
function driversDiffer(
  claim: Claim,
  facts: {
    readonly seen: ScenarioSeen;
    readonly section: Section;
    readonly values: ReadonlyMap<string | null, readonly Driver[]>;
    readonly pinned: string | null;
  },
): Problem {
  const { seen, section, pinned } = facts;
  const sides = [...facts.values]
    .map(([text, drivers]) => ({
      text: text ?? pinned ?? '',
      asPinned: text === null,
      drivers: [...drivers].sort(),
    }))
    .sort(
      (a, b) =>
        Number(b.asPinned) - Number(a.asPinned) ||
        b.drivers.length - a.drivers.length ||
        ((a.drivers[0] ?? '') < (b.drivers[0] ?? '') ? -1 : 1),
    );
  const [first, ...others] = sides;
  const diffs = others.map((other) => {
    const change = changeOf(claim.file, first?.text ?? '', other.text);
    return `- ${first?.drivers.join(', ') ?? ''}\n+ ${other.drivers.join(', ')}\n${change.diff}`;
  });
  const named = sides
    .map((side) => `${side.drivers.join(', ')}${side.asPinned ? ' (as pinned)' : ''}`)
    .join(' against ');
  return problem({
    kind: 'DRIVERS_DIFFER',
    key: claim.key,
    driver: null,
    file: claim.file,
    affected: runsOf(
      seen,
      sides.flatMap(({ drivers }) => drivers),
    ),
    message: `The drivers do not show the same ${section}: ${named}. The file is not judged, and nothing is left to accept, until they agree.`,
    diff: diffs.join('\n'),
    seen: `${section}\n${sides
      .map(({ text }) => text)
      .sort()
      .join('\n')}`,
  });
}
