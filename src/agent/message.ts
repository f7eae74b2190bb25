/** Making user messages. */
import { snapshotJson } from '../session/json.ts';
import type { MessageId, MessageSource, TextBlock, UserMessage } from '../session/events.ts';

/**
 * An identified, deeply frozen message (core.md, "Public API"); a text is one block. The source defaults to the user.
 */
export function createUserMessage(
  content: string | readonly TextBlock[],
  source: MessageSource = { kind: 'user' },
): UserMessage {
  // The global one is loaded when it is first used, and a server has answered by then.
  const id = crypto.randomUUID() as MessageId;
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return snapshotJson<UserMessage>({ id, role: 'user', content: blocks, source });
}
