/** Gemini's `generateContent` and `streamGenerateContent`. */
import { z } from 'zod';
import type { JsonValue } from '../../scenario/scenario.ts';
import type { NeutralCall, NeutralMessage, NeutralRequest, WireRequest } from '../exchange.ts';
import { jsonValue, parametersOf } from './content.ts';
import { heldAgainst, jsonBody, pathOf } from './wire.ts';
import type { Frame, Piece, ReplyContext, StreamEncoder, Wire, WireReply } from './wire.ts';

type Json = { readonly [key: string]: JsonValue };

const part = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  functionCall: z
    .looseObject({ id: z.string().optional(), name: z.string(), args: jsonValue.optional() })
    .optional(),
  functionResponse: z
    .looseObject({ id: z.string().optional(), name: z.string(), response: jsonValue.optional() })
    .optional(),
});
type Part = z.infer<typeof part>;
const contentSchema = z.looseObject({ role: z.string().optional(), parts: z.array(part).nullish() });

const requestBody = z.looseObject({
  contents: z.array(contentSchema),
  systemInstruction: z.union([contentSchema, z.string()]).nullish(),
  tools: z
    .array(z.looseObject({ functionDeclarations: z.array(z.looseObject({ name: z.string() })).nullish() }))
    .nullish(),
});

const METHOD = /\/models\/([^/:]+):(streamGenerateContent|generateContent)$/;

/** `POST …/models/{model}:streamGenerateContent` and `:generateContent`. */
export const gemini: Wire = {
  name: 'gemini',
  accepts: (request) => request.method === 'POST' && METHOD.test(pathOf(request)),
  startup,
  decode,
  encoder: (reply, context) => new GeminiEncoder(reply, context),
  whole: (reply, context) => chunk(reply, context, allParts(reply), true),
  errorBody,
  headers: [],
  framing: (request) =>
    new URLSearchParams(request.path.split('?')[1] ?? '').get('alt') === 'sse' ? 'events' : 'array',
  splitsArguments: false,
  callIdPrefix: () => 'fc_',
  rules: { refusesEmptyAssistant: false, wantsReasoningBack: () => false },
};

function startup(request: WireRequest): ReturnType<Wire['startup']> {
  const path = pathOf(request);
  if (request.method === 'POST' && path.endsWith(':countTokens'))
    return { what: 'count_tokens', body: { totalTokens: 100 } };
  if (request.method !== 'GET' || !/\/models(\/[^/]+)?$/.test(path)) return null;
  const model = {
    name: 'models/scripted',
    version: '1',
    displayName: 'Scripted',
    supportedGenerationMethods: ['generateContent'],
  };
  return { what: 'models', body: path.endsWith('/models') ? { models: [model] } : model };
}

function decode(request: WireRequest): NeutralRequest {
  const body = heldAgainst(requestBody, jsonBody(request));
  const [, model = '', method = ''] = METHOD.exec(pathOf(request)) ?? [];
  const { systemInstruction } = body;
  const system =
    typeof systemInstruction === 'string' ? [systemInstruction] : textsOf(systemInstruction?.parts ?? []);
  return {
    model,
    stream: method === 'streamGenerateContent',
    system,
    messages: new History().read(body.contents),
    tools: (body.tools ?? []).flatMap((tool) =>
      (tool.functionDeclarations ?? []).map((declared) => ({
        name: declared.name,
        schema: jsonValue.parse(declared),
      })),
    ),
    parameters: parametersOf(body, ['contents', 'systemInstruction', 'tools']),
  };
}

function textsOf(parts: readonly Part[]): string[] {
  return parts.flatMap((each) => (each.text === undefined || each.thought === true ? [] : [each.text]));
}

/** Calls may come without ids: such a call, and its result, are known by their place. */
class History {
  readonly #messages: NeutralMessage[] = [];
  #waiting: NeutralCall[] = [];
  #calls = 0;

  read(contents: readonly z.infer<typeof contentSchema>[]): NeutralMessage[] {
    for (const { role, parts } of contents) {
      if (role === 'model') this.#addModel(parts ?? []);
      else this.#addUser(parts ?? []);
    }
    return this.#messages;
  }

