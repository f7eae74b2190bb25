/** REDUNDANT_SIDECAR: an expected file that says nothing its heir would not know without it (pins.md, rule 3). Pure. */
import { HEADER_PARTS, type HeaderPart } from '../observe/observations.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Suite } from '../scenario/suite.ts';
import { problem, type Problem } from '../verdict/problem.ts';
import { CHILD_PARTS, declaredChildren, sidecarOf, type ChildPart } from './child-pins.ts';
import type { Claim } from './contract.ts';
import { canonicalText } from './expected-file.ts';
import { categoryClaims, holderOf, lineage, topDown, type CategoryClaims } from './inheritance.ts';
import { pinKey } from './names.ts';

/** Why a sidecar is redundant, and what `prune` does about it. */
export type Redundancy = {
  /** The sidecar's key; for a reference, the key that an own file would have. */
  readonly key: string;
  /** The redundant file; for a reference, the file that it refers to. */
  readonly file: string;
  /** The file that it equals. */
  readonly equals: string;
  /** Why `prune` leaves it alone: somebody has to decide. Null: it prunes it. */
  readonly blocked: string | null;
} & (
  | { readonly kind: 'category-inherits'; readonly category: string; readonly part: HeaderPart }
  | {
      readonly kind: 'categories-agree';
      readonly category: string;
      readonly other: string;
      readonly part: HeaderPart;
    }
  | {
      readonly kind: 'child-inherits';
      readonly scenario: string;
      readonly child: number;
      readonly part: ChildPart;
    }
  | {
      readonly kind: 'reference-inherits';
      readonly scenario: string;
      readonly child: number;
      readonly part: ChildPart;
    }
  | {
      readonly kind: 'child-has-owner';
      readonly scenario: string;
      readonly child: number;
      readonly part: ChildPart;
      readonly owner: string;
      readonly ownerChild: number;
    }
);

/** The expected text of a file; null where it does not stand. */
export type TextOf = (file: string) => string | null;

