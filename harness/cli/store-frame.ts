/** What the commands share that look at or change the expected files. */
import type { Report } from '../verdict/report.ts';
import type * as Store from '../pins/store.ts';
import type { Frame } from './frame.ts';
import type { World } from './world.ts';

export interface OpenStore {
  readonly facts: Store.StoreFacts;
  readonly about: { readonly suite: Report['suite'] };
  /** The report to end with where a declaration is wrong: then nothing is written. */
  readonly invalid: Report | null;
  readonly store: typeof Store;
}

export async function openStore(frame: Frame, world: World): Promise<OpenStore> {
  const [{ loadSuite }, { layout }, store] = await Promise.all([
    import('../scenario/load.ts'),
    import('../pins/layout.ts'),
    import('../pins/store.ts'),
  ]);
  const suite = loadSuite(frame.root);
  const about = { suite: { digest: suite.digest, scenarios: suite.scenarios.length } };
  const invalid = suite.problems.length > 0 ? frame.report({ ...about, problems: suite.problems }) : null;
  return { facts: { suite, claims: layout(suite), env: world.env }, about, invalid, store };
}
