/** OpenAI's chat completions, in DeepSeek's dialect and in OpenAI's own. */
import type { JsonValue } from '../../scenario/scenario.ts';
import type { NeutralRequest, WireRequest } from '../exchange.ts';
import { decodeChat } from './chat-request.ts';
import { CREATED, pathOf } from './wire.ts';
import type { Frame, Piece, ReplyContext, StreamEncoder, Wire, WireReply } from './wire.ts';

type Dialect = 'deepseek' | 'openai';
type Json = { readonly [key: string]: JsonValue };

/** `POST …/chat/completions` as DeepSeek answers it. */
export const chatCompletions: Wire = wire('deepseek');
/** `POST …/chat/completions` as OpenAI answers it. */
export const openaiChatCompletions: Wire = wire('openai');

function wire(dialect: Dialect): Wire {
  const deepseek = dialect === 'deepseek';
  return {
    name: deepseek ? 'chat-completions' : 'openai-chat-completions',
    accepts: (request) => request.method === 'POST' && pathOf(request).endsWith('/chat/completions'),
    startup,
    decode: decodeChat,
    encoder: (reply, context) => new ChatEncoder(dialect, reply, context),
    whole: (reply, context) => whole(dialect, reply, context),
    errorBody: (status, message) => errorBody(dialect, status, message),
    headers: deepseek ? [['x-ds-trace-id', '0'.repeat(32)]] : [['x-request-id', `req_${'0'.repeat(32)}`]],
    framing: () => 'events',
    splitsArguments: true,
    callIdPrefix: (index) => (deepseek ? `call_${String(index).padStart(2, '0')}_` : 'call_'),
    rules: {
      refusesEmptyAssistant: deepseek,
      wantsReasoningBack: (request) => deepseek && thinks(request),
    },
  };
}

function startup(request: WireRequest): ReturnType<Wire['startup']> {
  if (request.method !== 'GET' || !/\/models(\/[^/]+)?$/.test(pathOf(request))) return null;
  const model = { id: 'scripted', object: 'model', created: CREATED, owned_by: 'turnpin' };
  return {
    what: 'models',
    body: pathOf(request).endsWith('/models') ? { object: 'list', data: [model] } : model,
  };
}

/** DeepSeek thinks unless it is told not to. */
function thinks(request: NeutralRequest): boolean {
  const { thinking } = request.parameters;
  const type =
    typeof thinking === 'object' && thinking !== null && 'type' in thinking ? thinking.type : 'enabled';
  return type !== 'disabled';
}

class ChatEncoder implements StreamEncoder {
  readonly #dialect: Dialect;
  readonly #reply: WireReply;
  readonly #head: Json;
  readonly #before: string;
  readonly #usage: boolean;
  /** OpenAI's own dialect never shows reasoning. */
  readonly #thinks: boolean;
  #opened = -1;