/** Every redundancy of a suite, sorted by key. */
export function redundancies(
  suite: Suite,
  facts: { readonly claims: readonly Claim[]; readonly textOf: TextOf; readonly subject: string },
): Redundancy[] {
  const claims = categoryClaims(facts.claims);
  const look: Look = { suite, claims, textOf: facts.textOf, subject: facts.subject };
  // Files that say nothing, such as two empty ones, are no copies of each other.
  const saysSomething = ({ file }: { readonly file: string }): boolean =>
    canonicalText(file, facts.textOf(file) ?? '') !== null;
  const found = [...categoriesIn(look), ...childrenIn(look, facts.claims)].filter(saysSomething);
  return found
    .map((one) => ({ ...one, blocked: blockade(one, { suite, all: found }) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

interface Look {
  readonly suite: Suite;
  readonly claims: CategoryClaims;
  readonly textOf: TextOf;
  readonly subject: string;
}

function effective(look: Look, category: string, part: HeaderPart): { file: string; text: string } | null {
  const claim = holderOf(category, part, {
    categories: look.suite.categories,
    claims: look.claims,
    stands: ({ file }) => look.textOf(file) !== null,
  });
  const text = claim === null ? null : look.textOf(claim.file);
  return claim === null || text === null ? null : { file: claim.file, text };
}

function categoriesIn(look: Look): Redundancy[] {
  return HEADER_PARTS.flatMap((part) => {
    const first = new Map<string, { readonly category: string; readonly file: string }>();
    return topDown(look.suite.categories).flatMap((category): Redundancy[] => {
      const claim = look.claims.get(`${category}/${part}`);
      const text = claim === undefined ? null : look.textOf(claim.file);
      if (claim === undefined || text === null) return [];
      const parent = lineage(look.suite.categories, category)[1];
      const inherited = parent === undefined ? null : effective(look, parent, part);
      if (inherited?.text === text) {
        return [
          {
            blocked: null,
            kind: 'category-inherits',
            key: claim.key,
            file: claim.file,
            equals: inherited.file,
            category,
            part,
          },
        ];
      }
      const twin = first.get(text);
      if (twin === undefined) {
        first.set(text, { category, file: claim.file });
        return [];
      }
      // An heir that goes back to what an ancestor says needs its file: between them somebody says something else.
      if (lineage(look.suite.categories, category).includes(twin.category)) return [];
      return [
        {
          blocked: null,
          kind: 'categories-agree',
          key: claim.key,
          file: claim.file,
          equals: twin.file,
          category,
          other: twin.category,
          part,
        },
      ];
    });
  });
}

function childrenIn(look: Look, claims: readonly Claim[]): Redundancy[] {
  const byId = new Map(look.suite.scenarios.map((scenario) => [scenario.id, scenario]));
  const files = new Map(claims.map((claim) => [claim.key, claim.file]));
  const first = new Map<string, { scenario: string; child: number; file: string }>();
  return look.suite.scenarios.flatMap((scenario) =>
    (Object.keys(CHILD_PARTS) as ChildPart[]).flatMap((part) =>
      declaredChildren(scenario, part).flatMap((pin): Redundancy[] => {
        const sidecar = sidecarOf(pin, { scenario, part, byId });
        const file =
          sidecar === null
            ? undefined
            : files.get(pinKey(look.subject, sidecar.scenario, `${part}.${sidecar.child}`));
        const text = file === undefined ? null : look.textOf(file);
        if (file === undefined || text === null) return [];
        const key = pinKey(look.subject, scenario.id, `${part}.${pin.child}`);
        const child = { key, file, scenario: scenario.id, child: pin.child, part };
        const inherited = effective(look, scenario.category, part);
        if (inherited?.text === text) {
          return [
            {
              ...child,
              blocked: null,
              kind: pin.owner === null ? 'child-inherits' : 'reference-inherits',
              equals: inherited.file,
            },
          ];
        }
        if (pin.owner !== null) return [];
        const same = `${part}\n${text}`;
        const twin = first.get(same);
        if (twin === undefined) {
          first.set(same, { scenario: scenario.id, child: pin.child, file });
          return [];
        }
        return [
          {
            ...child,
            blocked: null,
            kind: 'child-has-owner',
            equals: twin.file,
            owner: twin.scenario,
            ownerChild: twin.child,
          },
        ];
      }),
    ),
  );
}

/** A scenario that refers to somebody's child, and the number that the child has there. */
export interface Referent {
  readonly scenario: string;
  readonly child: number;
}

/** Every scenario that refers to this child's sidecar. */
export function referents(
  suite: Suite,
  owned: { readonly scenario: string; readonly part: ChildPart; readonly child: number },
): Referent[] {
  const byId = new Map(suite.scenarios.map((scenario) => [scenario.id, scenario]));
  return suite.scenarios.flatMap((scenario) =>
    declaredChildren(scenario, owned.part).flatMap((pin) => {
      if (pin.owner !== owned.scenario) return [];
      const sidecar = sidecarOf(pin, { scenario, part: owned.part, byId });
      return sidecar?.child === owned.child ? [{ scenario: scenario.id, child: pin.child }] : [];
    }),
  );
}

/** Why `prune` must not decide. */
function blockade(
  one: Redundancy,
  facts: { readonly suite: Suite; readonly all: readonly Redundancy[] },
): string | null {
  switch (one.kind) {
    case 'category-inherits':
    case 'reference-inherits':
      return null;
    case 'categories-agree':
      return `Let "${one.category}" extend "${one.other}", or both extend a third, in categories.yaml; then this file can go.`;
    case 'child-inherits': {
      const inherits = new Set(
        facts.all.flatMap((other) =>
          other.kind === 'reference-inherits' ? [`${other.scenario} ${other.part}.${other.child}`] : [],
        ),
      );
      const needs = referents(facts.suite, one).find(
        (other) => !inherits.has(`${other.scenario} ${one.part}.${other.child}`),
      );
      return needs === undefined
        ? null
        : `"${needs.scenario}" refers to this file and would not inherit the same. Give it the file: turnpin move ${one.scenario}/${one.part}.${one.child} ${needs.scenario}`;
    }
    case 'child-has-owner': {
      const scenario = facts.suite.scenarios.find(({ id }) => id === one.scenario);
      const owned = scenario === undefined ? 0 : declaredChildren(scenario, one.part).length;
      return owned < 2
        ? null
        : `It declares ${owned} children of its own here, and a list cannot hold a reference: refer to the owners of all, ${CHILD_PARTS[one.part]}: {${one.child}: ${one.owner}, …}.`;
    }
  }
}

/** The problem to show for it. */
export function redundancyProblem(one: Redundancy, scenarios: ReadonlyMap<string, Scenario>): Problem {
  const reference = one.kind === 'reference-inherits' ? scenarios.get(one.scenario)?.file : undefined;
  return problem({
    kind: 'REDUNDANT_SIDECAR',
    key: one.key,
    file: reference ?? one.file,
    message: [
      `equal to     ${one.equals}${whatThatIs(one)}`,
      rule(one),
      ...(one.blocked === null ? [] : [one.blocked]),
    ].join('\n'),
    seen: one.equals,
    fix: one.blocked === null ? { command: ['turnpin', 'prune', one.key], writes: writesOf(one) } : null,
  });
}

function writesOf({ kind }: Redundancy): number {
  switch (kind) {
    case 'category-inherits':
    case 'reference-inherits':
      return 1;
    case 'child-inherits':
    case 'child-has-owner':
      return 2;
    case 'categories-agree':
      return 0;
  }
}

function whatThatIs(one: Redundancy): string {
  switch (one.kind) {
    case 'child-inherits':
    case 'reference-inherits':
    case 'category-inherits':
      return ', the pin that it would inherit';
    case 'child-has-owner':
      return `, which "${one.owner}" owns`;
    case 'categories-agree':
      return '';
  }
}

function rule(one: Redundancy): string {
  switch (one.kind) {
    case 'child-inherits':
      return "A child's sidecar exists only where the child differs from its category.";
    case 'reference-inherits':
      return `Child ${one.child} of ${one.scenario} refers to a sidecar of "${one.part}" that it does not need.`;
    case 'child-has-owner':
      return `A second scenario with the same child composition refers to the owner and owns no copy: ${CHILD_PARTS[one.part]}: {${one.child}: ${one.owner}}.`;
    case 'category-inherits':
      return 'A category that extends another has a file of its own only for a part that differs.';
    case 'categories-agree':
      return `Two categories pin the same ${one.part}.`;
  }
}
