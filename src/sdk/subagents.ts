/** What becomes of the children of a session, in one order (core.md, "The ways in"). Pure. */
import type { SessionId } from '../session/events.ts';
import type { ChildParams, Notifications } from './protocol.ts';
import type { Observed } from './run.ts';

/** A child as the server tells of it; `sessionId` is its own. */
export type Subagent = ChildParams;

/** `started` precedes what an epoch of the child records, `finished` follows it. */
export type SubagentNews = { readonly child: Subagent } & (
  | { readonly kind: 'started'; readonly resumed: boolean }
  | Observed
  | { readonly kind: 'finished'; readonly outcome: Notifications['subagent.finished']['outcome'] }
);

/** What a server said of a session: of what it records, or of its place in a tree. */
export type Heard =
  | { readonly sessionId: SessionId; readonly fact: Observed }
  | ({ readonly sessionId: SessionId } & Extract<SubagentNews, { readonly kind: 'started' | 'finished' }>);

/** Picks out the news of every child below one session. */
export class SubagentWatch {
  readonly #root: SessionId;
  readonly #below = new Map<SessionId, Subagent>();

  constructor(root: SessionId) {
    this.#root = root;
  }

  /** The news in it; undefined where it is of somebody else. */
  pick(heard: Heard): SubagentNews | undefined {
    if ('child' in heard) {
      const { sessionId: _, ...news } = heard;
      const { parentSessionId, sessionId } = news.child;
      if (parentSessionId !== this.#root && !this.#below.has(parentSessionId)) return undefined;
      if (news.kind === 'started') this.#below.set(sessionId, news.child);
      return news;
    }
    const child = this.#below.get(heard.sessionId);
    return child === undefined ? undefined : { child, ...heard.fact };
  }
}
