/** Prefix stability: within a conversation each request extends the one before, message for message (REQ-3). */
import type { NeutralCall, NeutralMessage, NeutralRequest } from './exchange.ts';
import { messageLine } from './request-text.ts';

export interface PrefixBreak {
  /** Index of the first message that is not as before. */
  readonly index: number;
  readonly diff: string;
}

/** Where `next` stops extending `before`; null where it extends it. */
export function prefixBreak(before: NeutralRequest, next: NeutralRequest): PrefixBreak | null {
  const index = before.messages.findIndex((message, at) => !sameMessage(message, next.messages[at]));
  const was = before.messages[index];
  if (was === undefined) return null;
  const is = next.messages[index];
  const lines = [`- ${messageLine(was)}`, is === undefined ? '+ (nothing)' : `+ ${messageLine(is)}`];
  return { index, diff: lines.join('\n') };
}

/** The same request, whose messages from the one before are that one's own: a long conversation is kept once, not once a request. */
export function sharing(before: NeutralRequest, next: NeutralRequest): NeutralRequest {
  return { ...next, messages: [...before.messages, ...next.messages.slice(before.messages.length)] };
}

function sameMessage(a: NeutralMessage, b: NeutralMessage | undefined): boolean {
  if (b === undefined || a.role !== b.role || a.text !== b.text) return false;
  if (a.role === 'tool') return b.role === 'tool' && a.callId === b.callId;
  if (a.role === 'user' || b.role !== 'assistant') return true;
  return (
    a.reasoning === b.reasoning &&
    a.calls.length === b.calls.length &&
    a.calls.every((call, index) => sameCall(call, b.calls[index]))
  );
}

function sameCall(a: NeutralCall, b: NeutralCall | undefined): boolean {
  return b !== undefined && a.id === b.id && a.name === b.name && a.arguments === b.arguments;
}
