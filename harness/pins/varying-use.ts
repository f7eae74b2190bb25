/** UNUSED_RULE: a header that a category lists as varying, and that did not vary in a full run (pins.md). Pure. */
import type { Category } from '../scenario/scenario.ts';
import type { Suite } from '../scenario/suite.ts';
import { problem, type Problem } from '../verdict/problem.ts';
import { lineage } from './inheritance.ts';
import { pinKey } from './names.ts';

/** By `category name-of-header`: a digest for each request that carried it. */
export type VaryingSeen = ReadonlyMap<string, readonly string[]>;

/** How a sighting is remembered. */
export function varyingUse(category: string, header: string): string {
  return `${category} ${header}`;
}

/** `ran`: categories of which a member sent a request. One request alone shows nothing. */
export function unusedVarying(
  suite: Suite,
  facts: { readonly seen: VaryingSeen; readonly ran: ReadonlySet<string>; readonly subject: string },
): Problem[] {
  const { categories, paths } = suite;
  return [...categories.values()].flatMap((category) => {
    const heirs = [...categories.keys()].filter((name) => lineage(categories, name).includes(category.name));
    if (!heirs.some((name) => facts.ran.has(name))) return [];
    return ownVarying(category, categories).flatMap((header) => {
      const values = heirs.flatMap((name) => facts.seen.get(varyingUse(name, header)) ?? []);
      if (values.length === 1 || new Set(values).size > 1) return [];
      const why =
        values.length === 0
          ? 'no request carried it'
          : `it was the same in all ${values.length} requests that carried it`;
      return [
        problem({
          kind: 'UNUSED_RULE',
          key: pinKey(facts.subject, category.name, 'request-header'),
          file: `${paths.scenarios}/categories.yaml`,
          line: category.position.line,
          column: category.position.column,
          message: `headers: { varying: [${header}] } of category "${category.name}": ${why}. Take it out, so that its value is pinned.`,
          seen: header,
        }),
      ];
    });
  });
}

/** What the category lists itself. */
function ownVarying(category: Category, categories: ReadonlyMap<string, Category>): readonly string[] {
  const inherited = categories.get(category.extends ?? '')?.headers.varying ?? [];
  return category.headers.varying.filter((name) => !inherited.includes(name));
}
