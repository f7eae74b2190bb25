/** Goes on with an active goal at whole-agent idle, one round at a time (GOAL-1..5). */
import { setImmediate } from 'node:timers/promises';
import type { Admission, Agent, Policies } from '../agent/contract.ts';
import { createUserMessage } from '../agent/message.ts';
import type { MessageId, UserMessage } from '../session/events.ts';
import type { SessionStore } from '../session/store.ts';
import type { LiveChildren } from '../subagent/family.ts';
import type { Goal } from './goal.ts';
import type { GoalRecord, GoalUpdate } from './goal-record.ts';
import { IntervalFate } from './interval-fate.ts';

type Admit = NonNullable<Policies['admitPrompt']>;

const STALE: Admission = { allow: false, reason: 'the goal has changed since this round was sent' };

export class GoalDriver {
  readonly #record: GoalRecord;
  readonly #store: SessionStore;
  readonly #fate = new IntervalFate();
  #agent: Agent | null = null;
  #children: LiveChildren | null = null;
  /** Has an interval begun in this life of the session? */
  #begun = false;
  /** The round that was sent last: only to recognise it at admission (GOAL-2). */
  #sent: MessageId | null = null;

  constructor(record: GoalRecord, store: SessionStore) {
    this.#record = record;
    this.#store = store;
  }

  /**
   * A resumed goal waits: nothing happens before an interval has begun (GOAL-1). While children live, the agent waits
   * for them and not for a round, which could only ask after them again and again (GOAL-5).
   */
  attach(agent: Agent, children: LiveChildren | null = null): void {
    this.#agent = agent;
    this.#children = children;
    children?.onChange(() => {
      if (this.#begun && isAtRest(agent)) void this.#drive(agent);
    });
    agent.subscribe((published) => {
      this.#fate.observe(published);
      if (published.kind !== 'live' || published.live.type !== 'agent/status') return undefined;
      this.#begun = true;
      return published.live.status === 'idle' ? this.#drive(agent) : undefined;
    });
  }

  /** A change from outside the conversation; one that leaves the goal active is its explicit resume too. */
  update(update: GoalUpdate): Goal {
    const goal = this.#record.update(update);
    const agent = this.#agent;
    if (agent?.status === 'idle') void (goal.phase === 'active' ? this.#drive(agent) : this.#flush());
    return goal;
  }

  /** The admission policy of the agent: asks `next`, and knows its own rounds. */
  admission(next: Admit | undefined): Admit {
    return (message, signal) => {
      const ask = async (): Promise<Admission> =>
        next === undefined ? { allow: true } : next(message, signal);
      return message.source.kind === 'goal' ? this.#admitRound(message, ask) : ask();
    };
  }

  async #admitRound(message: UserMessage, ask: () => Promise<Admission>): Promise<Admission> {
    if (!this.#isCurrent(message)) return STALE;
    const admission = await ask();
    if (!admission.allow) {
      this.#record.pause(`its round was not admitted: ${admission.reason}`);
      return admission;
    }
    if (!this.#isCurrent(message)) return STALE;
    this.#record.startRound();
    return admission;
  }

  #isCurrent({ id, source }: UserMessage): boolean {
    const { goal } = this.#record;
    return (
      source.kind === 'goal' &&
      id === this.#sent &&
      goal?.phase === 'active' &&
      goal.id === source.goalId &&
      goal.revision === source.revision
    );
  }

  async #drive(agent: Agent): Promise<void> {
    const fault = this.#fate.take();
    if (this.#record.goal?.phase !== 'active') return;
    if (fault !== null) return this.#pause(fault);
    if (this.#isWaiting()) return;
    // Whoever waits for this idle (an owned run, a command that ends with it) is heard before the next round.
    await setImmediate();
    if (!isAtRest(agent)) return;
    const flushed = await this.#flush();
    // A person's message came first, or the agent is going down.
    if (!isAtRest(agent) || this.#isWaiting()) return;
    if (!flushed) return this.#pause('the session could not be written');
    const { goal, roundsStarted } = this.#record;
    if (goal?.phase !== 'active') return;
    if (roundsStarted >= goal.limit)
      return this.#pause(`its limit of ${String(goal.limit)} rounds is reached`);
    const message = roundMessage(goal, roundsStarted + 1);
    this.#sent = message.id;
    agent.followup(message);
  }

  #isWaiting(): boolean {
    return this.#children !== null && this.#children.live > 0;
  }

  async #pause(reason: string): Promise<void> {
    this.#record.pause(reason);
    await this.#flush();
  }

  async #flush(): Promise<boolean> {
    try {
      await this.#store.flush();
      return true;
    } catch {
      return false;
    }
  }
}

function isAtRest({ status, phase }: Agent): boolean {
  return status === 'idle' && phase === 'idle';
}

function roundMessage(goal: Goal, round: number): UserMessage {
  const { id, revision, limit, objective } = goal;
  const text =
    `Round ${String(round)} of at most ${String(limit)} towards the goal ${id} (revision ${String(revision)}):\n\n${objective}\n\n` +
    'Take the next step. Once the goal is reached, set its phase to complete with update_goal; where only somebody else can help, set it to blocked and say why.';
  return createUserMessage(text, { kind: 'goal', goalId: id, revision, round });
}
