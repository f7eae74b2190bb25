/** Anthropic's messages. */
import { z } from 'zod';
import type { JsonValue } from '../../scenario/scenario.ts';
import type { NeutralCall, NeutralMessage, NeutralRequest, WireRequest } from '../exchange.ts';
import { jsonValue, parametersOf } from './content.ts';
import { heldAgainst, jsonBody, pathOf } from './wire.ts';
import type { Frame, Piece, ReplyContext, StreamEncoder, Wire, WireReply } from './wire.ts';

type Json = { readonly [key: string]: JsonValue };

const textBlock = z.looseObject({ type: z.string(), text: z.string().optional() });
const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: jsonValue.optional(),
  tool_use_id: z.string().optional(),
  content: z.union([z.string(), z.array(textBlock)]).optional(),
});
type Block = z.infer<typeof block>;

const requestBody = z.looseObject({
  model: z.string(),
  max_tokens: z.number(),
  stream: z.boolean().nullish(),
  system: z.union([z.string(), z.array(textBlock)]).nullish(),
  messages: z.array(
    z.looseObject({
      role: z.enum(['user', 'assistant', 'system']),
      content: z.union([z.string(), z.array(block)]),
    }),
  ),
  tools: z.array(z.looseObject({ name: z.string() })).nullish(),
});

/** `POST …/v1/messages`. */
export const anthropicMessages: Wire = {
  name: 'anthropic-messages',
  accepts: (request) => request.method === 'POST' && pathOf(request).endsWith('/messages'),
  startup,
  decode,
  encoder: (reply, context) => new MessagesEncoder(reply, context),
  whole,
  errorBody,
  headers: [['request-id', `req_${'0'.repeat(24)}`]],
  framing: () => 'events',
  splitsArguments: true,
  callIdPrefix: () => 'toolu_',
  rules: {
    refusesEmptyAssistant: true,
    wantsReasoningBack: (request) => {
      const { thinking } = request.parameters;
      return (
        typeof thinking === 'object' &&
        thinking !== null &&
        'type' in thinking &&
        thinking.type !== 'disabled'
      );
    },
  },
};

function startup(request: WireRequest): ReturnType<Wire['startup']> {
  const path = pathOf(request);
  if (request.method === 'POST' && path.endsWith('/messages/count_tokens'))
    return { what: 'count_tokens', body: { input_tokens: 100 } };
  if (request.method !== 'GET' || !/\/models(\/[^/]+)?$/.test(path)) return null;
  const model = {
    type: 'model',
    id: 'scripted',
    display_name: 'Scripted',
    created_at: '2026-01-01T00:00:00Z',
  };
  const list = { data: [model], has_more: false, first_id: 'scripted', last_id: 'scripted' };
  return { what: 'models', body: path.endsWith('/models') ? list : model };
}

function decode(request: WireRequest): NeutralRequest {
  const body = heldAgainst(requestBody, jsonBody(request));
  const system =
    typeof body.system === 'string' ? [body.system] : (body.system ?? []).map((part) => part.text ?? '');
  const messages: NeutralMessage[] = [];
  let userSeen = false;
  for (const message of body.messages) {
    const blocks: readonly Block[] =
      typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
    if (message.role === 'user') userSeen = true;
    if (message.role === 'assistant') messages.push(assistantMessage(blocks));
    else if (message.role === 'system' && !userSeen) system.push(textOf(blocks));
    else messages.push(...userMessages(blocks));
  }
  return {
    model: body.model,
    stream: body.stream === true,
    system,
    messages,
    tools: (body.tools ?? []).map((tool) => ({ name: tool.name, schema: jsonValue.parse(tool) })),
    parameters: parametersOf(body, ['messages', 'system', 'tools']),
  };
}

function textOf(blocks: readonly z.infer<typeof textBlock>[]): string {
  return blocks.map((part) => part.text ?? `[${part.type}]`).join('\n');
}

/** Results first, each on its own, as the vendor wants them; then what the user says. */
function userMessages(blocks: readonly Block[]): NeutralMessage[] {
  const results = blocks.filter((part) => part.type === 'tool_result');
  const said = blocks.filter((part) => part.type !== 'tool_result');
  return [
    ...results.map((part): NeutralMessage => ({
      role: 'tool',
      callId: part.tool_use_id ?? '',
      text: resultText(part),
    })),
    ...(said.length > 0 || results.length === 0 ? [{ role: 'user' as const, text: textOf(said) }] : []),
  ];
}

function resultText(part: Block): string {
  return typeof part.content === 'string' ? part.content : textOf(part.content ?? []);
}

function assistantMessage(blocks: readonly Block[]): NeutralMessage {
  const thoughts = blocks.filter((part) => part.type === 'thinking');
  return {
    role: 'assistant',
    text: blocks
      .filter((part) => part.type === 'text')
      .map((part) => part.text ?? '')
      .join(''),
    reasoning: thoughts.length === 0 ? null : thoughts.map((part) => part.thinking ?? '').join(''),
    calls: blocks.flatMap((part): NeutralCall[] =>
      part.type === 'tool_use'
        ? [{ id: part.id ?? '', name: part.name ?? '', arguments: JSON.stringify(part.input ?? {}) }]
        : [],
    ),
  };
}

