/** OpenAI's responses. */
import { z } from 'zod';

import type { NeutralCall, NeutralMessage, NeutralRequest, WireRequest } from '../exchange.ts';
import { openaiChatCompletions } from './chat-completions.ts';
import { content, contentText, jsonValue, parametersOf } from './content.ts';
import { heldAgainst, jsonBody, pathOf } from './wire.ts';
import { ResponsesEncoder, wholeResponse } from './responses-encoder.ts';
import type { Wire } from './wire.ts';

const item = z.looseObject({
  type: z.string().optional(),
  role: z.enum(['system', 'developer', 'user', 'assistant']).optional(),
  content: content.optional(),
  call_id: z.string().optional(),
  name: z.string().optional(),
  arguments: z.string().optional(),
  output: content.optional(),
  summary: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).optional(),
});
type Item = z.infer<typeof item>;

const requestBody = z.looseObject({
  model: z.string(),
  stream: z.boolean().nullish(),
  instructions: z.string().nullish(),
  input: z.union([z.string(), z.array(item)]),
  tools: z.array(z.looseObject({ type: z.string(), name: z.string().optional() })).nullish(),
});

/** `POST …/responses`. */
export const responses: Wire = {
  name: 'responses',
  accepts: (request) => request.method === 'POST' && pathOf(request).endsWith('/responses'),
  startup: openaiChatCompletions.startup,
  decode,
  encoder: (reply, context) => new ResponsesEncoder(reply, context),
  whole: wholeResponse,
  errorBody: openaiChatCompletions.errorBody,
  headers: openaiChatCompletions.headers,
  framing: () => 'events',
  splitsArguments: true,
  callIdPrefix: () => 'call_',
  rules: { refusesEmptyAssistant: false, wantsReasoningBack: () => false },
};

function decode(request: WireRequest): NeutralRequest {
  const body = heldAgainst(requestBody, jsonBody(request));
  const items: readonly Item[] =
    typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input;
  const history = new History();
  for (const each of items) history.add(each);
  return {
    model: body.model,
    stream: body.stream === true,
    system: [...[body.instructions ?? ''].filter((text) => text !== ''), ...history.system],
    messages: history.messages,
    tools: (body.tools ?? []).map((tool) => ({
      name: tool.name ?? tool.type,
      schema: jsonValue.parse(tool),
    })),
    parameters: parametersOf(body, ['input', 'instructions', 'tools']),
  };
}

/** Items are smaller than messages: reasoning, text and calls that follow one another are one assistant message. */
class History {
  readonly system: string[] = [];
  readonly messages: NeutralMessage[] = [];
  #userSeen = false;

  add(given: Item): void {
    switch (given.type ?? 'message') {
      case 'message':
        this.#addMessage(given);
        break;
      case 'reasoning':
        this.#addToAssistant({ reasoning: (given.summary ?? []).map((part) => part.text ?? '').join('\n') });
        break;
      case 'function_call':
        this.#addToAssistant({
          call: { id: given.call_id ?? '', name: given.name ?? '', arguments: given.arguments ?? '' },
        });
        break;
      case 'function_call_output':
        this.messages.push({ role: 'tool', callId: given.call_id ?? '', text: contentText(given.output) });
        break;
      default:
        this.messages.push({ role: 'user', text: `[${given.type ?? ''}]` });
    }
  }

  #addMessage(given: Item): void {
    const text = contentText(given.content);
    if (given.role === 'assistant') return this.#addToAssistant({ text });
    if (given.role === 'user') this.#userSeen = true;
    if (given.role !== 'user' && !this.#userSeen) this.system.push(text);
    else this.messages.push({ role: 'user', text });
  }

  /** Joins what belongs to one reply; a text after a call, and a second text, begin another. */
  #addToAssistant(part: {
    readonly text?: string;
    readonly reasoning?: string;
    readonly call?: NeutralCall;
  }): void {
    const last = this.messages.at(-1);
    const joins =
      last?.role === 'assistant' &&
      (part.call !== undefined || (part.text !== undefined && last.text === '' && last.calls.length === 0));
    const before = joins ? last : ({ role: 'assistant', text: '', reasoning: null, calls: [] } as const);
    if (joins) this.messages.pop();
    this.messages.push({
      role: 'assistant',
      text: part.text ?? before.text,
      reasoning: part.reasoning ?? before.reasoning,
      calls: part.call === undefined ? before.calls : [...before.calls, part.call],
    });
  }
}
