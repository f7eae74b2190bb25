/** What a parent is told of a child: reports and settlements as user messages (core.md, "Subagents"). */
import { createUserMessage } from '../agent/message.ts';
import type { SessionId, UserMessage } from '../session/events.ts';
import type { Ending, Outcome } from './outcome.ts';

/** How a child is named to its parent. */
export interface ChildName {
  readonly id: SessionId;
  readonly label: string;
}

/** A first block that names the child, then what the child wrote. */
export function reportMessage(child: ChildName, text: string): UserMessage {
  return createUserMessage(
    [
      { type: 'text', text: `Report from ${nameOf(child)}:` },
      { type: 'text', text },
    ],
    { kind: 'subagent-report', senderSessionId: child.id },
  );
}

/** A summary sentence by outcome, then the closing text, or the statement that there is none (SETTLE-3). */
export function settlementMessage(child: ChildName, { outcome, text }: Ending): UserMessage {
  const summary = `${nameOf(child)} ${summaryOf(outcome)}`;
  const content =
    text === null
      ? [`${summary} It left no closing message.`]
      : [`${summary} Its closing message follows.`, text];
  return createUserMessage(
    content.map((block) => ({ type: 'text', text: block })),
    { kind: 'subagent-settled', senderSessionId: child.id },
  );
}

/** For a child whose end this process has not seen (SETTLE-5). */
export function interruptionMessage(child: ChildName): UserMessage {
  return createUserMessage(
    `${nameOf(child)} ${summaryOf({ kind: 'interrupted' })} What it had done until then stands; a message to it makes it go on.`,
    { kind: 'subagent-settled', senderSessionId: child.id },
  );
}

function nameOf({ id, label }: ChildName): string {
  return `agent ${id} (${label})`;
}

function summaryOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'completed':
      return 'has finished.';
    case 'aborted':
      return 'was stopped before it had finished.';
    case 'max-tokens':
      return 'ran out of room: its last answer was cut at the token ceiling.';
    case 'error':
      return `has failed: ${sentence(outcome.message)}`;
    case 'refusal':
      return `was declined: ${sentence(outcome.message)}`;
    case 'torn-down':
      return 'was stopped because this agent was shut down.';
    case 'interrupted':
      return 'was interrupted: the process that ran it ended first.';
  }
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
