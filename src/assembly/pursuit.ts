/** `goal: true`: an agent that pursues a goal over several turns (core.md, "Goals"). */
import type { Agent, Policies } from '../agent/contract.ts';
import { GoalDriver } from '../goal/goal-driver.ts';
import type { Goal } from '../goal/goal.ts';
import { GoalRecord, type GoalUpdate } from '../goal/goal-record.ts';
import { goalSection, goalTools } from '../goal/goal-tools.ts';
import type { Session } from '../session/session.ts';
import type { LiveChildren } from '../subagent/family.ts';
import type { Scope } from '../subagent/scope.ts';

/** The goal as the library sees it. */
export interface GoalControl {
  /** Null before the first one. */
  readonly current: Goal | null;
  readonly roundsStarted: number;
  /** Compares and sets; where the goal is active then, it is resumed at once. @throws {ToolError} as `update_goal`. */
  update(update: GoalUpdate): Goal;
}

/** The parts of a goal, to be put into an agent that is being made. */
export interface Pursuit {
  readonly control: GoalControl;
  offer(scope: Scope): void;
  policies(policies: Policies): Policies;
  attach(agent: Agent, children: LiveChildren | null): void;
}

export function pursue({ log }: Session): Pursuit {
  const record = new GoalRecord(log);
  const driver = new GoalDriver(record, log.store);
  return {
    control: {
      get current() {
        return record.goal;
      },
      get roundsStarted() {
        return record.roundsStarted;
      },
      update: (update) => driver.update(update),
    },
    offer: ({ tools, prompt }) => {
      for (const tool of goalTools(record)) tools.add(tool);
      prompt.add(goalSection());
    },
    policies: (policies) => ({ ...policies, admitPrompt: driver.admission(policies.admitPrompt) }),
    attach: (agent, children) => driver.attach(agent, children),
  };
}
