/**
 * The continuation manager of one agent: its children, and what it is told of their end (core.md, "Subagents"). Every
 * epoch of a child that was announced settles exactly once, whether the child reported or not (SETTLE-1).
 */
import type { Agent } from '../agent/contract.ts';
import { createUserMessage } from '../agent/message.ts';
import { SessionFileError } from '../session/errors.ts';
import type { MessageId, SessionId, UserMessage } from '../session/events.ts';
import type { Session } from '../session/session.ts';
import { messageOf } from '../session/thrown.ts';
import { ToolError } from '../tools/tool.ts';
import { announcedChildren } from './announcements.ts';
import type {
  ChildPlan,
  Family,
  ListedChild,
  ListScope,
  LiveChildren,
  Member,
  ParentSide,
} from './family.ts';
import { runIsolated, type Task } from './isolated-run.ts';
import { interruptionMessage, reportMessage, settlementMessage, type ChildName } from './notices.ts';
import type { Ending } from './outcome.ts';
import type { Scope } from './scope.ts';

/** Whose children these are. */
export interface Parent {
  readonly session: Session;
  readonly composition: Scope;
  readonly depth: number;
}

export interface SentMessage {
  readonly messageId: MessageId;
  /** The child had settled; the message has begun an epoch. */
  readonly resumed: boolean;
}

/** A continuable child that has not settled, or is just being let go. */
interface LiveChild {
  readonly member: Member;
  /** Set once its settlement is decided; resolves when it is gone. No message reaches it from then on (CHILD-5). */
  gone: Promise<void> | null;
  /** Stops watching it. */
  unwatch: () => void;
}

export class ContinuationManager implements LiveChildren {
  readonly #family: Family;
  readonly #parent: Parent;
  readonly #live = new Map<SessionId, LiveChild>();
  /** Every child whose id its parent may have, settled ones included. */
  readonly #known = new Map<SessionId, ChildName>();
  readonly #isolated = new Set<Promise<unknown>>();
  readonly #listeners = new Set<() => void>();
  #agent: Agent | null = null;

  constructor(family: Family, parent: Parent) {
    this.#family = family;
    this.#parent = parent;
  }