  constructor(dialect: Dialect, reply: WireReply, context: ReplyContext) {
    this.#dialect = dialect;
    this.#reply = reply;
    this.#usage = asksForUsage(context.request);
    this.#thinks = dialect === 'deepseek' && reply.reasoning !== null;
    this.#head = {
      id: replyId(dialect, context),
      object: 'chat.completion.chunk',
      created: CREATED,
      model: context.request.model,
      system_fingerprint: FINGERPRINT,
    };
    this.#before = `${JSON.stringify(this.#head).slice(0, -1)},"choices":[{"index":0,"delta":`;
  }

  start(): Frame[] {
    if (this.#dialect === 'openai') return [this.#delta('"role":"assistant","content":"","refusal":null')];
    if (!this.#thinks) return [this.#delta('"role":"assistant","content":""')];
    return [this.#delta('"role":"assistant","content":null,"reasoning_content":""')];
  }

  piece(piece: Piece): Frame[] {
    switch (piece.of) {
      case 'reasoning':
        return this.#thinks
          ? [this.#delta(`"content":null,"reasoning_content":${JSON.stringify(piece.text)}`)]
          : [];
      case 'text':
        return [this.#delta(this.#text(piece.text))];
      case 'arguments':
        return [...this.#openCall(piece.call), ...this.#arguments(piece.call, piece.text)];
    }
  }

  finish(): Frame[] {
    const reason = this.#reply.finish;
    const last = this.#dialect === 'deepseek' ? this.#text('') : '';
    if (!this.#usage) return [this.#last(last, reason, null), DONE];
    const usage = usageOf(this.#dialect, this.#reply);
    if (this.#dialect === 'deepseek') return [this.#last(last, reason, usage), DONE];
    return [this.#last(last, reason, null), frame({ ...this.#head, choices: [], usage }), DONE];
  }

  error(): Frame[] {
    return [frame(errorBody(this.#dialect, 500, null))];
  }

  #text(content: string): string {
    return `"content":${JSON.stringify(content)}${this.#thinks ? ',"reasoning_content":null' : ''}`;
  }

  #openCall(index: number): Frame[] {
    const call = this.#reply.calls[index];
    if (call === undefined || index <= this.#opened) return [];
    this.#opened = index;
    const named = `"function":{"name":${JSON.stringify(call.name)},"arguments":""}`;
    return [this.#call(index, `"id":${JSON.stringify(call.id)},"type":"function",${named}`)];
  }

  #arguments(index: number, text: string): Frame[] {
    return text === '' ? [] : [this.#call(index, `"function":{"arguments":${JSON.stringify(text)}}`)];
  }

  #call(index: number, members: string): Frame {
    return this.#delta(`"tool_calls":[{"index":${index},${members}}]`);
  }

  /** The same text before and behind the members of every delta, so that only these are written anew. */
  #delta(members: string): Frame {
    return { event: null, data: `${this.#before}{${members}}${this.#usage ? AFTER_WITH_USAGE : AFTER}` };
  }

  #last(members: string, reason: string, usage: JsonValue): Frame {
    const open = `${this.#before}{${members}},"logprobs":null,"finish_reason":${JSON.stringify(reason)}}]`;
    return { event: null, data: this.#usage ? `${open},"usage":${JSON.stringify(usage)}}` : `${open}}` };
  }
}

const AFTER = ',"logprobs":null,"finish_reason":null}]}';
const AFTER_WITH_USAGE = ',"logprobs":null,"finish_reason":null}],"usage":null}';
const DONE: Frame = { event: null, data: '[DONE]' };
const FINGERPRINT = 'fp_scripted';

function frame(data: JsonValue): Frame {
  return { event: null, data: JSON.stringify(data) };
}

function replyId(dialect: Dialect, context: ReplyContext): string {
  const number = String(context.exchange);
  return dialect === 'deepseek'
    ? `00000000-0000-4000-8000-${number.padStart(12, '0')}`
    : `chatcmpl-${number.padStart(24, '0')}`;
}

function asksForUsage(request: NeutralRequest): boolean {
  const options = request.parameters['stream_options'];
  return (
    typeof options === 'object' &&
    options !== null &&
    'include_usage' in options &&
    options.include_usage === true
  );
}

function usageOf(dialect: Dialect, reply: WireReply): Json {
  const { input, output, cached } = reply.usage;
  const common = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
  if (dialect === 'openai') return { ...common, completion_tokens_details: { reasoning_tokens: 0 } };
  const usage: { [key: string]: JsonValue } = common;
  usage['prompt_cache_hit_tokens'] = cached;
  usage['prompt_cache_miss_tokens'] = input - cached;
  if (reply.reasoning !== null)
    usage['completion_tokens_details'] = { reasoning_tokens: Math.floor(output / 2) };
  return usage;
}

function whole(dialect: Dialect, reply: WireReply, context: ReplyContext): JsonValue {
  const calls = reply.calls.map((call, index) => ({
    ...(dialect === 'deepseek' ? { index } : {}),
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }));
  const message = {
    role: 'assistant',
    content: dialect === 'openai' && reply.text === '' && calls.length > 0 ? null : reply.text,
    ...(dialect === 'openai' ? { refusal: null } : {}),
    ...(dialect === 'deepseek' && reply.reasoning !== null ? { reasoning_content: reply.reasoning } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return {
    id: replyId(dialect, context),
    object: 'chat.completion',
    created: CREATED,
    model: context.request.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: reply.finish }],
    usage: usageOf(dialect, reply),
    system_fingerprint: FINGERPRINT,
  };
}

const MESSAGES: Readonly<Record<number, string>> = {
  400: 'Invalid request',
  401: 'Authentication Fails, Your api key is invalid',
  402: 'Insufficient Balance',
  413: 'Request entity too large',
  422: 'Invalid parameters',
  429: 'Rate limit reached for requests',
  500: 'Server error',
  503: 'Service is too busy',
};

/** DeepSeek gives nearly every error the code `invalid_request_error`: clients classify by status and type. */
function errorBody(dialect: Dialect, status: number, message: string | null): JsonValue {
  const text = message ?? MESSAGES[status] ?? `Request failed with status ${status}`;
  const type = errorType(status);
  const code = dialect === 'deepseek' ? 'invalid_request_error' : null;
  return { error: { message: text, type, param: null, code } };
}

function errorType(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 402) return 'insufficient_balance';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
