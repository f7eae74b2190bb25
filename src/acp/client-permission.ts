/** `permissions: ask` over the protocol: `session/request_permission` for each call. */
import type { PermissionOption, RequestPermissionRequest, ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { AskPermission } from '../assembly/permission.ts';
import { shownCall } from './tool-call.ts';

const OPTIONS: PermissionOption[] = [
  { optionId: 'allow', name: 'Allow', kind: 'allow_once' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
];

export interface Asking {
  readonly sessionId: string;
  readonly cwd: string;
  /** The client's id of a call. */
  readonly toolCallId: (callId: string) => string;
  /** Sends the request; the signal withdraws it. Resolves to what the client answers, which nobody has checked. */
  readonly request: (params: RequestPermissionRequest, signal: AbortSignal) => Promise<unknown>;
}

/** Asks the client. Whatever is no clear permission (a cancelled or malformed answer, an error, a lost client) is a no. */
export function askClient(asking: Asking): AskPermission {
  return async ({ callId, tool, arguments: args }, signal) => {
    const { title, kind, rawInput, locations } = shownCall(tool, JSON.stringify(args), asking.cwd);
    const toolCall: ToolCallUpdate = {
      toolCallId: asking.toolCallId(callId),
      title,
      kind,
      status: 'pending',
      rawInput,
      ...(locations.length === 0 ? {} : { locations }),
    };
    try {
      const answer = await asking.request(
        { sessionId: asking.sessionId, toolCall, options: OPTIONS },
        signal,
      );
      return allows(answer) ? 'allow' : 'deny';
    } catch {
      return 'deny';
    }
  };
}

function allows(answer: unknown): boolean {
  const outcome = member(answer, 'outcome');
  return member(outcome, 'outcome') === 'selected' && member(outcome, 'optionId') === 'allow';
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
