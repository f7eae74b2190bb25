/** One step: a model request and the calls that it asks for (core.md, "Order of a tool step"). */
import type { ModelAnswer, ModelRequest } from '../model/model.ts';
import type { AssistantMessage, ToolCall, UserMessage } from '../session/events.ts';
import { closeStep, isSteering, type MissingResults } from '../session/repair.ts';
import { TurnError } from './errors.ts';
import type { TurnParts } from './parts.ts';
import { requestAnswer, type StepScope } from './request.ts';

export interface StepOutcome {
  /** The answer asked for tools, and their results are unanswered. */
  readonly calledTools: boolean;
  /** The answer hit the token ceiling (TURN-8). */
  readonly truncated: boolean;
}

/** Runs one whole step. `opening` are the messages that its turn has claimed for it. Rejects where the turn is over. */
export async function runStep(
  parts: TurnParts,
  scope: StepScope,
  opening: readonly UserMessage[],
): Promise<StepOutcome> {
  const { log } = parts;
  const { turn, step, work } = scope;
  // Whoever has waited before may have been cancelled in the microtasks until here.
  work.signal.throwIfAborted();
  log.together(() => {
    log.append('step/start', { turn, step });
    for (const message of opening) log.append('user/message', message);
  });
  work.signal.throwIfAborted();
  recordWaiting(parts);
  work.signal.throwIfAborted();
  const request = makeRequest(parts);
  parts.headers.use(parts.model.header(request));
  work.signal.throwIfAborted();
  const answer = await requestAnswer(parts, scope, request);
  const calls = recordAnswer(parts, scope, answer);
  if (answer.finish === 'content-filter') {
    throw new TurnError('CONTENT_FILTER', 'The provider stopped the answer by its content filter.');
  }
  if (calls.length > 0) await runCalls(parts, scope, calls);
  closeStep(log.state, log.append, UNANSWERED);
  return { calledTools: calls.length > 0, truncated: answer.finish === 'length' };
}

/**
 * A step boundary: everything in `next-step` is claimed and recorded in one go, so that no cancel finds a message
 * between the two. Returns whether steering was among it.
 */
export function recordWaiting(parts: TurnParts): boolean {
  return parts.log.together(() => {
    const items = parts.inbox.claimForStep();
    for (const item of items) parts.log.append('user/message', item.message);
    return items.some(isSteering);
  });
}

/** What closes calls that the scheduler left without result, which only a fault of its own can do. */
export const UNANSWERED: MissingResults = {
  notStarted: {
    content: 'Not run: the turn ended before this call was started.',
    code: 'ABORTED_BEFORE_DISPATCH',
  },
  unknown: { content: 'The turn ended before this call gave a result.', code: 'ABORTED' },
};

function makeRequest(parts: TurnParts): ModelRequest {
  return {
    systemPrompt: parts.systemPrompt(),
    tools: parts.tools.schemas(),
    history: parts.log.state.history.slice(),
  };
}

/** Records the answer and its calls as one, and returns the calls that are to be run. */
function recordAnswer(parts: TurnParts, scope: StepScope, answer: ModelAnswer): readonly ToolCall[] {
  const { log } = parts;
  const { turn, step } = scope;
  const message = settledMessage(answer);
  const usage = answer.usage === undefined ? {} : { usage: answer.usage };
  log.together(() => {
    log.append('assistant/message', { turn, step, message, ...usage });
    for (const call of message.toolCalls) {
      log.append('tool/call', { turn, step, callId: call.id, name: call.name, arguments: call.arguments });
    }
  });
  return message.toolCalls;
}

/** Calls of an answer that was cut, by the token ceiling or by a filter, are dropped: they may be cut themselves. */
function settledMessage(answer: ModelAnswer): AssistantMessage {
  switch (answer.finish) {
    case 'stop':
    case 'tool-calls':
      return answer.message;
    case 'length':
    case 'content-filter':
      return { ...answer.message, toolCalls: [] };
  }
}

async function runCalls(parts: TurnParts, scope: StepScope, calls: readonly ToolCall[]): Promise<void> {
  const { turn, step, work } = scope;
  const environment = { cwd: parts.cwd, env: parts.env, signal: work.signal };
  await parts.tools.run(calls, environment, (index, outcome) => {
    const call = calls[index];
    if (call === undefined) return;
    const { content, isError, code } = outcome;
    const result = { content, isError, ...(code === undefined ? {} : { code }) };
    parts.log.append('tool/result', { turn, step, callId: call.id, ...result });
  });
}
