/**
 * What a parent's own log says of its children: which ids it has received, and whose last epoch nobody has settled yet
 * (SETTLE-5). The texts that are read back here are made here.
 */
import type { MessageId, SessionEvent, SessionId } from '../session/events.ts';
import type { ChildName } from './notices.ts';

/** The result of a `subagent` call in the background: the caller has received the id. */
export function announcement({ id, label }: ChildName): string {
  return `Started agent ${id} (${label}). It works in the background; you will be told what it reports and when it settles.`;
}

/** The result of a `send_message` call. */
export function receipt(
  id: SessionId,
  sent: { readonly messageId: MessageId; readonly resumed: boolean },
): string {
  const how = sent.resumed ? 'had settled and goes on with it' : 'takes it up when its turn comes';
  return `Queued message ${sent.messageId}. Agent ${id} ${how}.`;
}

/** A child that was announced. */
export interface AnnouncedChild extends ChildName {
  /** Its last epoch has begun and this log has no settlement of it. */
  readonly unsettled: boolean;
}

/** All announced children, in the order of their announcement. */
export function announcedChildren(events: readonly SessionEvent[]): readonly AnnouncedChild[] {
  const children = new Map<SessionId, { readonly label: string; epochs: number }>();
  for (const { name, content } of answeredCalls(events)) {
    const started = name === 'subagent' ? announced(content) : null;
    if (started !== null) children.set(started.id, { label: started.label, epochs: 1 });
    const resumed = name === 'send_message' ? children.get(resumedBy(content)) : undefined;
    if (resumed !== undefined) resumed.epochs += 1;
  }
  // Counted, not paired: a child can settle before the result that announces it is recorded.
  const settlements = settlementsIn(events);
  return [...children].map(([id, { label, epochs }]) => ({
    id,
    label,
    unsettled: (settlements.get(id)?.size ?? 0) < epochs,
  }));
}

/** Calls that succeeded, with their results; the two are paired by their place in the step (TURN-12). */
function answeredCalls(
  events: readonly SessionEvent[],
): readonly { readonly name: string; readonly content: string }[] {
  let waiting: string[] = [];
  return events.flatMap((event) => {
    if (event.type === 'step/start') waiting = [];
    if (event.type === 'tool/call') waiting.push(event.data.name);
    if (event.type !== 'tool/result') return [];
    const name = waiting.shift();
    return name === undefined || event.data.isError ? [] : [{ name, content: event.data.content }];
  });
}

/** Child -> its settlement notices. A notice that goes back to the inbox is still one. */
function settlementsIn(events: readonly SessionEvent[]): ReadonlyMap<SessionId, ReadonlySet<MessageId>> {
  const notices = new Map<SessionId, Set<MessageId>>();
  for (const event of events) {
    if (event.type !== 'agent/inbox/spliced') continue;
    for (const { id, source } of event.data.inserted) {
      if (source.kind !== 'subagent-settled') continue;
      const known = notices.get(source.senderSessionId) ?? new Set();
      notices.set(source.senderSessionId, known.add(id));
    }
  }
  return notices;
}

function announced(content: string): ChildName | null {
  const found = /^Started agent (\S+) \((.*)\)\. It works in the background;/.exec(content);
  if (found === null) return null;
  return { id: (found[1] ?? '') as SessionId, label: found[2] ?? '' };
}

function resumedBy(content: string): SessionId {
  return (/^Queued message \S+\. Agent (\S+) had settled /.exec(content)?.[1] ?? '') as SessionId;
}
