/**
 * The events that bring an interrupted session to rest: results for calls without one, `step/end`, `turn/end`, and what
 * goes back to the inbox (LOG-3, LOG-4). The loop closes its own steps and turns with the same parts.
 */
import type { Append } from './log.ts';
import type { InboxTarget, MessageSource, UserMessage } from './events.ts';
import type { InboxItem, SessionState } from './state.ts';

/** The result of a call that has none. `started` tells whether the call may have begun. */
export interface MissingResult {
  readonly content: string;
  readonly code: string;
}

export interface MissingResults {
  readonly notStarted: MissingResult;
  readonly unknown: MissingResult;
}

const LOST: MissingResults = {
  notStarted: {
    content: 'Not run: the agent was interrupted before this call was started.',
    code: 'ABORTED_BEFORE_DISPATCH',
  },
  unknown: {
    content:
      'Interrupted: the agent was stopped before the result was recorded. The call may have had some, all or none of its effect.',
    code: 'INTERRUPTED',
  },
};

/** Writes what recovery has to write. A session at rest gets nothing, so a second recovery adds nothing. */
export function repairSession(state: SessionState, append: Append): void {
  for (const item of state.moving) insert(append, 'next-turn', state.list('next-turn').length, [item]);
  if (state.openTurn !== null) {
    returnClaimed(state, append);
    closeStep(state, append, LOST);
    append('turn/end', { turn: state.openTurn.turn, reason: { kind: 'interrupted' } });
  }
  moveLeftOvers(state, append);
}

/**
 * Closes the open step, if there is one: calls of the answer that are not recorded, a result for each that has none,
 * `step/end`. While calls were still being recorded, none had begun.
 */
export function closeStep(state: SessionState, append: Append, missing: MissingResults): void {
  const turn = state.openTurn;
  if (turn === null || turn.step === null) return;
  const { step, calls, callsRecorded, resultsRecorded } = turn.step;
  const at = { turn: turn.turn, step };
  for (const call of calls.slice(callsRecorded)) {
    append('tool/call', { ...at, callId: call.id, name: call.name, arguments: call.arguments });
  }
  const result = callsRecorded < calls.length ? missing.notStarted : missing.unknown;
  for (const call of calls.slice(resultsRecorded)) {
    append('tool/result', {
      ...at,
      callId: call.id,
      content: result.content,
      isError: true,
      code: result.code,
    });
  }
  append('step/end', at);
}

/** Context and steering that the open turn claimed and never recorded go back to the head of `next-step` (ADMIT-4). */
export function returnClaimed(state: SessionState, append: Append): void {
  const back = state.claimed.filter((item) => item.from === 'next-step');
  // From the last run to the first, each at the head: cut anywhere, the rest still belongs before what is back.
  for (const run of runsOf(back).reverse()) insert(append, 'next-step', 0, run);
}

/** Steering that is still waiting moves to the end of `next-turn`, each message on its own (STEER-4). */
export function moveLeftOvers(state: SessionState, append: Append): void {
  for (let at = 0; at < state.list('next-step').length;) {
    const item = state.list('next-step')[at];
    if (item === undefined) return;
    if (!isSteering(item) || staysForNextStep(item.message.source)) {
      at += 1;
      continue;
    }
    append('agent/inbox/spliced', {
      target: 'next-step',
      start: at,
      removedCount: 1,
      inserted: [],
      outcome: 'moved',
    });
    insert(append, 'next-turn', state.list('next-turn').length, [item]);
  }
}

/** Steering, as against injected context. */
export function isSteering(item: InboxItem): boolean {
  return !item.quiet;
}

/** Reports and settlement notices stay in `next-step`: one turn claims them all together (core.md, "Left over"). */
export function staysForNextStep(source: MessageSource): boolean {
  return source.kind === 'subagent-report' || source.kind === 'subagent-settled';
}

function insert(append: Append, target: InboxTarget, start: number, items: readonly InboxItem[]): void {
  const inserted: readonly UserMessage[] = items.map((item) => item.message);
  const quiet = target === 'next-step' && items[0]?.quiet === true;
  append('agent/inbox/spliced', { target, start, inserted, ...(quiet ? { quiet: true } : {}) });
}

/** Neighbours of one kind, since one splice is either quiet or not. */
function runsOf<T extends InboxItem>(items: readonly T[]): T[][] {
  const runs: T[][] = [];
  for (const item of items) {
    const last = runs.at(-1);
    if (last?.[0]?.quiet === item.quiet) last.push(item);
    else runs.push([item]);
  }
  return runs;
}
