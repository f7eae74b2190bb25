/** A child in the foreground: its caller owns it from start to end and gets its result (CHILD-1). */
import { createUserMessage } from '../agent/message.ts';
import type { Member } from './family.ts';
import { stopReasonOf, type Ending, type Outcome } from './outcome.ts';
import { whenQuiescent } from './quiescence.ts';

export interface Task {
  readonly prompt: string;
  /** Aborts the run: the child's turn ends as aborted by its parent. */
  readonly signal: AbortSignal;
}

/** Runs the child to the end and lets go of it. Resolves to its ending whatever becomes of it. */
export async function runIsolated(child: Member, { prompt, signal }: Task): Promise<Ending> {
  const { agent, children, facts } = child;
  const source = { kind: 'coordinator', senderSessionId: facts.parent } as const;
  agent.followup(createUserMessage(prompt, source));
  await untilDoneOrAborted(whenQuiescent(agent, children), signal);
  if (!signal.aborted) {
    const ending = child.ending();
    await child.letGo(() => ending.outcome);
    return ending;
  }
  agent.cancel('parent');
  // Let go at once: what its own children still bring would begin another turn, which nobody waits for.
  await child.letGo(() => ABORTED);
  return { ...child.ending(), outcome: ABORTED };
}

const ABORTED: Outcome = { kind: 'aborted' };

function untilDoneOrAborted(done: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return resolve();
    const stop = (): void => resolve();
    signal.addEventListener('abort', stop, { once: true });
    done.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** What the caller is told: the child's last text, and why it stopped. */
export function resultOf(ending: Ending): {
  readonly content: string;
  readonly isError: boolean;
  readonly code?: string;
} {
  const { outcome, text } = ending;
  const reason = stopReasonOf(outcome);
  const why = 'message' in outcome ? `; ${outcome.message}` : '';
  const content = `${text ?? 'The agent left no text.'}\n[stop reason: ${reason}${why}]`;
  if (reason === 'completed') return { content, isError: false };
  return { content, isError: true, code: `SUBAGENT_${reason.toUpperCase().replaceAll('-', '_')}` };
}
