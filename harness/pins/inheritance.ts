/** A category that extends another has a file of its own only for a part that differs (pins.md). Pure. */
import type { HeaderPart } from '../observe/observations.ts';
import type { Category } from '../scenario/scenario.ts';
import type { Claim } from './contract.ts';

/** The category and those that it extends, itself first. A circle, which lint refuses, ends where it closes. */
export function lineage(categories: ReadonlyMap<string, Category>, name: string): string[] {
  const line: string[] = [];
  let next: string | null = name;
  while (next !== null && !line.includes(next)) {
    line.push(next);
    next = categories.get(next)?.extends ?? null;
  }
  return line;
}

/** Every category after the one that it extends; those of one depth by name. */
export function topDown(categories: ReadonlyMap<string, Category>): string[] {
  const depth = (name: string): number => lineage(categories, name).length;
  return [...categories.keys()].sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1));
}

/** The claims of categories, by category and part. */
export type CategoryClaims = ReadonlyMap<string, Claim>;

export function categoryClaims(claims: readonly Claim[]): CategoryClaims {
  return new Map(
    claims.flatMap((claim) =>
      claim.owner.kind === 'category'
        ? [[`${claim.owner.category}/${claim.owner.part}`, claim] as const]
        : [],
    ),
  );
}

/** The claim whose file holds a part for a category: the nearest in its line that `stands`; the root's where none does. */
export function holderOf(
  category: string,
  part: HeaderPart,
  facts: {
    readonly categories: ReadonlyMap<string, Category>;
    readonly claims: CategoryClaims;
    readonly stands: (claim: Claim) => boolean;
  },
): Claim | null {
  const line = lineage(facts.categories, category);
  const claims = line.flatMap((name) => facts.claims.get(`${name}/${part}`) ?? []);
  return claims.find(facts.stands) ?? claims.at(-1) ?? null;
}
