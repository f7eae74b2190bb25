/** One turn, from its claim to its end (core.md, "Loop"). */
import type { TurnEndReason, UserMessage } from '../session/events.ts';
import { closeStep, returnClaimed } from '../session/repair.ts';
import type { InboxItem } from '../session/state.ts';
import { asError } from '../session/thrown.ts';
import { untilAborted } from '../model/abort.ts';
import { errorReason } from './errors.ts';
import { createUserMessage } from './message.ts';
import type { TurnParts, TurnScope } from './parts.ts';
import { recordWaiting, runStep, UNANSWERED } from './step.ts';

/** A turn that is open: `turn/start` and its claim are recorded. */
export interface OpenedTurn extends TurnScope {
  readonly context: readonly InboxItem[];
  /** Null where reports or settlement notices opened the turn. */
  readonly prompt: UserMessage | null;
}

export interface TurnOutcome {
  readonly reason: TurnEndReason;
  /** The terminal policy wants waiting steering cancelled after the checkpoint. */
  readonly discardSteering: boolean;
}

/**
 * Runs the turn and records its end, whatever happens. Never rejects: an error is the turn's `reason`, and is published
 * once, before `turn/end`.
 */
export async function runTurn(parts: TurnParts, opened: OpenedTurn): Promise<TurnOutcome> {
  try {
    const outcome = await answerPrompt(parts, opened);
    endTurn(parts, opened, outcome.reason);
    return outcome;
  } catch (error) {
    const { cause } = opened.work;
    const reason: TurnEndReason = cause === null ? errorReason(error) : { kind: 'aborted', cause };
    endTurn(parts, opened, reason, reason.kind === 'error' ? asError(error) : undefined);
    return { reason, discardSteering: false };
  }
}

/** Closes what is open and gives back what was claimed and not recorded, as one. */
function endTurn(parts: TurnParts, { turn }: TurnScope, reason: TurnEndReason, error?: Error): void {
  const { log } = parts;
  log.together(() => {
    closeStep(log.state, log.append, UNANSWERED);
    returnClaimed(log.state, log.append);
    if (error !== undefined) log.notify({ type: 'agent/error', error, turn });
    log.append('turn/end', { turn, reason });
  });
}

async function answerPrompt(parts: TurnParts, opened: OpenedTurn): Promise<TurnOutcome> {
  const opening = await admit(parts, opened);
  if (opening === null) return { reason: { kind: 'rejected' }, discardSteering: false };
  const { turn, work } = opened;
  let truncated = false;
  for (let step = 1; ; step += 1) {
    const outcome = await runStep(parts, { turn, work, step }, step === 1 ? opening : []);
    work.signal.throwIfAborted();
    truncated ||= outcome.truncated;
    const steered = recordWaiting(parts);
    work.signal.throwIfAborted();
    if (!outcome.calledTools && !steered) break;
    if (await stopsHere(parts, opened, step)) break;
  }
  const discardSteering = await stopTurn(parts, opened);
  return { reason: { kind: truncated ? 'max-tokens' : 'completed' }, discardSteering };
}

/** The messages that open the first step; null where admission blocked the prompt. */
async function admit(parts: TurnParts, opened: OpenedTurn): Promise<readonly UserMessage[] | null> {
  const { context, prompt, work } = opened;
  const claimed = context.map((item) => item.message);
  // Whatever the caller does in its own stack after `followup()`, a cancel above all, comes before the first step.
  await Promise.resolve();
  work.signal.throwIfAborted();
  if (prompt === null) return claimed;
  const policy = parts.policies.admitPrompt;
  if (policy === undefined) return [...claimed, prompt];
  const admission = await untilAborted(policy(prompt, work.signal), work.signal);
  work.signal.throwIfAborted();
  if (!admission.allow) {
    parts.log.append('prompt/blocked', { message: prompt, reason: admission.reason });
    return null;
  }
  const hookContext = admission.context ?? '';
  const added =
    hookContext === '' ? [] : [createUserMessage(hookContext, { kind: 'plugin', name: 'prompt-hook' })];
  return [...claimed, ...added, prompt];
}

async function stopsHere(parts: TurnParts, { turn, work }: TurnScope, step: number): Promise<boolean> {
  const policy = parts.policies.continueTurn;
  if (policy === undefined) return false;
  return (await untilAborted(policy({ turn, step }), work.signal)) === 'stop';
}

/** No step follows. Returns whether steering that still waits after the checkpoint is to be cancelled. */
async function stopTurn(parts: TurnParts, { turn, work }: TurnScope): Promise<boolean> {
  parts.log.notify({ type: 'agent/turn-stop', turn });
  work.signal.throwIfAborted();
  const policy = parts.policies.onTurnStop;
  if (policy === undefined) return false;
  return (await untilAborted(policy({ turn }), work.signal)) === 'discard';
}
