/** The agent's inbox: every change is a splice in the log first (core.md, "Session log"; SEND-7). */
import { userMessageSchema } from '../session/event-schema.ts';
import type { CancelCause, EventData, InboxTarget, UserMessage } from '../session/events.ts';
import { NotJsonError, snapshotJson } from '../session/json.ts';
import type { SessionLog } from '../session/log.ts';
import { isSteering, staysForNextStep } from '../session/repair.ts';
import type { InboxItem } from '../session/state.ts';
import { AgentError } from './errors.ts';

export class Inbox {
  readonly #log: SessionLog;

  constructor(log: SessionLog) {
    this.#log = log;
  }

  /**
   * Puts a frozen snapshot of `message` at the end of a list, then publishes `agent/queued`.
   * @throws {AgentError} before anything is recorded: `INVALID_MESSAGE`, `DUPLICATE_MESSAGE` (SEND-8).
   */
  enqueue(target: InboxTarget, message: UserMessage, quiet = false): void {
    const snapshot = acceptable(message);
    if (this.#log.state.isPending(snapshot.id)) {
      throw new AgentError('DUPLICATE_MESSAGE', `A message with the id ${snapshot.id} is waiting already.`);
    }
    this.#log.together(() => {
      const start = this.#log.state.list(target).length;
      this.#splice({ target, start, inserted: [snapshot], ...(quiet ? { quiet } : {}) });
      this.#log.notify({ type: 'agent/queued', target, message: snapshot });
    });
  }

  /** Does anything wait that opens a turn? Context alone does not. */
  get wakes(): boolean {
    const { state } = this.#log;
    return state.list('next-turn').length > 0 || state.list('next-step').some(isSteering);
  }

  /** A turn's claim: all of `next-step`, then at most one of `next-turn`. */
  claimForTurn(): { readonly context: readonly InboxItem[]; readonly prompt: UserMessage | null } {
    const context = this.#remove('next-step', this.#log.state.list('next-step').length);
    const prompt = this.#remove('next-turn', Math.min(1, this.#log.state.list('next-turn').length));
    this.#announceClaim([...context, ...prompt]);
    return { context, prompt: prompt[0]?.message ?? null };
  }

  /** A boundary's claim: all of `next-step`. */
  claimForStep(): readonly InboxItem[] {
    const items = this.#remove('next-step', this.#log.state.list('next-step').length);
    this.#announceClaim(items);
    return items;
  }

  /** `turn/start` was refused: the message that asked for it is dropped (core.md, "Session log"). */
  dropHead(): void {
    const head = this.#log.state.list('next-turn')[0];
    if (head !== undefined)
      this.#splice({ target: 'next-turn', start: 0, removedCount: 1, inserted: [], outcome: 'cancelled' });
  }

  /**
   * Clears ordinary input and steering, claimed steering that is not recorded yet included; context stays (CANCEL-1).
   */
  cancelAll(cause: CancelCause): void {
    this.#takeBackSteering();
    const ordinary = this.#log.state.list('next-turn').map((item) => item.message);
    if (ordinary.length > 0) {
      this.#splice({
        target: 'next-turn',
        start: 0,
        removedCount: ordinary.length,
        inserted: [],
        outcome: 'cancelled',
      });
    }
    this.#announceDiscard([...ordinary, ...this.#cancelSteering(isSteering)], cause);
  }

  /** The terminal policy said discard: steering that would move to `next-turn` is cancelled instead (STEER-5). */
  cancelLeftOvers(): void {
    const moves = (item: InboxItem): boolean => isSteering(item) && !staysForNextStep(item.message.source);
    this.#announceDiscard(this.#cancelSteering(moves), 'turn-stop');
  }

  /** A claim's fate is open until its message is recorded, so the log sees it come back before it is cancelled. */
  #takeBackSteering(): void {
    const claimed = this.#log.state.claimed.filter((item) => item.from === 'next-step' && isSteering(item));
    if (claimed.length === 0) return;
    this.#splice({ target: 'next-step', start: 0, inserted: claimed.map((item) => item.message) });
  }

  #cancelSteering(which: (item: InboxItem) => boolean): readonly UserMessage[] {
    const cancelled: UserMessage[] = [];
    for (let at = 0; at < this.#log.state.list('next-step').length;) {
      const item = this.#log.state.list('next-step')[at];
      if (item === undefined || !which(item)) {
        at += 1;
        continue;
      }
      this.#splice({ target: 'next-step', start: at, removedCount: 1, inserted: [], outcome: 'cancelled' });
      cancelled.push(item.message);
    }
    return cancelled;
  }

  #remove(target: InboxTarget, count: number): readonly InboxItem[] {
    if (count === 0) return [];
    const items = this.#log.state.list(target).slice(0, count);
    this.#splice({ target, start: 0, removedCount: count, inserted: [] });
    return items;
  }

  #splice(data: EventData['agent/inbox/spliced']): void {
    this.#log.append('agent/inbox/spliced', data);
  }

  #announceClaim(items: readonly InboxItem[]): void {
    if (items.length === 0) return;
    this.#log.notify({ type: 'agent/inbox/claimed', messages: items.map((item) => item.message) });
  }

  #announceDiscard(messages: readonly UserMessage[], cause: CancelCause | 'turn-stop'): void {
    if (messages.length > 0) this.#log.notify({ type: 'agent/inbox/discarded', messages, cause });
  }
}

/** The caller's message as a detached frozen snapshot (SEND-4). */
function acceptable(message: UserMessage): UserMessage {
  let snapshot: UserMessage;
  try {
    snapshot = snapshotJson(message);
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error;
    throw new AgentError('INVALID_MESSAGE', `The message cannot be recorded. ${error.message}`);
  }
  const checked = userMessageSchema.safeParse(snapshot);
  const issue = checked.error?.issues[0];
  if (issue !== undefined) {
    throw new AgentError(
      'INVALID_MESSAGE',
      `The message is not a user message: ${issue.path.join('.')}: ${issue.message}`,
    );
  }
  return snapshot;
}
