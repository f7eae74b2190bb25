/** How OpenAI's responses are written: whole, and as a stream of typed events. */
import type { JsonValue } from '../../scenario/scenario.ts';
import { CREATED } from './wire.ts';
import type { Frame, Piece, ReplyContext, StreamEncoder, WireReply } from './wire.ts';

type Json = { readonly [key: string]: JsonValue };

/** One thing that a response puts out: reasoning, a message, or a call. */
interface OutputItem {
  readonly of: Piece['of'];
  readonly call: number;
}

/** A response that is not streamed. */
export function wholeResponse(reply: WireReply, context: ReplyContext): JsonValue {
  const output = itemsOf(reply).map((item) => itemJson(reply, context, item, 'completed'));
  return { ...responseHead(reply, context), ...ending(reply), output, usage: usageOf(reply) };
}

/** Events of one streamed response, numbered from 0. */
export class ResponsesEncoder implements StreamEncoder {
  readonly #reply: WireReply;
  readonly #context: ReplyContext;
  readonly #done: JsonValue[] = [];
  #open: OutputItem | null = null;
  #sequence = 0;

  constructor(reply: WireReply, context: ReplyContext) {
    this.#reply = reply;
    this.#context = context;
  }

  start(): Frame[] {
    const response = {
      ...responseHead(this.#reply, this.#context),
      status: 'in_progress',
      output: [],
      usage: null,
    };
    return [this.#event('response.created', { response }), this.#event('response.in_progress', { response })];
  }

  piece(piece: Piece): Frame[] {
    const item: OutputItem = { of: piece.of, call: piece.of === 'arguments' ? piece.call : 0 };
    const opening = this.#turnTo(item);
    const place = this.#place(item);
    switch (piece.of) {
      case 'reasoning':
        return [
          ...opening,
          this.#event('response.reasoning_summary_text.delta', {
            ...place,
            summary_index: 0,
            delta: piece.text,
          }),
        ];
      case 'text':
        return [
          ...opening,
          this.#event('response.output_text.delta', {
            ...place,
            content_index: 0,
            delta: piece.text,
            logprobs: [],
          }),
        ];
      case 'arguments':
        return [
          ...opening,
          this.#event('response.function_call_arguments.delta', { ...place, delta: piece.text }),
        ];
    }
  }

  finish(): Frame[] {
    const closing = this.#close();
    const { status } = ending(this.#reply);
    const response = {
      ...responseHead(this.#reply, this.#context),
      ...ending(this.#reply),
      output: this.#done,
      usage: usageOf(this.#reply),
    };
    return [...closing, this.#event(`response.${String(status)}`, { response })];
  }

  error(): Frame[] {
    return [this.#event('error', { code: 'server_error', message: 'The server had an error', param: null })];
  }

  #turnTo(item: OutputItem): Frame[] {
    if (this.#open?.of === item.of && this.#open.call === item.call) return [];
    const closing = this.#close();
    this.#open = item;
    const place = this.#place(item);
    const added = this.#event('response.output_item.added', {
      output_index: this.#done.length,
      item: itemJson(this.#reply, this.#context, item, 'in_progress'),
    });
    switch (item.of) {
      case 'reasoning':
        return [
          ...closing,
          added,
          this.#event('response.reasoning_summary_part.added', {
            ...place,
            summary_index: 0,
            part: { type: 'summary_text', text: '' },
          }),
        ];
      case 'text':
        return [
          ...closing,
          added,
          this.#event('response.content_part.added', { ...place, content_index: 0, part: textPart('') }),
        ];
      case 'arguments':
        return [...closing, added];
    }
  }

  #close(): Frame[] {
    const item = this.#open;
    if (item === null) return [];
    const place = this.#place(item);
    const done = itemJson(this.#reply, this.#context, item, 'completed');
    const events = [
      ...this.#partDone(item, place),
      this.#event('response.output_item.done', { output_index: this.#done.length, item: done }),
    ];
    this.#open = null;
    this.#done.push(done);
    return events;
  }

  #partDone(item: OutputItem, place: Json): Frame[] {
    switch (item.of) {
      case 'reasoning': {
        const text = this.#reply.reasoning ?? '';
        return [
          this.#event('response.reasoning_summary_text.done', { ...place, summary_index: 0, text }),
          this.#event('response.reasoning_summary_part.done', {
            ...place,
            summary_index: 0,
            part: { type: 'summary_text', text },
          }),
        ];
      }
      case 'text':
        return [
          this.#event('response.output_text.done', {
            ...place,
            content_index: 0,
            text: this.#reply.text,
            logprobs: [],
          }),
          this.#event('response.content_part.done', {
            ...place,
            content_index: 0,
            part: textPart(this.#reply.text),
          }),
        ];
      case 'arguments': {
        const call = this.#reply.calls[item.call];
        return [
          this.#event('response.function_call_arguments.done', {
            ...place,
            name: call?.name ?? '',
            arguments: call?.arguments ?? '',
          }),
        ];
      }
    }
  }

  #place(item: OutputItem): Json {
    return { item_id: itemId(this.#context, item), output_index: this.#done.length };
  }

  #event(type: string, data: Json): Frame {
    const frame = { event: type, data: JSON.stringify({ type, sequence_number: this.#sequence, ...data }) };
    this.#sequence += 1;
    return frame;
  }
}

function itemsOf(reply: WireReply): OutputItem[] {
  return [
    ...(reply.reasoning === null ? [] : [{ of: 'reasoning', call: 0 } as const]),
    ...(reply.text === '' ? [] : [{ of: 'text', call: 0 } as const]),
    ...reply.calls.map((_call, call) => ({ of: 'arguments', call }) as const),
  ];
}

const PREFIX = { reasoning: 'rs', text: 'msg', arguments: 'fc' } as const;

function itemId(context: ReplyContext, item: OutputItem): string {
  return `${PREFIX[item.of]}_${String(context.exchange).padStart(8, '0')}${String(item.call).padStart(4, '0')}`;
}

function itemJson(
  reply: WireReply,
  context: ReplyContext,
  item: OutputItem,
  status: 'in_progress' | 'completed',
): Json {
  const id = itemId(context, item);
  const whole = status === 'completed';
  switch (item.of) {
    case 'reasoning':
      return {
        id,
        type: 'reasoning',
        summary: whole ? [{ type: 'summary_text', text: reply.reasoning ?? '' }] : [],
      };
    case 'text':
      return { id, type: 'message', status, role: 'assistant', content: whole ? [textPart(reply.text)] : [] };
    case 'arguments': {
      const call = reply.calls[item.call];
      return {
        id,
        type: 'function_call',
        status,
        call_id: call?.id ?? '',
        name: call?.name ?? '',
        arguments: whole ? (call?.arguments ?? '') : '',
      };
    }
  }
}

function textPart(text: string): Json {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function responseHead(reply: WireReply, context: ReplyContext): Json {
  return {
    id: `resp_${String(context.exchange).padStart(24, '0')}`,
    object: 'response',
    created_at: CREATED,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: context.request.model,
    parallel_tool_calls: reply.calls.length > 1,
    tool_choice: 'auto',
    tools: [],
  };
}

function ending(reply: WireReply): Json {
  switch (reply.finish) {
    case 'stop':
    case 'tool_calls':
      return { status: 'completed' };
    case 'length':
      return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    case 'content_filter':
      return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
  }
}

function usageOf(reply: WireReply): Json {
  const { input, output, cached } = reply.usage;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}
