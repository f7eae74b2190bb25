/** Making user messages. */
import { randomUUID } from 'node:crypto';
import { snapshotJson } from '../session/json.ts';
import type { MessageId, MessageSource, UserMessage } from '../session/events.ts';

/** An identified, deeply frozen message with one text block (core.md, "Public API"). The source defaults to the user. */
export function createUserMessage(content: string, source: MessageSource = { kind: 'user' }): UserMessage {
  const id = randomUUID() as MessageId;
  return snapshotJson<UserMessage>({ id, role: 'user', content: [{ type: 'text', text: content }], source });
}
