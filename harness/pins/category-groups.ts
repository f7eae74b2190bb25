/** Which expected file the live values of each category are held against, inheritance included (pins.md). Pure. */
import { HEADER_PARTS, type HeaderPart } from '../observe/observations.ts';
import type { Suite } from '../scenario/suite.ts';
import type { PinGroup, Sighting, Sightings } from './category-judge.ts';
import type { Claim } from './contract.ts';
import type { Disk } from './disk.ts';
import { holderOf, lineage, topDown, type CategoryClaims } from './inheritance.ts';

export interface LiveCategories {
  readonly suite: Suite;
  readonly claims: CategoryClaims;
  readonly disk: Disk;
  /** By `category/part`. */
  readonly seen: ReadonlyMap<string, Sightings>;
  /** Scenarios that ran, and those that can run at all. */
  readonly ran: ReadonlySet<string>;
  readonly runnable: ReadonlySet<string>;
  /** Is nothing of the category pinned yet: no file of its own, and none of a member's? */
  readonly isNew: (category: string) => boolean;
}

/**
 * One group for each file. A category without one stays with what it inherits as long as its members see what those of the
 * categories above see, so that one edit is one problem. It becomes a group of its own when all of them agree on a value that
 * none of those sees.
 */
export function categoryGroups(live: LiveCategories): PinGroup[] {
  return HEADER_PARTS.flatMap((part) => groupsOf(part, live));
}

interface Building {
  readonly claim: Claim;
  readonly inherits: string | null;
  readonly categories: string[];
}

function groupsOf(part: HeaderPart, live: LiveCategories): PinGroup[] {
  const groups = new Map<string, Building>();
  /** Category -> key of its group. */
  const groupOf = new Map<string, string>();
  for (const category of topDown(live.suite.categories)) {
    const holder = holderOf(category, part, {
      categories: live.suite.categories,
      claims: live.claims,
      stands: (claim) => live.disk.has(claim.file),
    });
    const own = live.claims.get(`${category}/${part}`);
    if (holder === null || own === undefined) continue;
    const parent = lineage(live.suite.categories, category)[1];
    const above = parent === undefined ? undefined : groups.get(groupOf.get(parent) ?? '');
    const stays = holder.key !== own.key && above !== undefined && !departs(category, part, { live, above });
    const group = stays ? above : { claim: own, inherits: above?.claim.file ?? null, categories: [] };
    group.categories.push(category);
    groups.set(group.claim.key, group);
    groupOf.set(category, group.claim.key);
  }
  return [...groups.values()].map((group) => finished(group, part, live));
}

/**
 * Do all members agree on a value that no member above sees, and that is not what is pinned for those? Where none of those ran,
 * a new category departs; for another one it is likelier that what it inherits was edited.
 */
function departs(
  category: string,
  part: HeaderPart,
  { live, above }: { readonly live: LiveCategories; readonly above: Building },
): boolean {
  const mine = live.seen.get(`${category}/${part}`);
  const [value, ...others] = mine?.keys() ?? [];
  if (value === undefined || others.length > 0) return false;
  const values = new Set(
    above.categories.flatMap((name) => [...(live.seen.get(`${name}/${part}`)?.keys() ?? [])]),
  );
  if (values.has(value)) return false;
  const isPinned = live.disk.says(above.claim.file, value);
  if (values.size === 0) return live.isNew(category) && live.disk.isComparable(above.claim.file) && !isPinned;
  // What is pinned above is no departure, unless those above have all moved on to another value.
  return values.size === 1 || !isPinned;
}

function finished(group: Building, part: HeaderPart, live: LiveCategories): PinGroup {
  const seen = new Map<string, Sighting[]>();
  for (const category of group.categories) {
    for (const [text, sightings] of live.seen.get(`${category}/${part}`) ?? []) {
      seen.set(text, [...(seen.get(text) ?? []), ...sightings]);
    }
  }
  const declared = live.suite.scenarios
    .filter(({ category }) => group.categories.includes(category))
    .map(({ id }) => id);
  const members = declared.filter((id) => live.runnable.has(id));
  return {
    claim: group.claim,
    seen,
    members,
    declared,
    ran: new Set(members.filter((id) => live.ran.has(id))),
    inherits: group.inherits,
  };
}
