/** The tools by which an agent has children: `subagent`, `send_message`, `list_agents`, `interrupt_agent` (core.md). */
import { SECTION_ORDER } from '../prompt/first-party.ts';
import type { PromptSection } from '../prompt/sections.ts';
import type { SessionId } from '../session/events.ts';
import { cutText } from '../tools/text-file.ts';
import type { Tool } from '../tools/tool.ts';
import { announcement, receipt } from './announcements.ts';
import type { ContinuationManager } from './continuation-manager.ts';
import type { ListedChild, ListScope } from './family.ts';
import { resultOf } from './isolated-run.ts';

/** All of them; without continuable children `subagent` alone. */
export function delegationTools(manager: ContinuationManager, continuable: boolean): readonly Tool[] {
  const start = subagentTool(manager, continuable);
  if (!continuable) return [start];
  return [start, sendMessageTool(manager), listAgentsTool(manager), interruptAgentTool(manager)];
}

/** What the prompt says of them. */
export function delegationSection(continuable: boolean): PromptSection {
  const text = continuable ? `${DELEGATION} ${CONTINUATION}` : DELEGATION;
  return { name: 'tool:subagent', order: SECTION_ORDER['tool:subagent'], text };
}

const DELEGATION =
  'Use `subagent` for a part of the work that can be described completely in a few sentences and whose details you need not see. The agent that it starts knows nothing of this conversation: write down the goal, the facts that it needs and what it is to bring back.';

const CONTINUATION =
  'An agent in the background reports to you by itself, and you are told when it settles, so do not ask after it again and again: go on with other work, or end your turn. `send_message` gives it more work, also after it has settled; `interrupt_agent` stops what it is doing now.';

/** Longest label, in characters. */
const LONGEST_LABEL = 100;

function subagentTool(manager: ContinuationManager, continuable: boolean): Tool {
  const inForeground = (args: object): boolean =>
    !continuable || ('run_in_background' in args && args.run_in_background === false);
  const background = {
    run_in_background: {
      type: 'boolean',
      description:
        'True (the default): answers with the id of the agent at once. False: waits for it and answers with its result.',
    },
  };
  return {
    name: 'subagent',
    description:
      'Starts another agent on a task of its own, in the same workspace and with a conversation of its own. ' +
      (continuable
        ? 'It works in the background, reports back, and can be given more work with send_message.'
        : 'The call lasts until it has ended and answers with its result.'),
    parameters: {
      type: 'object',
      properties: {
        description: {
          type: 'string',
          minLength: 1,
          description: 'The task in three to six words, as a label.',
        },
        prompt: { type: 'string', minLength: 1, description: 'The task, complete in itself.' },
        ...(continuable ? background : {}),
      },
      required: ['description', 'prompt'],
      additionalProperties: false,
    },
    parallelSafe: inForeground,
    run: async (args, { signal }) => {
      const { description, prompt } = args as { readonly description: string; readonly prompt: string };
      const label = cutText(description.replaceAll(/\s+/g, ' ').trim(), LONGEST_LABEL);
      if (inForeground(args)) return resultOf(await manager.runIsolated(label, { prompt, signal }));
      return { content: announcement(manager.start(label, prompt)), isError: false };
    },
  };
}

const AGENT = { type: 'string', minLength: 1, description: 'The id of the agent, as it was given to you.' };

function sendMessageTool(manager: ContinuationManager): Tool {
  return {
    name: 'send_message',
    description:
      'Gives an agent that you started a further message, which it answers in a turn of its own after what it is doing now. ' +
      'An agent that has settled goes on where it stopped.',
    parameters: {
      type: 'object',
      properties: {
        agent: AGENT,
        message: { type: 'string', minLength: 1, description: 'What it is told.' },
      },
      required: ['agent', 'message'],
      additionalProperties: false,
    },
    run: async (args) => {
      const { agent, message } = args as { readonly agent: SessionId; readonly message: string };
      return { content: receipt(agent, await manager.send(agent, message)), isError: false };
    },
  };
}

function listAgentsTool(manager: ContinuationManager): Tool {
  return {
    name: 'list_agents',
    description:
      'Lists the agents that you started: running, idle (waiting for agents of its own), or ready (settled; it can be given more work).',
    parameters: {
      type: 'object',
      properties: {
        scope: {
          type: 'string',
          enum: ['children', 'descendants'],
          description: 'Your own agents (the default), or those that they started as well.',
        },
      },
      additionalProperties: false,
    },
    run: (args) => {
      const { scope = 'children' } = args as { readonly scope?: ListScope };
      const listed = manager.list(scope).map((child) => lineOf(child, scope));
      return Promise.resolve({
        content: listed.length === 0 ? 'There are no agents.' : listed.join('\n'),
        isError: false,
      });
    },
  };
}

function lineOf({ id, label, state, parent }: ListedChild, scope: ListScope): string {
  const line = `${id} ${state} ${label}`;
  return scope === 'children' ? line : `${line} (started by ${parent})`;
}

function interruptAgentTool(manager: ContinuationManager): Tool {
  return {
    name: 'interrupt_agent',
    description:
      'Stops what an agent that you started is doing now. Messages that wait for it are kept, and so are agents that it started.',
    parameters: {
      type: 'object',
      properties: { agent: AGENT },
      required: ['agent'],
      additionalProperties: false,
    },
    run: (args) => {
      const { agent } = args as { readonly agent: SessionId };
      const content =
        manager.interrupt(agent) === 'interrupted'
          ? `Agent ${agent} was interrupted.`
          : `Agent ${agent} is doing nothing now; there was nothing to interrupt.`;
      return Promise.resolve({ content, isError: false });
    },
  };
}
