/** Writing a request in the chat-completions dialect. Pure: equal requests give equal bytes (REQ-2, REQ-3). */
import type { AssistantMessage, Json, RequestHeader, ToolSchema } from '../session/events.ts';
import { isEmptyAnswer } from '../session/history.ts';
import type { HistoryMessage, ModelRequest } from './model.ts';

/** The base URL or the key in the configuration cannot be used. Never quotes the key. */
export class EndpointError extends Error {
  readonly code: 'INVALID_BASE_URL' | 'INVALID_API_KEY';
  constructor(code: 'INVALID_BASE_URL' | 'INVALID_API_KEY', message: string) {
    super(message);
    this.name = 'EndpointError';
    this.code = code;
  }
}

export interface Endpoint {
  /** The whole address. */
  readonly url: string;
  /** Path and query below the base URL. */
  readonly path: string;
}

const METHOD = '/chat/completions';

/**
 * The address of chat completions under `baseUrl`, which may end in `/`, in `/v1` or in the method's own path. A query
 * in it is kept. Throws `EndpointError` for what is no plain http(s) address.
 */
export function endpointOf(baseUrl: string): Endpoint {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new EndpointError(
      'INVALID_BASE_URL',
      `The model's base URL must be an http or https address such as https://api.deepseek.com, found ${JSON.stringify(baseUrl)}.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new EndpointError(
      'INVALID_BASE_URL',
      "The model's base URL holds a user name or password. Take it out, and give the key as apiKey.",
    );
  }
  const base = url.pathname.replace(/\/+$/, '').replace(/\/chat\/completions$/, '');
  return { url: `${url.origin}${base}${METHOD}${url.search}`, path: `${METHOD}${url.search}` };
}

/** Returns `key` without surrounding white space, or undefined where it is empty. Throws where HTTP cannot carry it. */
export function usableKey(key: string | undefined): string | undefined {
  const trimmed = key?.trim() ?? '';
  if (trimmed === '') return undefined;
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    throw new EndpointError(
      'INVALID_API_KEY',
      'The API key holds white space or characters outside ASCII, which an HTTP header cannot carry. Was it pasted whole?',
    );
  }
  return trimmed;
}

/** What is the same in all requests of one model. */
export interface RequestSettings {
  readonly path: string;
  readonly model: string;
  readonly maxTokens?: number | undefined;
  readonly thinking?: 'enabled' | 'disabled' | undefined;
  readonly version: string;
}

/** The request header as it is logged and as it is sent, apart from `authorization` (REQ-2, REQ-4). */
export function encodeHeader(settings: RequestSettings, request: ModelRequest): RequestHeader {
  return {
    method: 'POST',
    path: settings.path,
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      'user-agent': `turnpin/${settings.version}`,
    },
    parameters: {
      model: settings.model,
      ...(settings.maxTokens === undefined ? {} : { max_tokens: settings.maxTokens }),
      ...(settings.thinking === undefined ? {} : { thinking: { type: settings.thinking } }),
      ...request.parameters,
      // Last, since an answer is always streamed, whatever a side request overrides.
      stream: true,
      stream_options: { include_usage: true },
    },
    systemPrompt: request.systemPrompt,
    tools: request.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
  };
}

/** The body: the header's parameters with `messages` and `tools`, which no parameter can replace. */
export function encodeBody(header: RequestHeader, request: ModelRequest, settings: RequestSettings): string {
  const { model, messages: _messages, tools: _tools, ...parameters } = header.parameters;
  return JSON.stringify({
    model,
    messages: encodeMessages(request, settings),
    ...parameters,
    ...(header.tools.length === 0 ? {} : { tools: header.tools.map(encodeTool) }),
  });
}

function encodeTool(tool: ToolSchema): Json {
  return {
    type: 'function',
    function: { name: tool.name, description: tool.description, parameters: tool.parameters },
  };
}

function encodeMessages(request: ModelRequest, settings: RequestSettings): Json[] {
  const system = request.systemPrompt === '' ? [] : [{ role: 'system', content: request.systemPrompt }];
  return [...system, ...request.history.flatMap((entry) => encodeMessage(entry, settings.thinking))];
}

function encodeMessage(entry: HistoryMessage, thinking: RequestSettings['thinking']): Json[] {
  switch (entry.role) {
    case 'user':
      return [{ role: 'user', content: entry.message.content.map((block) => block.text).join('\n\n') }];
    case 'assistant':
      return isEmptyAnswer(entry.message) ? [] : [encodeAssistant(entry.message, thinking)];
    case 'tool':
      return [{ role: 'tool', tool_call_id: entry.callId, content: entry.content }];
  }
}

function encodeAssistant(message: AssistantMessage, thinking: RequestSettings['thinking']): Json {
  if (message.toolCalls.length === 0) return { role: 'assistant', content: message.text };
  const reasoning = thinking === 'enabled' ? (message.reasoning ?? '') : message.reasoning;
  return {
    role: 'assistant',
    content: message.text === '' ? null : message.text,
    // In thinking mode DeepSeek answers 400 to a message with calls that lacks this; an empty string will do.
    ...(reasoning === undefined || thinking === 'disabled' ? {} : { reasoning_content: reasoning }),
    tool_calls: message.toolCalls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    })),
  };
}
