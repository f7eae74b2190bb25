/** A goal and what its session says of it (core.md, "Goals"). Pure. */
import * as z from 'zod/mini';
import type { SessionEvent } from '../session/events.ts';

export const GOAL_PHASES = ['active', 'paused', 'blocked', 'complete'] as const;
export type GoalPhase = (typeof GOAL_PHASES)[number];

/** Rounds that a goal may take unless it says otherwise. */
export const DEFAULT_ROUND_LIMIT = 256;

/** The durable snapshot. `revision` counts every change but the start of a round. */
export interface Goal {
  readonly id: string;
  readonly objective: string;
  readonly phase: GoalPhase;
  readonly revision: number;
  /** Most rounds that it may start. */
  readonly limit: number;
  /** Why it is in its phase, where somebody said so. */
  readonly reason?: string;
}

export interface GoalState {
  /** Null before the first goal of the session. */
  readonly goal: Goal | null;
  /** Of this goal: rounds that were admitted. */
  readonly roundsStarted: number;
  /** Goals made in this session so far. */
  readonly made: number;
}

const snapshot = z.looseObject({
  id: z.string(),
  objective: z.string(),
  phase: z.enum(GOAL_PHASES),
  revision: z.int(),
  limit: z.int(),
  reason: z.optional(z.string()),
});

/** The fold of a session's `goal/change` events. */
export function goalStateOf(events: readonly SessionEvent[]): GoalState {
  const changes = events.filter((event) => event.type === 'goal/change');
  const last = changes.at(-1);
  const made = changes.filter(
    (event) => event.type === 'goal/change' && event.data.operation === 'create',
  ).length;
  if (last?.type !== 'goal/change') return { goal: null, roundsStarted: 0, made };
  const checked = snapshot.safeParse(last.data.goal);
  return {
    goal: checked.success ? toGoal(checked.data) : null,
    roundsStarted: last.data.roundsStarted,
    made,
  };
}

function toGoal({ id, objective, phase, revision, limit, reason }: z.output<typeof snapshot>): Goal {
  return { id, objective, phase, revision, limit, ...(reason === undefined ? {} : { reason }) };
}
