/** The goal of one session: every change is a `goal/change` in its log first (core.md, "Goals"; GOAL-4). */
import type { SessionLog } from '../session/log.ts';
import { ToolError } from '../tools/tool.ts';
import { DEFAULT_ROUND_LIMIT, goalStateOf, type Goal, type GoalPhase, type GoalState } from './goal.ts';

/** What is to be changed, compared and set: it takes effect only where the goal still has this id and revision. */
export interface GoalUpdate {
  readonly id: string;
  readonly revision: number;
  readonly objective?: string | undefined;
  readonly phase?: GoalPhase | undefined;
  readonly reason?: string | undefined;
  readonly limit?: number | undefined;
}

export class GoalRecord {
  readonly #log: SessionLog;
  #state: GoalState;

  constructor(log: SessionLog) {
    this.#log = log;
    this.#state = goalStateOf(log.events);
  }

  get goal(): Goal | null {
    return this.#state.goal;
  }
  get roundsStarted(): number {
    return this.#state.roundsStarted;
  }

  /** @throws {ToolError} `GOAL_EXISTS` while another goal is not complete. */
  create(objective: string, limit: number = DEFAULT_ROUND_LIMIT): Goal {
    const { goal, made } = this.#state;
    if (goal !== null && goal.phase !== 'complete') {
      throw new ToolError(
        'GOAL_EXISTS',
        `The goal ${goal.id} is ${goal.phase}. Complete it with update_goal before you create another one.`,
      );
    }
    const created: Goal = { id: `goal-${String(made + 1)}`, objective, phase: 'active', revision: 1, limit };
    return this.#change('create', created, 0);
  }

  /** @throws {ToolError} `NO_GOAL`, `STALE_GOAL`, `GOAL_ENDED`. */
  update(update: GoalUpdate): Goal {
    const { goal } = this.#state;
    if (goal === null) throw new ToolError('NO_GOAL', 'There is no goal. Create one with create_goal.');
    if (goal.id !== update.id || goal.revision !== update.revision) {
      throw new ToolError(
        'STALE_GOAL',
        `The goal is ${goal.id} at revision ${String(goal.revision)} now, not ${update.id} at ${String(update.revision)}. Nothing was changed; read it with get_goal first.`,
      );
    }
    if (goal.phase === 'complete') {
      throw new ToolError(
        'GOAL_ENDED',
        `The goal ${goal.id} is complete and cannot be changed. Create another one.`,
      );
    }
    const { objective = goal.objective, phase = goal.phase, limit = goal.limit, reason } = update;
    return this.#set({ ...goal, objective, limit, phase }, reason);
  }

  /** A round of the active goal was admitted; its revision stays. */
  startRound(): void {
    const { goal, roundsStarted } = this.#state;
    if (goal !== null) this.#change('round', goal, roundsStarted + 1);
  }

  /** Pauses an active goal for a reason that the driver has. */
  pause(reason: string): void {
    const { goal } = this.#state;
    if (goal?.phase === 'active') this.#set({ ...goal, phase: 'paused' }, reason);
  }

  #set(next: Goal, reason: string | undefined): Goal {
    const { reason: _old, ...rest } = next;
    const changed = { ...rest, revision: next.revision + 1, ...(reason === undefined ? {} : { reason }) };
    return this.#change(operationOf(next.phase, this.#state.goal), changed, this.#state.roundsStarted);
  }

  #change(operation: string, goal: Goal, roundsStarted: number): Goal {
    this.#log.append('goal/change', { operation, goal: { ...goal }, roundsStarted });
    const made = this.#state.made + (operation === 'create' ? 1 : 0);
    this.#state = { goal, roundsStarted, made };
    return goal;
  }
}

function operationOf(phase: GoalPhase, before: Goal | null): string {
  if (phase === before?.phase) return 'edit';
  switch (phase) {
    case 'active':
      return 'resume';
    case 'paused':
      return 'pause';
    case 'blocked':
      return 'block';
    case 'complete':
      return 'complete';
  }
}
