/** Which values a caller of `accept` means (report.md: a problem's key is what `accept` takes). Pure. */
import { closest, distance } from 'fastest-levenshtein';
import type { Claim } from './contract.ts';
import type { Disk } from './disk.ts';
import type { StoredPending } from './pending.ts';

export interface Selection {
  readonly pending: readonly StoredPending[];
  /** Files that are only badly formatted: they need no run to be written anew. */
  readonly reformat: readonly { readonly key: string; readonly file: string; readonly text: string }[];
  readonly unknown: readonly string[];
}

interface Known {
  readonly pending: readonly StoredPending[];
  readonly claims: readonly Claim[];
}

/** A key, or what stands before a slash in keys. */
export function chosenBy(keys: readonly string[] | 'all', known: Known & { readonly disk: Disk }): Selection {
  if (keys === 'all') return { pending: known.pending, reformat: [], unknown: [] };
  const means = (chosen: string, key: string): boolean =>
    key === chosen || key.startsWith(`${chosen.replace(/\/$/u, '')}/`);
  const pending = known.pending.filter(({ key }) => keys.some((chosen) => means(chosen, key)));
  const taken = new Set(pending.map(({ key }) => key));
  const reformat = known.claims.flatMap(({ key, file }) => {
    if (taken.has(key) || !keys.includes(key) || !known.disk.reformats(file)) return [];
    return [{ key, file, text: known.disk.expected(file) ?? '' }];
  });
  const unknown = keys.filter(
    (chosen) => !pending.some(({ key }) => means(chosen, key)) && !reformat.some(({ key }) => key === chosen),
  );
  return { pending, reformat, unknown };
}

/** Why nothing is done for a key. */
export function unknownKey(key: string, { pending, claims, disk }: Known & { readonly disk: Disk }): string {
  const known = claims.find((claim) => claim.key === key || claim.key.startsWith(`${key}/`));
  if (known !== undefined && disk.isInConflict(known.file))
    return 'The expected file is in conflict; keep one side first, then check again.';
  if (known !== undefined) {
    const run = known.owner.kind === 'category' ? 'turnpin check' : `turnpin check ${known.owner.scenario}`;
    return `Nothing is pending for it: it matches, or was accepted already, or has not run. To see: ${run}`;
  }
  const keys = [...pending, ...claims].map((one) => one.key);
  const near = keys.length === 0 ? null : closest(key, keys);
  const meant =
    near !== null && distance(key, near) <= Math.max(3, key.length / 4) ? ` Did you mean ${near}?` : '';
  return `No pin has this key.${meant} turnpin review lists what is pending.`;
}
