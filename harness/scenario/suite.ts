/** Everything that a project declares: its scenarios, categories and requirements. */
import type { Requirement } from '../requirements/requirement.ts';
import type { Problem } from '../verdict/problem.ts';
import type { Category, Scenario } from './scenario.ts';

/** Where a project keeps its parts; `turnpin.yaml` may move them. All paths relative to `root`, with `/`. */
export interface ProjectPaths {
  /** Absolute. */
  readonly root: string;
  readonly scenarios: string;
  readonly snapshots: string;
  readonly pending: string;
}

export type { Requirement };

export interface Suite {
  readonly paths: ProjectPaths;
  /** Sorted by id. */
  readonly scenarios: readonly Scenario[];
  readonly categories: ReadonlyMap<string, Category>;
  readonly requirements: readonly Requirement[];
  /** Digest of every file that declares something. */
  readonly digest: string;
  /** INVALID_SCENARIO and INVALID_CONFIG; where there are any, nothing is run. */
  readonly problems: readonly Problem[];
}
