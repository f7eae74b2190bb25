/** Uniform and pinned, as two questions, for the parts of request headers (pins.md, rule 1). Pure. */
import { changeOf } from '../diff/change.ts';
import { HEADER_PARTS, type HeaderPart } from '../observe/observations.ts';
import { problem, type Affected, type Fix, type Problem } from '../verdict/problem.ts';
import type { PinState } from '../verdict/report.ts';
import type { Claim, Pending } from './contract.ts';
import { formProblem } from './canonical-form.ts';
import { CHILD_PARTS, isChildPart } from './child-pins.ts';
import type { Disk } from './disk.ts';
import { missingSidecar } from './sidecar-audit.ts';

/** Where a value was seen. */
export interface Sighting extends Affected {
  readonly clean: boolean;
  readonly conversation: string;
  readonly child: number;
  readonly request: number;
}

/** Live values of one part with who showed each. */
export type Sightings = ReadonlyMap<string, readonly Sighting[]>;

/** All values that are held against one expected file. */
export interface PinGroup {
  readonly claim: Claim;
  readonly seen: Sightings;
  /** Every scenario whose requests this pin holds for; those that ran. */
  readonly members: readonly string[];
  /** The members, and those that the subject can not run. */
  readonly declared: readonly string[];
  readonly ran: ReadonlySet<string>;
  /** For a category that has no file yet and departs from what it inherits: that file. */
  readonly inherits: string | null;
}

export interface JudgeFacts {
  readonly disk: Disk;
  readonly filtered: boolean;
  readonly digestOf: (scenario: string) => string;
}

export interface GroupJudgement {
  readonly problems: readonly Problem[];
  readonly pin: PinState;
  readonly pending: Pending | null;
}

const MOST_NAMES = 3;
/** More distinct values than this are one problem with the groups. */
const MOST_VALUES_TOLD_APART = 3;

/**
 * One problem for each distinct value that is not what is pinned; none where all agree with the file. A file that says nothing
 * to compare with is told by the audit alone, and can be accepted anew.
 */
export function judgeGroup(group: PinGroup, facts: JudgeFacts): GroupJudgement {
  const { claim } = group;
  // A file in conflict is told by the audit, and accepts nothing until somebody has chosen a side.
  const seen: Sightings = facts.disk.isInConflict(claim.file) ? new Map() : group.seen;
  const stands = facts.disk.has(claim.file);
  const strange = [...seen.keys()]
    .filter((text) => !stands || !facts.disk.says(claim.file, text))
    .sort(byWeight(seen));
  const [only] = strange;
  const uniform = seen.size === 1 && only !== undefined;
  const pending = uniform ? pendingOf(group, only, facts) : null;
  const reformatted = seen.size === 1 && only === undefined ? reformatting(group, facts) : null;
  return {
    problems: uniform ? oneValue(group, only, { ...facts, pending }) : notUniform(group, strange, facts),
    pin: {
      key: claim.key,
      file: claim.file,
      state:
        group.ran.size === 0 || seen.size === 0 || (uniform && stands && !facts.disk.isComparable(claim.file))
          ? 'not-judged'
          : !stands
            ? 'missing'
            : strange.length > 0
              ? 'changed'
              : 'match',
      ran: group.ran.size,
      members: group.members.length,
    },
    pending: pending ?? reformatted,
  };
}

/** Most members first; equal ones by text, so that the order of runs does not matter. */
function byWeight(seen: Sightings): (a: string, b: string) => number {
  const weight = (text: string): number => scenariosOf(seen.get(text) ?? []).length;
  return (a, b) => weight(b) - weight(a) || (a < b ? -1 : 1);
}

export function scenariosOf(sightings: readonly Affected[]): string[] {
  return [...new Set(sightings.map(({ scenario }) => scenario))].sort();
}

function affectedBy(sightings: readonly Sighting[]): Affected[] {
  const runs = new Map(
    sightings.map(({ scenario, driver }) => [`${scenario}\n${driver}`, { scenario, driver }]),
  );
  return [...runs.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, run]) => run);
}

function isComplete(group: PinGroup): boolean {
  return group.members.every((member) => group.ran.has(member));
}

