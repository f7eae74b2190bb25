/** The history of requests, from the log alone (LOG-5). */
import type { AssistantMessage, HistoryMessage, SessionEvent } from './events.ts';

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
