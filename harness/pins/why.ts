/** Who claims an expected file, and who lives by it (`turnpin why`). Pure. */
import type { Suite } from '../scenario/suite.ts';
import type { Claim } from './contract.ts';
import type { Disk } from './disk.ts';
import { categoryClaims, holderOf } from './inheritance.ts';
import { referents } from './redundancy.ts';
import { isChildPart } from './child-pins.ts';

export interface FileStory {
  readonly file: string;
  readonly exists: boolean;
  /** Null: nobody claims it. */
  readonly key: string | null;
  /** The declaration: a scenario's file, or the categories file's entry. */
  readonly claimedBy: string | null;
  /** Categories without a file of their own for this part that are held against this one. */
  readonly inheritedBy: readonly string[];
  /** Scenarios that refer to this sidecar. */
  readonly referredToBy: readonly string[];
  /** Scenarios whose runs are compared with it. */
  readonly members: readonly string[];
}

/** The story of a file, by its path or by its key. */
export function storyOf(
  fileOrKey: string,
  facts: { readonly suite: Suite; readonly claims: readonly Claim[]; readonly disk: Disk },
): FileStory {
  const claim = facts.claims.find(({ file, key }) => file === fileOrKey || key === fileOrKey);
  if (claim === undefined) {
    const nobody = { key: null, claimedBy: null, inheritedBy: [], referredToBy: [], members: [] };
    return { file: fileOrKey, exists: facts.disk.has(fileOrKey), ...nobody };
  }
  return { file: claim.file, exists: facts.disk.has(claim.file), key: claim.key, ...relations(claim, facts) };
}

type Relations = Pick<FileStory, 'claimedBy' | 'inheritedBy' | 'referredToBy' | 'members'>;

function relations(
  claim: Claim,
  { suite, claims, disk }: { readonly suite: Suite; readonly claims: readonly Claim[]; readonly disk: Disk },
): Relations {
  const { owner } = claim;
  if (owner.kind === 'category') {
    const facts = {
      categories: suite.categories,
      claims: categoryClaims(claims),
      stands: ({ file }: Claim) => disk.has(file),
    };
    const holds = new Set(
      [...suite.categories.keys()].filter((name) => holderOf(name, owner.part, facts)?.key === claim.key),
    );
    return {
      claimedBy: `category "${owner.category}"`,
      inheritedBy: [...holds].filter((name) => name !== owner.category).sort(),
      referredToBy: [],
      members: suite.scenarios.filter(({ category }) => holds.has(category)).map(({ id }) => id),
    };
  }
  const claimedBy = suite.scenarios.find(({ id }) => id === owner.scenario)?.file ?? owner.scenario;
  const referring =
    owner.kind === 'child' && isChildPart(owner.part)
      ? referents(suite, { scenario: owner.scenario, child: owner.child, part: owner.part }).map(
          ({ scenario }) => scenario,
        )
      : [];
  return {
    claimedBy,
    inheritedBy: [],
    referredToBy: referring,
    members: [owner.scenario, ...referring].sort(),
  };
}
