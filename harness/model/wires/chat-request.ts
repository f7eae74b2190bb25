/** What a chat-completions request says. */
import { z } from 'zod';
import type { NeutralMessage, NeutralRequest, WireRequest } from '../exchange.ts';
import { content, contentText, jsonValue, parametersOf } from './content.ts';
import { heldAgainst, jsonBody, UnreadableRequest } from './wire.ts';

const tool = z.looseObject({ function: z.looseObject({ name: z.string() }) });
/** The whole truth of what is read. */
export const requestBody = z.looseObject({
  model: z.string(),
  stream: z.boolean().nullish(),
  messages: z.array(
    z.looseObject({
      role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
      content: content.optional(),
      reasoning_content: z.string().nullish(),
      tool_call_id: z.string().optional(),
      tool_calls: z
        .array(
          z.looseObject({
            id: z.string(),
            function: z.looseObject({ name: z.string(), arguments: z.string() }),
          }),
        )
        .nullish(),
    }),
  ),
  tools: z.array(tool).nullish(),
});
type Body = z.infer<typeof requestBody>;
type Message = Body['messages'][number];

/** Reads `POST …/chat/completions`. Throws `UnreadableRequest`. */
export function decodeChat(request: WireRequest): NeutralRequest {
  const body = checked(jsonBody(request));
  const { model, stream, ...rest } = body;
  const system: string[] = [];
  const messages: NeutralMessage[] = [];
  let userSeen = false;
  for (const message of body.messages) {
    if (message.role === 'user') userSeen = true;
    if (!userSeen && (message.role === 'system' || message.role === 'developer'))
      system.push(contentText(message.content));
    else messages.push(neutralMessage(message));
  }
  return {
    model,
    stream: stream === true,
    system,
    messages,
    tools: (body.tools ?? []).map((each) => ({
      name: each.function.name,
      schema: jsonValue.parse(each),
    })),
    parameters: parametersOf({ model, ...(stream === undefined ? {} : { stream }), ...rest }, [
      'messages',
      'tools',
    ]),
  };
}

function neutralMessage(message: Message): NeutralMessage {
  const text = contentText(message.content);
  switch (message.role) {
    case 'system':
    case 'developer':
    case 'user':
      return { role: 'user', text };
    case 'tool':
      if (message.tool_call_id === undefined)
        throw new UnreadableRequest('A tool message has no tool_call_id.');
      return { role: 'tool', callId: message.tool_call_id, text };
    case 'assistant':
      return {
        role: 'assistant',
        text,
        reasoning: message.reasoning_content ?? null,
        calls: (message.tool_calls ?? []).map(({ id, function: call }) => ({
          id,
          name: call.name,
          arguments: call.arguments,
        })),
      };
  }
}

function checked(body: unknown): Body {
  if (isUsual(body)) return body;
  return heldAgainst(requestBody, body);
}

/**
 * Whether a body is one that `requestBody` takes, as nearly all are: a history grows with every request, and this looks at it
 * many times faster. False only means that the schema has to say.
 */
export function isUsual(body: unknown): body is Body {
  return (
    isRecord(body) &&
    typeof body['model'] === 'string' &&
    (body['stream'] === undefined || typeof body['stream'] === 'boolean') &&
    Array.isArray(body['messages']) &&
    body['messages'].every(isUsualMessage) &&
    (body['tools'] === undefined || (Array.isArray(body['tools']) && body['tools'].every(isUsualTool)))
  );
}

const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

function isUsualMessage(message: unknown): boolean {
  return (
    isRecord(message) &&
    ROLES.has(message['role']) &&
    isTextOrNull(message['content']) &&
    isTextOrNull(message['reasoning_content']) &&
    (message['tool_call_id'] === undefined || typeof message['tool_call_id'] === 'string') &&
    (message['tool_calls'] === undefined ||
      (Array.isArray(message['tool_calls']) && message['tool_calls'].every(isUsualCall)))
  );
}

function isUsualCall(call: unknown): boolean {
  if (!isRecord(call) || typeof call['id'] !== 'string' || !isRecord(call['function'])) return false;
  return typeof call['function']['name'] === 'string' && typeof call['function']['arguments'] === 'string';
}

function isUsualTool(tool: unknown): boolean {
  return isRecord(tool) && isRecord(tool['function']) && typeof tool['function']['name'] === 'string';
}

function isTextOrNull(value: unknown): boolean {
  return typeof value === 'string' || value === undefined || value === null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
