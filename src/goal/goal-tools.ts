/** `create_goal`, `get_goal` and `update_goal` (core.md, "Goals"). */
import { SECTION_ORDER } from '../prompt/first-party.ts';
import type { PromptSection } from '../prompt/sections.ts';
import { ToolError, type Tool, type ToolOutcome } from '../tools/tool.ts';
import { DEFAULT_ROUND_LIMIT, GOAL_PHASES } from './goal.ts';
import type { GoalRecord, GoalUpdate } from './goal-record.ts';

export function goalTools(record: GoalRecord): readonly Tool[] {
  return [createGoal(record), getGoal(record), updateGoal(record)];
}

const GUIDANCE =
  'A goal keeps you working over several turns: while it is active, you are asked for its next round whenever you have come to rest. Create one with `create_goal` when the user wants a result rather than an answer and it will take many steps. Keep it true with `update_goal`: complete only when you have checked that it is reached, blocked when only somebody else can help, paused when the user wants to stop.';

export function goalSection(): PromptSection {
  return { name: 'tool:goal', order: SECTION_ORDER['tool:goal'], text: GUIDANCE };
}

const OBJECTIVE = {
  type: 'string',
  minLength: 1,
  description: 'What is to be reached, and how one can tell.',
};
const LIMIT = {
  type: 'integer',
  minimum: 1,
  description: `Most rounds; ${String(DEFAULT_ROUND_LIMIT)} by default.`,
};

function createGoal(record: GoalRecord): Tool {
  return {
    name: 'create_goal',
    description: 'Sets a goal and makes it active. There is one goal at a time.',
    parameters: {
      type: 'object',
      properties: { objective: OBJECTIVE, limit: LIMIT },
      required: ['objective'],
      additionalProperties: false,
    },
    run: (args) =>
      answer(() => {
        const { objective, limit } = args as { readonly objective: string; readonly limit?: number };
        record.create(objective, limit);
        return shown(record);
      }),
  };
}

function getGoal(record: GoalRecord): Tool {
  return {
    name: 'get_goal',
    description: 'Shows the goal with its id, revision, phase and rounds.',
    parameters: { type: 'object', properties: {}, additionalProperties: false },
    run: () => answer(() => (record.goal === null ? 'There is no goal.' : shown(record))),
  };
}

function updateGoal(record: GoalRecord): Tool {
  return {
    name: 'update_goal',
    description:
      'Changes the goal that you have read last: takes effect only where id and revision are still those of the goal.',
    parameters: {
      type: 'object',
      properties: {
        id: { type: 'string', minLength: 1, description: 'Its id.' },
        revision: { type: 'integer', minimum: 1, description: 'The revision that you have seen.' },
        phase: { type: 'string', enum: GOAL_PHASES, description: 'Its new phase.' },
        reason: { type: 'string', minLength: 1, description: 'Why; needed where the phase is blocked.' },
        objective: OBJECTIVE,
        limit: LIMIT,
      },
      required: ['id', 'revision'],
      additionalProperties: false,
    },
    run: (args) =>
      answer(() => {
        const update = args as unknown as GoalUpdate;
        refuseIncomplete(update);
        record.update(update);
        return shown(record);
      }),
  };
}

function refuseIncomplete({ phase, reason, objective, limit }: GoalUpdate): void {
  if (phase === undefined && objective === undefined && limit === undefined)
    throw new ToolError('INVALID_ARGS', 'Nothing was changed: give a phase, an objective or a limit.');
  if (phase === 'blocked' && reason === undefined)
    throw new ToolError('INVALID_ARGS', 'Nothing was changed: a blocked goal needs a reason.');
}

function shown({ goal, roundsStarted }: GoalRecord): string {
  return JSON.stringify({ ...goal, roundsStarted });
}

async function answer(make: () => string): Promise<ToolOutcome> {
  return { content: make(), isError: false };
}
