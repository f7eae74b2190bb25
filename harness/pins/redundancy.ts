/** REDUNDANT_SIDECAR: an expected file that says nothing its heir would not know without it (pins.md, rule 3). Pure. */
import { HEADER_PARTS, type HeaderPart } from '../observe/observations.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Suite } from '../scenario/suite.ts';
import { problem, type Problem } from '../verdict/problem.ts';
import { CHILD_PARTS, declaredChildren, sidecarOf, type ChildPart } from './child-pins.ts';
import type { Claim } from './contract.ts';
import { categoryClaims, holderOf, lineage, type CategoryClaims } from './inheritance.ts';
import { pinKey } from './names.ts';

/** Why a sidecar is redundant, and what `prune` does about it. */
export type Redundancy = {
  /** The sidecar's key; for a reference, the key that an own file would have. */
  readonly key: string;
  /** The redundant file; for a reference, the file that it refers to. */
  readonly file: string;
  /** The file that it equals. */
  readonly equals: string;
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
  const found = [...categoriesIn(look), ...childrenIn(look, facts.claims)];
  return found.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
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
    return [...look.suite.categories.keys()].sort().flatMap((category): Redundancy[] => {
      const claim = look.claims.get(`${category}/${part}`);
      const text = claim === undefined ? null : look.textOf(claim.file);
      if (claim === undefined || text === null) return [];
      const parent = lineage(look.suite.categories, category)[1];
      const inherited = parent === undefined ? null : effective(look, parent, part);
      if (inherited?.text === text) {
        return [
          {
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

/** Can `prune` mend it without a decision of somebody's? */
export function isPrunable(redundancy: Redundancy): boolean {
  return redundancy.kind !== 'categories-agree';
}

/** The problem to show for it. */
export function redundancyProblem(redundancy: Redundancy, scenarios: ReadonlyMap<string, Scenario>): Problem {
  return problem({
    kind: 'REDUNDANT_SIDECAR',
    key: redundancy.key,
    file:
      redundancy.kind === 'reference-inherits'
        ? (scenarios.get(redundancy.scenario)?.file ?? redundancy.file)
        : redundancy.file,
    message: `${sentence(redundancy)}`,
    seen: redundancy.equals,
    fix: isPrunable(redundancy)
      ? { command: ['turnpin', 'prune', redundancy.key], writes: writesOf(redundancy) }
      : null,
  });
}

function writesOf(redundancy: Redundancy): number {
  switch (redundancy.kind) {
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

function sentence(redundancy: Redundancy): string {
  const { equals } = redundancy;
  switch (redundancy.kind) {
    case 'child-inherits':
      return `equal to     ${equals}, the pin that it would inherit\nA child's sidecar exists only where the child differs from its category.`;
    case 'reference-inherits':
      return `equal to     ${equals}, the pin that it would inherit\nChild ${redundancy.child} of ${redundancy.scenario} refers to a sidecar that it does not need.`;
    case 'child-has-owner':
      return `equal to     ${equals}, which "${redundancy.owner}" owns\nA second scenario with the same child composition refers to the owner: ${CHILD_PARTS[redundancy.part]}: {${redundancy.child}: ${redundancy.owner}}.`;
    case 'category-inherits':
      return `equal to     ${equals}, the pin that it would inherit\nA category that extends another has a file of its own only for a part that differs.`;
    case 'categories-agree':
      return `equal to     ${equals}\nTwo categories with the same ${redundancy.part}: let "${redundancy.category}" extend "${redundancy.other}" (or both extend a third) in categories.yaml, then this file can go.`;
  }
}
