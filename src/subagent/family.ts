/** What all agents of one tree have in common, and what each of them is to the others. Types alone. */
import type { Agent, Published } from '../agent/contract.ts';
import type { MessageId, SessionId } from '../session/events.ts';
import type { HeaderFacts, Session } from '../session/session.ts';
import type { ChildSessions, Descriptor } from './child-sessions.ts';
import type { ChildName } from './notices.ts';
import type { Ending, Outcome } from './outcome.ts';
import type { InstallReport } from './report.ts';
import type { ChildComposition, Scope } from './scope.ts';

/** How a report is delivered: waking its parent, or with its next request (seed 002; REPORT-5..7). */
export const REPORT_DELIVERIES = ['next-step', 'quiet'] as const;
export type ReportDelivery = (typeof REPORT_DELIVERIES)[number];

export interface DelegationSettings {
  readonly reportDelivery: ReportDelivery;
  /** Deepest child that may be started; the root is at 0. */
  readonly depthLimit: number;
  /** False: children run in the foreground alone. */
  readonly continuable: boolean;
  /** How every child's composition differs from its parent's. */
  readonly child: ChildComposition;
}

/** A child as it is told to whoever watches the tree. */
export interface ChildFacts extends ChildName {
  readonly parent: SessionId;
  readonly mode: Descriptor['mode'];
}

/** What becomes of children, live. `started` precedes the epoch's first event, `finished` follows its last one. */
export type ChildNews =
  | { readonly kind: 'started'; readonly child: ChildFacts; readonly resumed: boolean }
  | { readonly kind: 'published'; readonly child: ChildFacts; readonly published: Published }
  | { readonly kind: 'finished'; readonly child: ChildFacts; readonly outcome: Outcome };

/** Drives a session in a scope. The agent awaits `drain` when it is disposed of. */
export type MakeAgent = (parts: {
  readonly session: Session;
  readonly scope: Scope;
  readonly drain: () => Promise<void>;
}) => Agent;

export interface FamilyParts {
  readonly sessions: ChildSessions;
  readonly settings: DelegationSettings;
  /** For children; the root is made by whoever assembles it. */
  readonly makeAgent: MakeAgent;
  readonly installReport: InstallReport;
  /** What headers of new sessions say besides their place in the tree: the workspace. */
  readonly facts: HeaderFacts;
  readonly tell: (news: ChildNews) => void;
}

export interface Family extends FamilyParts {
  /** A child with a new session. Rejects nothing later; throws where it cannot be made, and leaves nothing open. */
  startChild(parent: ParentSide, plan: ChildPlan): Member;
  /** The same child with the session that it has. @throws {SessionFileError} where it cannot be opened. */
  resumeChild(parent: ParentSide, child: ChildName): Member;
}

/** What a child's making needs of its parent. */
export interface ParentSide {
  readonly id: SessionId;
  readonly composition: Scope;
  /** The parent's own; the root's is 0. */
  readonly depth: number;
  readonly deliver: (child: ChildName, report: string) => MessageId;
}

/** What a new child is. */
export interface ChildPlan extends ChildComposition {
  readonly mode: Descriptor['mode'];
  readonly label: string;
}

/** A child that runs in this process, for one epoch. */
export interface Member {
  readonly facts: ChildFacts;
  readonly agent: Agent;
  readonly children: LiveChildren;
  /** How the epoch has ended, as far as it has come. */
  ending(): Ending;
  /** Ends the agent, its own children first, and gives its session back. `outcome` is asked at the end. Never rejects. */
  letGo(outcome: () => Outcome): Promise<void>;
}

/** An agent's children, as far as its own parent has to know of them. */
export interface LiveChildren {
  /** Continuable children that have not settled. */
  readonly live: number;
  /** Called whenever `live` may have changed. Returns the function that unsubscribes. */
  onChange(listener: () => void): () => void;
  list(scope: ListScope): readonly ListedChild[];
}

export type ListScope = 'children' | 'descendants';

/** A line of `list_agents`. `idle` waits for children of its own; `ready` has settled and can be resumed. */
export interface ListedChild extends ChildName {
  readonly state: 'running' | 'idle' | 'ready';
  readonly parent: SessionId;
}
