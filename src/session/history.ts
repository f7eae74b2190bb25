/** Requests, from the log alone (LOG-5). */
import type { AssistantMessage, HistoryMessage, RequestHeader, SessionEvent } from './events.ts';

/**
 * An answer without visible text and without calls. It is recorded and left out of later requests (REQ-6): strict
 * providers refuse a message without content. Reasoning alone does not make one.
 */
export function isEmptyAnswer(message: AssistantMessage): boolean {
  return message.toolCalls.length === 0 && message.text.trim() === '';
}

/** What this event adds to the history of later requests, if anything. */
export function historyEntry(event: SessionEvent): HistoryMessage | null {
  switch (event.type) {
    case 'user/message':
      return { role: 'user', message: event.data };
    case 'assistant/message':
      return isEmptyAnswer(event.data.message) ? null : { role: 'assistant', message: event.data.message };
    case 'tool/result':
      return { role: 'tool', callId: event.data.callId, content: event.data.content };
    default:
      return null;
  }
}

/** A step's model request as the log has it. Retries repeat it unchanged. */
export interface RebuiltRequest {
  readonly turn: number;
  readonly step: number;
  readonly header: RequestHeader;
  readonly history: readonly HistoryMessage[];
}

/**
 * The request of every step that came so far as to stream, to be retried or to be answered. A step that failed or was
 * cancelled before anything of its answer arrived is included too when its header was in force: its request may or
 * may not have been sent.
 */
export function rebuildRequests(events: readonly SessionEvent[]): readonly RebuiltRequest[] {
  const requests: RebuiltRequest[] = [];
  const history: HistoryMessage[] = [];
  let header: RequestHeader | null = null;
  let open: { turn: number; step: number } | null = null;
  const close = (): void => {
    if (open !== null && header !== null) requests.push({ ...open, header, history: [...history] });
    open = null;
  };
  for (const event of events) {
    if (event.type === 'step/start') open = event.data;
    else if (event.type === 'request/header') header = event.data.header;
    else if (
      event.type === 'assistant/chunk' ||
      event.type === 'llm/retry' ||
      event.type === 'assistant/message'
    )
      close();
    else if (event.type === 'step/end') close();
    const entry = historyEntry(event);
    if (entry !== null) history.push(entry);
  }
  close();
  return requests;
}
