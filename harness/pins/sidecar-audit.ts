/** Declared child sidecars that are not there, and references that lead nowhere (pins.md). Pure. */
import { closest, distance } from 'fastest-levenshtein';
import type { Scenario } from '../scenario/scenario.ts';
import type { Suite } from '../scenario/suite.ts';
import { problem, type Fix, type Problem } from '../verdict/problem.ts';
import { CHILD_PARTS, declaredChildren, sidecarOf, type ChildPart } from './child-pins.ts';
import type { Claim } from './contract.ts';
import type { Disk } from './disk.ts';
import { headerFileName, pinKey } from './names.ts';

/** MISSING_SIDECAR for every declared child file that isn't there. The judge, which has seen a run, may know more. */
export function missingSidecars(facts: {
  readonly claims: readonly Claim[];
  readonly disk: Disk;
  readonly runnable: ReadonlySet<string>;
}): Problem[] {
  return facts.claims.flatMap((claim) => {
    const { owner } = claim;
    if (owner.kind !== 'child' || facts.disk.has(claim.file) || !facts.runnable.has(owner.scenario))
      return [];
    return [missingSidecar(claim, { command: ['turnpin', 'check', owner.scenario], writes: 0 })];
  });
}

/** One identity whoever reports it: the audit, or the judge with a pending value as its fix. */
export function missingSidecar(
  claim: Claim,
  fix: Fix | null,
  more: Partial<Pick<Problem, 'affected' | 'diff'>> = {},
): Problem {
  return problem({
    kind: 'MISSING_SIDECAR',
    key: claim.key,
    file: claim.file,
    message:
      'The scenario declares this child sidecar, but the file does not exist. A sidecar exists exactly when it is declared.',
    seen: 'missing',
    fix,
    ...more,
  });
}

/** References `{1: owner}` whose owner is gone, was renamed or declares no such file. */
export function brokenReferences(facts: {
  readonly suite: Suite;
  readonly subject: string;
  readonly files: readonly string[];
}): Problem[] {
  const byId = new Map(facts.suite.scenarios.map((scenario) => [scenario.id, scenario]));
  return facts.suite.scenarios.flatMap((scenario) =>
    (Object.keys(CHILD_PARTS) as ChildPart[]).flatMap((part) =>
      declaredChildren(scenario, part).flatMap((pin) => {
        if (pin.owner === null || sidecarOf(pin, { scenario, part, byId }) !== null) return [];
        const { position } = pin;
        const reference: Reference = { scenario, part, child: pin.child, owner: pin.owner };
        return [
          problem({
            kind: 'MISSING_SIDECAR',
            key: pinKey(facts.subject, scenario.id, `${part}.${pin.child}`),
            file: scenario.file,
            line: position.line,
            column: position.column,
            ...whatIsBroken(reference, { ...facts, byId }),
          }),
        ];
      }),
    ),
  );
}

interface Reference {
  readonly scenario: Scenario;
  readonly part: ChildPart;
  readonly child: number;
  readonly owner: string;
}

function whatIsBroken(
  { scenario, part, child, owner }: Reference,
  facts: {
    readonly suite: Suite;
    readonly subject: string;
    readonly files: readonly string[];
    readonly byId: ReadonlyMap<string, Scenario>;
  },
): { readonly message: string; readonly fix: Fix | null } {
  const key = CHILD_PARTS[part];
  const found = facts.byId.get(owner);
  if (found !== undefined) {
    const owned = declaredChildren(found, part).filter((pin) => pin.owner === null);
    const has =
      owned.length === 0
        ? `declares no ${key} of its own`
        : `owns children ${owned.map((pin) => pin.child).join(', ')}`;
    return {
      message: `${key}: {${child}: ${owner}} refers to a scenario that ${has}. Declare the child there, or own the file here: ${key}: [${child}].`,
      fix: null,
    };
  }
  const left = leftBehind({ scenario, part, child, owner }, facts);
  const renamed = heirOf(owner, part, facts.suite);
  const gone = `${key}: {${child}: ${owner}} refers to a scenario that does not exist.`;
  if (left !== null) {
    return renamed === null
      ? {
          message: `${gone} Its file is still there: ${left.file}. The command moves the pin to this scenario, which owns it then.`,
          fix: { command: ['turnpin', 'move', `${owner}/${part}.${left.child}`, scenario.id], writes: 2 },
        }
      : {
          message: `${gone} "${renamed}" declares the same child, and the file is still in the old place: ${left.file}. The command moves the snapshots and every reference.`,
          fix: { command: ['turnpin', 'move', owner, renamed], writes: 2 },
        };
  }
  const ids = facts.suite.scenarios.map(({ id }) => id);
  const nearest = ids.length === 0 ? null : closest(owner, ids);
  const near = nearest !== null && distance(owner, nearest) <= 3 ? ` Did you mean "${nearest}"?` : '';
  return { message: `${gone}${near} Name the owner, or own the file here: ${key}: [${child}].`, fix: null };
}

/** The sidecar of an owner that is gone: of the same number, or the only one. */
function leftBehind(
  { part, child, owner }: Reference,
  facts: { readonly suite: Suite; readonly subject: string; readonly files: readonly string[] },
): { readonly file: string; readonly child: number } | null {
  const folder = `${facts.suite.paths.snapshots}/${facts.subject}/${owner}/`;
  const left = facts.files.flatMap((file) => {
    const number = file.startsWith(folder) ? /\.(\d+)\.expected\./u.exec(file)?.[1] : undefined;
    const found = { file, child: Number(number) };
    return number !== undefined && file === `${folder}${headerFileName(part, found.child)}` ? [found] : [];
  });
  return left.find((one) => one.child === child) ?? (left.length === 1 ? (left[0] ?? null) : null);
}

/** The one scenario that declares such a child and has no file yet stands for a renamed owner. */
function heirOf(owner: string, part: ChildPart, suite: Suite): string | null {
  const [topic] = owner.split('/');
  const owners = suite.scenarios.filter((scenario) =>
    declaredChildren(scenario, part).some((pin) => pin.owner === null),
  );
  const inTopic = owners.filter(({ id }) => id.split('/')[0] === topic);
  const [only, ...others] = inTopic.length > 0 ? inTopic : owners;
  return only !== undefined && others.length === 0 ? only.id : null;
}
