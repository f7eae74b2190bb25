/** What a session records -> what an ACP client is shown of it (`session/update`). */
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { AssistantChunk, SessionEvent, Usage, UserMessage } from '../session/events.ts';
import { shownCall } from './tool-call.ts';

/**
 * The protocol wants the size of the context window beside its use, and the wire does not tell it: the smallest window of
 * the models that the core is made for. It grows with the use.
 */
export const ASSUMED_CONTEXT_WINDOW = 128_000;

interface OpenCall {
  readonly callId: string;
  readonly toolCallId: string;
}

/** Follows one session. Tool calls get ids of their own where a model has used an id before: the protocol wants them unique. */
export class UpdateWriter {
  readonly #cwd: string;
  readonly #used = new Map<string, number>();
  #open: OpenCall[] = [];

  /** `cwd`: absolute path of the workspace. */
  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** The updates that a client gets when the event is recorded. Its own prompts are not told back to it. */
  live(event: SessionEvent): readonly SessionUpdate[] {
    switch (event.type) {
      case 'assistant/chunk':
        return chunkUpdates(event.data.chunk);
      case 'assistant/message':
        return event.data.usage === undefined ? [] : [usageUpdate(event.data.usage)];
      default:
        return this.#always(event);
    }
  }

  /** The updates that tell the event again to a client that loads the session. */
  replayed(event: SessionEvent): readonly SessionUpdate[] {
    switch (event.type) {
      case 'user/message':
        return event.data.source.kind === 'user' ? userUpdates(event.data) : [];
      case 'assistant/message': {
        const { reasoning = '', text } = event.data.message;
        return [
          ...textUpdates('agent_thought_chunk', reasoning),
          ...textUpdates('agent_message_chunk', text),
        ];
      }
      default:
        return this.#always(event);
    }
  }

  /** The client's id of the call that runs, or waits, under the model's id. */
  toolCallId(callId: string): string {
    return this.#open.find((call) => call.callId === callId)?.toolCallId ?? callId;
  }

  #always(event: SessionEvent): readonly SessionUpdate[] {
    switch (event.type) {
      case 'tool/call': {
        const { callId, name, arguments: args } = event.data;
        const { title, kind, rawInput, locations } = shownCall(name, args, this.#cwd);
        return [
          {
            sessionUpdate: 'tool_call',
            toolCallId: this.#begin(callId),
            title,
            kind,
            status: 'pending',
            rawInput,
            ...(locations.length === 0 ? {} : { locations }),
          },
        ];
      }
      case 'tool/result': {
        const { callId, content, isError, code } = event.data;
        return [
          {
            sessionUpdate: 'tool_call_update',
            toolCallId: this.#end(callId),
            status: isError ? 'failed' : 'completed',
            content: [{ type: 'content', content: { type: 'text', text: content } }],
            ...(code === undefined ? {} : { rawOutput: { code } }),
          },
        ];
      }
      case 'session/title':
        return [{ sessionUpdate: 'session_info_update', title: event.data.title, updatedAt: event.time }];
      default:
        return [];
    }
  }

  #begin(callId: string): string {
    const uses = (this.#used.get(callId) ?? 0) + 1;
    this.#used.set(callId, uses);
    const toolCallId = uses === 1 ? callId : `${callId}#${uses}`;
    this.#open.push({ callId, toolCallId });
    return toolCallId;
  }

  /** Results come in the order of their calls, so the first open call of that id is the one. */
  #end(callId: string): string {
    const toolCallId = this.toolCallId(callId);
    this.#open = this.#open.filter((call) => call.toolCallId !== toolCallId);
    return toolCallId;
  }
}

type TextUpdate = 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk';

function textUpdates(sessionUpdate: TextUpdate, text: string): readonly SessionUpdate[] {
  return text === '' ? [] : [{ sessionUpdate, content: { type: 'text', text } }];
}

function userUpdates({ content }: UserMessage): readonly SessionUpdate[] {
  return content.flatMap(({ text }) => textUpdates('user_message_chunk', text));
}

function chunkUpdates(chunk: AssistantChunk): readonly SessionUpdate[] {
  switch (chunk.kind) {
    case 'text-delta':
      return textUpdates('agent_message_chunk', chunk.text);
    case 'reasoning-delta':
      return textUpdates('agent_thought_chunk', chunk.text);
    // A call is shown once it is whole (`tool/call`), use once it is final (`assistant/message`).
    case 'block-start':
    case 'tool-call-delta':
    case 'block-end':
    case 'usage':
    case 'finish':
      return [];
  }
}

function usageUpdate({ input, output }: Usage): SessionUpdate {
  const used = input + output;
  return { sessionUpdate: 'usage_update', used, size: Math.max(used, ASSUMED_CONTEXT_WINDOW) };
}