  #addModel(parts: readonly Part[]): void {
    const thoughts = parts.filter((each) => each.thought === true).map((each) => each.text ?? '');
    const calls = parts.flatMap(({ functionCall }) =>
      functionCall === undefined ? [] : [this.#call(functionCall)],
    );
    this.#waiting = [...calls];
    this.#messages.push({
      role: 'assistant',
      text: textsOf(parts).join(''),
      reasoning: thoughts.length === 0 ? null : thoughts.join(''),
      calls,
    });
  }

  #call(given: NonNullable<Part['functionCall']>): NeutralCall {
    this.#calls += 1;
    return {
      id: given.id ?? `call-${this.#calls}`,
      name: given.name,
      arguments: JSON.stringify(given.args ?? {}),
    };
  }

  #addUser(parts: readonly Part[]): void {
    const results = parts.flatMap(({ functionResponse }) => functionResponse ?? []);
    for (const result of results) {
      const at = this.#waiting.findIndex((call) =>
        result.id === undefined ? call.name === result.name : call.id === result.id,
      );
      const [call] = at < 0 ? [] : this.#waiting.splice(at, 1);
      this.#messages.push({
        role: 'tool',
        callId: call?.id ?? result.id ?? result.name,
        text: resultText(result.response),
      });
    }
    const said = parts
      .filter((each) => each.functionResponse === undefined)
      .map((each) => each.text ?? '[part]');
    if (said.length > 0 || results.length === 0) this.#messages.push({ role: 'user', text: said.join('\n') });
  }
}

/** A result is an object; its text is what a tool said, or all of it as JSON. */
function resultText(response: JsonValue | undefined): string {
  const said = z.looseObject({ output: z.string() }).safeParse(response);
  return said.success ? said.data.output : JSON.stringify(response ?? {});
}

class GeminiEncoder implements StreamEncoder {
  readonly #reply: WireReply;
  readonly #context: ReplyContext;

  constructor(reply: WireReply, context: ReplyContext) {
    this.#reply = reply;
    this.#context = context;
  }

  /** The wire opens no message: the first piece is the first chunk. */
  start(): Frame[] {
    return [];
  }

  piece(piece: Piece): Frame[] {
    switch (piece.of) {
      case 'reasoning':
        return [this.#frame([{ text: piece.text, thought: true }])];
      case 'text':
        return [this.#frame([{ text: piece.text }])];
      case 'arguments':
        return [this.#frame([callPart(this.#reply.calls[piece.call], piece.text)])];
    }
  }

  finish(): Frame[] {
    return [this.#frame([{ text: '' }], true)];
  }

  error(): Frame[] {
    return [{ event: null, data: JSON.stringify(errorBody(503, null)) }];
  }

  #frame(parts: readonly JsonValue[], last = false): Frame {
    return { event: null, data: JSON.stringify(chunk(this.#reply, this.#context, parts, last)) };
  }
}

function allParts(reply: WireReply): JsonValue[] {
  return [
    ...(reply.reasoning === null ? [] : [{ text: reply.reasoning, thought: true }]),
    ...(reply.text === '' ? [] : [{ text: reply.text }]),
    ...reply.calls.map((call) => callPart(call, call.arguments)),
  ];
}

/** The wire writes arguments as an object: what is no JSON has no other place than under a key of its own. */
function callPart(call: NeutralCall | undefined, written: string): Json {
  return { functionCall: { id: call?.id ?? '', name: call?.name ?? '', args: parsedArguments(written) } };
}

function parsedArguments(written: string): JsonValue {
  if (written.trim() === '') return {};
  try {
    return jsonValue.parse(JSON.parse(written));
  } catch {
    return { malformed: written };
  }
}

function chunk(reply: WireReply, context: ReplyContext, parts: readonly JsonValue[], last: boolean): Json {
  const { input, output, cached } = reply.usage;
  const usage = {
    promptTokenCount: input,
    candidatesTokenCount: output,
    totalTokenCount: input + output,
    cachedContentTokenCount: cached,
  };
  const candidate = {
    content: { role: 'model', parts },
    ...(last ? { finishReason: finishReason(reply.finish) } : {}),
    index: 0,
  };
  return {
    candidates: [candidate],
    usageMetadata: usage,
    modelVersion: context.request.model,
    responseId: `scripted-${context.exchange}`,
  };
}

/** `STOP` also where the model calls tools. */
function finishReason(finish: WireReply['finish']): string {
  switch (finish) {
    case 'stop':
    case 'tool_calls':
      return 'STOP';
    case 'length':
      return 'MAX_TOKENS';
    case 'content_filter':
      return 'SAFETY';
  }
}

const STATUSES: Readonly<Record<number, readonly [status: string, message: string]>> = {
  400: ['INVALID_ARGUMENT', 'Request contains an invalid argument.'],
  401: ['UNAUTHENTICATED', 'API key not valid.'],
  403: ['PERMISSION_DENIED', 'Permission denied.'],
  404: ['NOT_FOUND', 'Not found.'],
  429: ['RESOURCE_EXHAUSTED', 'Resource has been exhausted.'],
  503: ['UNAVAILABLE', 'The model is overloaded.'],
};

function errorBody(code: number, message: string | null): Json {
  const [status, usual] =
    STATUSES[code] ??
    (code < 500 ? ['FAILED_PRECONDITION', 'Failed precondition.'] : ['INTERNAL', 'Internal error.']);
  return { error: { code, message: message ?? usual, status, details: [] } };
}