  /** Gives the manager its agent. A resumed one is told of children whose end nobody saw; that wakes nothing (SETTLE-5). */
  attach(agent: Agent): void {
    this.#agent = agent;
    const announced = announcedChildren(this.#parent.session.log.events);
    for (const { id, label } of announced) this.#known.set(id, { id, label });
    if (this.#parent.session.resumed === null) return;
    for (const child of announced) if (child.unsettled) agent.inject(interruptionMessage(child));
  }

  // --- what the tools do ------------------------------------------------------------------------------------------

  /** Starts a continuable child on `prompt`. @throws {ToolError} `DEPTH_LIMIT`, `PARENT_CLOSING`, `CHILD_NOT_STARTED`. */
  start(label: string, prompt: string): ChildName {
    const member = this.#make({ mode: 'continuable', label });
    this.#known.set(member.facts.id, member.facts);
    this.#adopt(member);
    member.agent.followup(this.#coordinates(prompt));
    return member.facts;
  }

  /** Runs a child in the foreground. @throws {ToolError} as `start`. */
  async runIsolated(label: string, task: Task): Promise<Ending> {
    const run = runIsolated(this.#make({ mode: 'isolated', label }), task);
    this.#isolated.add(run);
    try {
      return await run;
    } finally {
      this.#isolated.delete(run);
    }
  }

  /** Queues a turn of its own; resumes a settled child (CHILD-3). @throws {ToolError} of `#own`, or that it cannot be resumed. */
  async send(id: SessionId, text: string): Promise<SentMessage> {
    const child = this.#own(id);
    const message = this.#coordinates(text);
    for (let live = this.#live.get(id); live !== undefined; live = this.#live.get(id)) {
      if (live.gone === null) {
        live.member.agent.followup(message);
        return { messageId: message.id, resumed: false };
      }
      await live.gone;
    }
    this.#refuseClosing();
    const member = asToolError(() => this.#family.resumeChild(this.#side, child));
    this.#adopt(member);
    member.agent.followup(message);
    return { messageId: message.id, resumed: true };
  }

  /** Ends the current turn and keeps queue and descendants; nothing where there is no turn (CHILD-6). */
  interrupt(id: SessionId): 'interrupted' | 'nothing-to-interrupt' {
    this.#own(id);
    const live = this.#live.get(id);
    if (live === undefined || live.gone !== null || live.member.agent.phase !== 'turn')
      return 'nothing-to-interrupt';
    live.member.agent.cancel('parent', { keepInbox: true });
    return 'interrupted';
  }

  list(scope: ListScope): readonly ListedChild[] {
    const parent = this.#parent.session.id;
    return [...this.#known.values()].flatMap(({ id, label }) => {
      const live = this.#live.get(id);
      const child: ListedChild = { id, label, parent, state: live === undefined ? 'ready' : stateOf(live) };
      if (scope === 'children') return [child];
      return [child, ...(live?.member.children.list(scope) ?? this.#settledBelow(id))];
    });
  }

  // --- what the tree asks -----------------------------------------------------------------------------------------

  get live(): number {
    return this.#live.size;
  }

  onChange(listener: () => void): () => void {
    const entry = (): void => listener();
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  /** The parent is being disposed of: ends every child first, and tells the parent's log. Never rejects. */
  async drain(): Promise<void> {
    const ends = [...this.#live.values()].map((live) => live.gone ?? this.#tearDown(live));
    await Promise.allSettled([...ends, ...this.#isolated]);
  }

  // --- making and letting go --------------------------------------------------------------------------------------

  #make(plan: Pick<ChildPlan, 'mode' | 'label'>): Member {
    const { depthLimit, child } = this.#family.settings;
    this.#refuseClosing();
    if (this.#parent.depth >= depthLimit) {
      throw new ToolError(
        'DEPTH_LIMIT',
        `No agent can be started here: agents may be nested ${String(depthLimit)} deep, and this one is at that depth. Do the work yourself.`,
      );
    }
    return asToolError(() => this.#family.startChild(this.#side, { ...child, ...plan }));
  }

  get #side(): ParentSide {
    const { session, composition, depth } = this.#parent;
    return { id: session.id, composition, depth, deliver: (child, report) => this.#deliver(child, report) };
  }

  #adopt(member: Member): void {
    const live: LiveChild = { member, gone: null, unwatch: () => {} };
    const { agent, children, facts } = member;
    this.#live.set(facts.id, live);
    const consider = (): void => {
      // Its own children may still give it work: it is waiting, not settled.
      if (live.gone === null && agent.status === 'idle' && agent.phase === 'idle' && children.live === 0) {
        this.#settle(live);
      }
    };
    live.unwatch = agent.subscribe((published) => {
      if (
        published.kind === 'live' &&
        published.live.type === 'agent/status' &&
        published.live.status === 'idle'
      ) {
        void agent.whenIdle().then(consider);
      }
    });
    children.onChange(consider);
    // Input can be dropped before any interval begins; nothing would ask again then.
    queueMicrotask(() => void agent.whenIdle().then(consider));
  }

  /** The notice goes out before the child is let go, so that the parent cannot settle underneath it. */
  #settle(live: LiveChild): void {
    const ending = live.member.ending();
    live.gone = this.#letGo(live, () => ending);
    this.#tell(settlementMessage(live.member.facts, ending));
  }

  async #tearDown(live: LiveChild): Promise<void> {
    live.gone = this.#letGo(live, () => ({ ...live.member.ending(), outcome: { kind: 'torn-down' } }), true);
    await live.gone;
  }

  async #letGo(live: LiveChild, ending: () => Ending, announce = false): Promise<void> {
    const { facts } = live.member;
    await live.member.letGo(() => ending().outcome);
    if (announce) this.#tell(settlementMessage(facts, ending()));
    live.unwatch();
    this.#live.delete(facts.id);
    for (const listener of [...this.#listeners]) listener();
  }

  // --- talking to the parent and to children ----------------------------------------------------------------------

  /** By the parent's phase, not its status (core.md, "Subagents"). */
  #tell(notice: UserMessage): void {
    const agent = this.#attached();
    switch (agent.phase) {
      case 'idle':
      case 'maintenance':
        return agent.followup(notice);
      case 'turn':
        return agent.steer(notice);
      case 'closing':
        return agent.inject(notice);
      case 'closed':
        // A resumed parent finds out from its own log.
        return;
    }
  }

  /** One edge up (REPORT-10). */
  #deliver(child: ChildName, report: string): MessageId {
    const agent = this.#attached();
    if (agent.phase === 'closing' || agent.phase === 'closed') {
      throw new ToolError(
        'PARENT_GONE',
        'The report was not delivered: the agent that gave you your task is gone. Go on with your work; your conversation is kept.',
      );
    }
    const message = reportMessage(child, report);
    if (this.#family.settings.reportDelivery === 'quiet') agent.inject(message);
    else agent.steer(message);
    return message.id;
  }

  #coordinates(text: string): UserMessage {
    return createUserMessage(text, { kind: 'coordinator', senderSessionId: this.#parent.session.id });
  }

  /** The child of this id. @throws {ToolError} `UNKNOWN_AGENT`, `NOT_YOUR_CHILD`, `NOT_CONTINUABLE` (CHILD-4). */
  #own(id: SessionId): ChildName {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const stored = this.#family.sessions.read(id);
    if (stored === null) {
      throw new ToolError('UNKNOWN_AGENT', `There is no agent ${id}. Call list_agents for the ids of yours.`);
    }
    if (stored.header.parentSession === this.#parent.session.id) {
      throw new ToolError(
        'NOT_CONTINUABLE',
        `Agent ${id} ran in the foreground and has ended. Start another one.`,
      );
    }
    throw new ToolError(
      'NOT_YOUR_CHILD',
      `Agent ${id} is not a child of yours: only the agent that started it can reach it.`,
    );
  }

  /** Below a settled child nothing is live. */
  #settledBelow(id: SessionId): readonly ListedChild[] {
    const events = this.#family.sessions.read(id)?.events ?? [];
    return announcedChildren(events).flatMap((child): ListedChild[] => [
      { id: child.id, label: child.label, parent: id, state: 'ready' },
      ...this.#settledBelow(child.id),
    ]);
  }

  #refuseClosing(): void {
    const { phase } = this.#attached();
    if (phase !== 'closing' && phase !== 'closed') return;
    throw new ToolError('PARENT_CLOSING', 'No agent can be started any more: this one is being shut down.');
  }

  #attached(): Agent {
    if (this.#agent === null) throw new Error('The continuation manager has no agent yet.');
    return this.#agent;
  }
}

function stateOf({ member, gone }: LiveChild): ListedChild['state'] {
  if (gone !== null) return 'ready';
  return member.agent.status === 'running' ? 'running' : 'idle';
}

/** What keeps a child from being made is an error that the model reads. */
function asToolError<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw new ToolError(
      error instanceof SessionFileError ? error.code : 'CHILD_NOT_STARTED',
      messageOf(error),
    );
  }
}