function pendingOf(group: PinGroup, text: string, facts: JudgeFacts): Pending | null {
  const sightings = group.seen.get(text) ?? [];
  if (!sightings.some(({ clean }) => clean)) return null;
  const { claim } = group;
  const complete = claim.owner.kind === 'child' || isComplete(group);
  const scenarios = complete && claim.owner.kind === 'category' ? group.declared : [...group.ran];
  return {
    key: claim.key,
    file: claim.file,
    text,
    base: facts.disk.digest(claim.file),
    scenarios: Object.fromEntries(
      [...scenarios].sort().map((scenario) => [scenario, facts.digestOf(scenario)]),
    ),
    complete,
  };
}

/** A file that says the right thing in the wrong form: `accept` writes it anew. */
function reformatting(group: PinGroup, facts: JudgeFacts): Pending | null {
  const [text] = group.seen.keys();
  if (text === undefined || facts.disk.get(group.claim.file)?.text === text) return null;
  return pendingOf(group, text, facts);
}

function oneValue(
  group: PinGroup,
  text: string,
  facts: JudgeFacts & { readonly pending: Pending | null },
): Problem[] {
  const { claim } = group;
  const affected = affectedBy(group.seen.get(text) ?? []);
  const fix = fixFor(group, facts.pending);
  const expected = facts.disk.expected(claim.file);
  if (expected === null) {
    const inherited = group.inherits === null ? null : facts.disk.expected(group.inherits);
    const change = inherited === null ? null : changeOf(claim.file, inherited, text);
    if (claim.owner.kind === 'child')
      return [missingSidecar(claim, fix, { affected, diff: change?.diff ?? null })];
    // Nothing is to be pinned from runs that have problems of their own: those come first.
    if (facts.pending === null) return [];
    const why =
      change === null
        ? 'Nothing is pinned yet.'
        : `change       ${change.summary}\nThe category would inherit ${group.inherits ?? ''}, but its members see another value; it needs a file of its own.`;
    return [
      problem({
        kind: 'MISSING_PIN',
        key: claim.key,
        file: claim.file,
        affected,
        message: [why, ...notYet(group, facts)].join('\n'),
        diff: change?.diff ?? null,
        seen: text,
        fix,
      }),
    ];
  }
  if (!facts.disk.isComparable(claim.file)) {
    const found = facts.disk.get(claim.file);
    const form = found === null || fix === null ? null : formProblem(claim, found, () => fix);
    return form === null ? [] : [form];
  }
  const change = changeOf(claim.file, expected, text);
  return [
    problem({
      kind: 'PIN_CHANGED',
      key: claim.key,
      file: claim.file,
      affected,
      message: [seenBy(group, text), `change       ${change.summary}`, ...notYet(group, facts)].join('\n'),
      diff: change.diff,
      seen: text,
      fix,
    }),
  ];
}

/** How far a new value reaches: one edit that all members see is one problem, however many they are (pins.md, rule 1). */
function seenBy(group: PinGroup, text: string): string {
  const count = scenariosOf(group.seen.get(text) ?? []).length;
  const ran = group.ran.size < group.members.length ? ` (${group.ran.size} ran)` : '';
  const same = count > 1 ? ', all with the same new text' : '';
  return `seen by      ${count} of ${group.members.length} scenarios in ${scopeOf(group)}${ran}${same}`;
}

function fixFor(group: PinGroup, pending: Pending | null): Fix | null {
  if (pending === null) return null;
  if (!pending.complete) return { command: ['turnpin', 'check'], writes: 0 };
  return { command: ['turnpin', 'accept', group.claim.key], writes: 1 };
}

/** Why there is nothing to accept, where that is so. */
function notYet(group: PinGroup, facts: { readonly pending: Pending | null }): string[] {
  if (facts.pending === null)
    return ['No run that showed it was free of other problems; mend those first, then check again.'];
  if (facts.pending.complete) return [];
  const missing = group.members.filter((member) => !group.ran.has(member));
  const names = missing.slice(0, MOST_NAMES).join(', ');
  const more = missing.length > MOST_NAMES ? ` and ${missing.length - MOST_NAMES} more` : '';
  return [
    `Only ${group.ran.size} of ${group.members.length} members ran, not ${names}${more}. The pin can be accepted when all of them ran in one check: without selectors, and without --driver where that leaves one out.`,
  ];
}

