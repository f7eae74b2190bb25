/** One rule that an agent core must follow (scenarios/requirements.yaml). */
import type { Position } from '../document/position.ts';
import type { Capability } from '../verdict/capability.ts';
import type { Level } from '../verdict/report.ts';

export interface Requirement {
  readonly id: string;
  readonly group: string;
  readonly level: Level;
  /** What a subject must claim before the rule applies to it. */
  readonly needs: readonly Capability[];
  readonly from: string;
  readonly rule: string;
  readonly held: boolean;
  /** File of the unit test that holds it, relative to the project; null where scenarios do. */
  readonly test: string | null;
  /** Where it stands in the registry. */
  readonly position?: Position;
}
