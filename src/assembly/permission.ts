/** `permissions: ask`: each tool call waits for the client's word (core.md, "Prompt, tools, composition"). */
import type { Json } from '../session/events.ts';
import type { Tool } from '../tools/tool.ts';

/** A call that waits for permission. */
export interface PermissionRequest {
  readonly callId: string;
  readonly tool: string;
  readonly arguments: { readonly [key: string]: Json };
}

/** Asks whoever uses the agent. May reject with the signal's reason once the turn is cancelled. */
export type AskPermission = (request: PermissionRequest, signal: AbortSignal) => Promise<'allow' | 'deny'>;

/** The tool, behind the question; refused where there is nobody to ask. */
export function guarded(tool: Tool, ask: AskPermission | undefined): Tool {
  return {
    ...tool,
    run: async (args, context) => {
      if (ask === undefined)
        return refused('this agent asks before it uses a tool, and no client here can answer');
      const word = await ask({ callId: context.callId, tool: tool.name, arguments: args }, context.signal);
      context.signal.throwIfAborted();
      return word === 'allow' ? tool.run(args, context) : refused('the user did not allow this call');
    },
  };
}

function refused(why: string): Awaited<ReturnType<Tool['run']>> {
  return { content: `Not run: ${why}.`, isError: true, code: 'PERMISSION_DENIED' };
}