class MessagesEncoder implements StreamEncoder {
  readonly #reply: WireReply;
  readonly #context: ReplyContext;
  /** What the open block holds: `text`, `reasoning`, or the index of a call. */
  #open: string | null = null;
  #index = -1;

  constructor(reply: WireReply, context: ReplyContext) {
    this.#reply = reply;
    this.#context = context;
  }

  start(): Frame[] {
    const usage = { ...inputUsage(this.#reply), output_tokens: 1 };
    return [
      event({
        type: 'message_start',
        message: {
          ...messageHead(this.#context),
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage,
        },
      }),
    ];
  }

  piece(piece: Piece): Frame[] {
    switch (piece.of) {
      case 'reasoning':
        return [
          ...this.#turnTo('reasoning', { type: 'thinking', thinking: '', signature: '' }),
          this.#delta({ type: 'thinking_delta', thinking: piece.text }),
        ];
      case 'text':
        return [
          ...this.#turnTo('text', { type: 'text', text: '' }),
          this.#delta({ type: 'text_delta', text: piece.text }),
        ];
      case 'arguments': {
        const call = this.#reply.calls[piece.call];
        const block = { type: 'tool_use', id: call?.id ?? '', name: call?.name ?? '', input: {} };
        const written = piece.text === '{}' ? '' : piece.text;
        return [
          ...this.#turnTo(`call ${piece.call}`, block),
          this.#delta({ type: 'input_json_delta', partial_json: written }),
        ];
      }
    }
  }

  finish(): Frame[] {
    const delta = { stop_reason: stopReason(this.#reply.finish), stop_sequence: null };
    const usage = { ...inputUsage(this.#reply), output_tokens: this.#reply.usage.output };
    return [
      ...this.#close(),
      event({ type: 'message_delta', delta, usage }),
      event({ type: 'message_stop' }),
    ];
  }

  error(): Frame[] {
    return [event(errorBody(529, null))];
  }

  #turnTo(what: string, contentBlock: Json): Frame[] {
    if (this.#open === what) return [];
    const closing = this.#close();
    this.#open = what;
    this.#index += 1;
    return [
      ...closing,
      event({ type: 'content_block_start', index: this.#index, content_block: contentBlock }),
    ];
  }

  #close(): Frame[] {
    if (this.#open === null) return [];
    const signature =
      this.#open === 'reasoning' ? [this.#delta({ type: 'signature_delta', signature: SIGNATURE })] : [];
    this.#open = null;
    return [...signature, event({ type: 'content_block_stop', index: this.#index })];
  }

  #delta(delta: Json): Frame {
    return event({ type: 'content_block_delta', index: this.#index, delta });
  }
}

const SIGNATURE = Buffer.from('a signature of the scripted model').toString('base64');

function event(data: Json): Frame {
  return { event: String(data['type']), data: JSON.stringify(data) };
}

function messageHead(context: ReplyContext): Json {
  return {
    id: `msg_${String(context.exchange).padStart(24, '0')}`,
    type: 'message',
    role: 'assistant',
    model: context.request.model,
  };
}

function inputUsage(reply: WireReply): Json {
  const { input, cached } = reply.usage;
  return { input_tokens: input - cached, cache_creation_input_tokens: 0, cache_read_input_tokens: cached };
}

function stopReason(finish: WireReply['finish']): string {
  switch (finish) {
    case 'stop':
      return 'end_turn';
    case 'tool_calls':
      return 'tool_use';
    case 'length':
      return 'max_tokens';
    case 'content_filter':
      return 'refusal';
  }
}

function whole(reply: WireReply, context: ReplyContext): JsonValue {
  const content: JsonValue[] = [
    ...(reply.reasoning === null
      ? []
      : [{ type: 'thinking', thinking: reply.reasoning, signature: SIGNATURE }]),
    ...(reply.text === '' ? [] : [{ type: 'text', text: reply.text }]),
    ...reply.calls.map((call) => ({
      type: 'tool_use',
      id: call.id,
      name: call.name,
      input: parsedInput(call.arguments),
    })),
  ];
  const usage = { ...inputUsage(reply), output_tokens: reply.usage.output };
  return {
    ...messageHead(context),
    content,
    stop_reason: stopReason(reply.finish),
    stop_sequence: null,
    usage,
  };
}

/** The wire has no way to write what is no JSON; a whole message carries it as a string. */
function parsedInput(written: string): JsonValue {
  if (written.trim() === '') return {};
  try {
    return jsonValue.parse(JSON.parse(written));
  } catch {
    return written;
  }
}

const TYPES: Readonly<Record<number, readonly [type: string, message: string]>> = {
  400: ['invalid_request_error', 'Invalid request'],
  401: ['authentication_error', 'invalid x-api-key'],
  402: ['billing_error', 'Payment required'],
  403: ['permission_error', 'Not permitted'],
  404: ['not_found_error', 'Not found'],
  413: ['request_too_large', 'Request exceeds the maximum size'],
  422: ['invalid_request_error', 'Invalid request'],
  429: ['rate_limit_error', 'Rate limit exceeded'],
  529: ['overloaded_error', 'Overloaded'],
};

function errorBody(status: number, message: string | null): Json {
  const [type, usual] = TYPES[status] ?? ['api_error', 'Internal server error'];
  return { type: 'error', error: { type, message: message ?? usual }, request_id: `req_${'0'.repeat(24)}` };
}