function notUniform(group: PinGroup, strange: readonly string[], facts: JudgeFacts): Problem[] {
  if (strange.length === 0) return [];
  const { claim, seen } = group;
  if (seen.size > MOST_VALUES_TOLD_APART) return [manyValues(group, strange)];
  const expected = facts.disk.isComparable(claim.file) ? facts.disk.expected(claim.file) : null;
  const [leading = ''] = strange;
  return strange.map((text) => {
    const sightings = seen.get(text) ?? [];
    // A leak shows best against what the others see; what most see, against the file.
    const [against, named] =
      text !== leading && ![...seen.keys()].some((other) => facts.disk.says(claim.file, other))
        ? [leading, 'what most members see']
        : [expected, 'the pin'];
    const change = against === null ? null : changeOf(claim.file, against, text);
    return problem({
      kind: 'PIN_NOT_UNIFORM',
      key: claim.key,
      file: claim.file,
      affected: affectedBy(sightings),
      message: [
        ...(change === null ? [] : [`change       ${change.summary}, against ${named}`]),
        `${seen.size} different values in ${scopeOf(group)}, ${scenariosOf(sightings).length} of ${group.ran.size} scenarios see this one; first in ${whereFirst(sightings)}. What varies has to move out of the ${partOf(claim)}, or the scenario into a category of its own.`,
        ...childHint(claim, sightings),
      ].join('\n'),
      diff: change?.diff ?? null,
      seen: text,
    });
  });
}

function manyValues(group: PinGroup, strange: readonly string[]): Problem {
  const { claim, seen } = group;
  const groups = [...seen.keys()].sort(byWeight(seen)).map((text, index) => {
    const scenarios = scenariosOf(seen.get(text) ?? []);
    const names = scenarios.slice(0, 3).join(', ');
    const rest = scenarios.length > 3 ? ` and ${scenarios.length - 3} more` : '';
    return `  ${index + 1}. ${strange.includes(text) ? '' : '(pinned) '}${names}${rest}`;
  });
  return problem({
    kind: 'PIN_NOT_UNIFORM',
    key: claim.key,
    file: claim.file,
    affected: affectedBy(strange.flatMap((text) => seen.get(text) ?? [])),
    message: [
      `${seen.size} different values among ${group.ran.size} scenarios of ${scopeOf(group)}:`,
      ...groups,
      `Something in the ${partOf(claim)} varies from scenario to scenario; a value that varies from run to run wants a placeholder.`,
    ].join('\n'),
    seen: [...seen.keys()].sort().join('\n'),
  });
}

function scopeOf({ claim }: PinGroup): string {
  const { owner } = claim;
  switch (owner.kind) {
    case 'category':
      return `category "${owner.category}"`;
    case 'child':
      return `the sidecar of "${owner.scenario}"`;
    case 'transcript':
    case 'wire':
      return `"${owner.scenario}"`;
  }
}

function partOf({ owner }: Claim): string {
  const part: HeaderPart | undefined =
    owner.kind === 'category' || owner.kind === 'child'
      ? HEADER_PARTS.find((known) => known === owner.part)
      : undefined;
  return (part ?? 'transcript').replace('-', ' ');
}

function whereFirst(sightings: readonly Sighting[]): string {
  const [first] = [...sightings].sort(
    (a, b) =>
      (a.scenario < b.scenario ? -1 : a.scenario > b.scenario ? 1 : 0) || a.driver.localeCompare(b.driver),
  );
  return first === undefined
    ? 'no run'
    : `${first.scenario} (${first.driver}), request ${first.request} of ${first.conversation}`;
}

/** A value that children alone show is a declaration that is missing. */
function childHint({ owner }: Claim, sightings: readonly Sighting[]): string[] {
  if (owner.kind !== 'category' || !isChildPart(owner.part) || sightings.some(({ child }) => child === 0))
    return [];
  const [first] = sightings;
  if (first === undefined) return [];
  return [
    `Children alone see it. If that composition is theirs, declare it in ${first.scenario}: ${CHILD_PARTS[owner.part]}: [${first.child}].`,
  ];
}
