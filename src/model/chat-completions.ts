/** The core's only wire: streaming chat completions, DeepSeek's dialect first (core.md, "Loop"). */
import type { AssistantChunk } from '../session/events.ts';
import { untilAborted } from './abort.ts';
import { drainBriefly, readBounded } from './body.ts';
import { connectionError, httpError, redactor, streamError, vendorError, type Redact } from './errors.ts';
import type { Model, ModelAnswer, ModelRequest } from './model.ts';
import { encodeBody, encodeHeader, endpointOf, usableKey, type RequestSettings } from './request.ts';
import { StreamDecoder } from './stream.ts';

/** The part of `fetch` that the client uses; injected, so that a harness can stand in for the network. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ChatCompletionsOptions {
  /** With or without `/v1` or a slash at its end. */
  readonly baseUrl: string;
  /** Absent or empty sends no `authorization`: some local servers need none. */
  readonly apiKey?: string | undefined;
  readonly model: string;
  readonly maxTokens?: number | undefined;
  /** Absent leaves it to the endpoint. */
  readonly thinking?: 'enabled' | 'disabled' | undefined;
  readonly fetch: Fetch;
  /** Of this program, for `user-agent`. */
  readonly version: string;
  /** An answer in which nothing but comments comes for this long has stalled. Fifteen minutes by default. */
  readonly stallTimeoutMs?: number | undefined;
}

const FIFTEEN_MINUTES = 900_000;
const LARGEST_ERROR_BODY = 64 * 1024;
const ERROR_BODY_TIMEOUT_MS = 5_000;

/**
 * A `Model` that speaks chat completions. Throws `EndpointError` for a base URL or a key that cannot be used. One
 * `attempt` is one HTTP request. No error ever holds the key.
 */
export function createChatCompletions(options: ChatCompletionsOptions): Model {
  const endpoint = endpointOf(options.baseUrl);
  const key = usableKey(options.apiKey);
  const client: Client = {
    url: endpoint.url,
    key,
    fetch: options.fetch,
    redact: redactor(key),
    stallTimeoutMs: options.stallTimeoutMs ?? FIFTEEN_MINUTES,
    settings: {
      path: endpoint.path,
      model: options.model,
      maxTokens: options.maxTokens,
      thinking: options.thinking,
      version: options.version,
    },
  };
  return {
    header: (request) => encodeHeader(client.settings, request),
    attempt: (request, onChunk, signal) => attempt(client, request, onChunk, signal),
  };
}

interface Client {
  readonly url: string;
  readonly key: string | undefined;
  readonly fetch: Fetch;
  readonly redact: Redact;
  readonly stallTimeoutMs: number;
  readonly settings: RequestSettings;
}

async function attempt(
  client: Client,
  request: ModelRequest,
  onChunk: (chunk: AssistantChunk) => void,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  signal.throwIfAborted();
  // A controller of the attempt's own closes the connection on every way out, not only when the turn is cancelled.
  const connection = new AbortController();
  const forward = (): void => {
    connection.abort(signal.reason);
  };
  signal.addEventListener('abort', forward, { once: true });
  const decoder = new StreamDecoder((piece) => {
    // One packet can hold many pieces: after a cancel from within a listener the rest of them is not told.
    if (!connection.signal.aborted) onChunk(piece);
  }, client.redact);
  const stall = startStallTimer(client.stallTimeoutMs, decoder, connection);
  try {
    const response = await send(client, request, connection.signal);
    await refuseUnlessStream(client, response, connection.signal);
    const answer = await readAnswer(response, decoder, connection.signal, stall.restart);
    connection.signal.throwIfAborted();
    return answer;
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error;
    connection.abort(reason);
    throw reason;
  } finally {
    stall.stop();
    signal.removeEventListener('abort', forward);
  }
}

interface StallTimer {
  readonly restart: () => void;
  readonly stop: () => void;
}

/** Breaks the connection where nothing but comments has come for `ms`. */
function startStallTimer(ms: number, decoder: StreamDecoder, connection: AbortController): StallTimer {
  const timer = setTimeout(() => {
    const message = `Nothing came from the model endpoint for ${String(ms)} ms`;
    connection.abort(streamError('STALLED', message, !decoder.visible));
  }, ms);
  return {
    restart: () => {
      timer.refresh();
    },
    stop: () => {
      clearTimeout(timer);
    },
  };
}

async function send(client: Client, request: ModelRequest, signal: AbortSignal): Promise<Response> {
  const header = encodeHeader(client.settings, request);
  const headers = {
    ...header.headers,
    ...(client.key === undefined ? {} : { authorization: `Bearer ${client.key}` }),
  };
  const body = encodeBody(header, request, client.settings);
  try {
    return await untilAborted(
      client.fetch(client.url, { method: header.method, headers, body, signal }),
      signal,
    );
  } catch (error) {
    signal.throwIfAborted();
    throw connectionError(error, 'connect', true);
  }
}

async function refuseUnlessStream(client: Client, response: Response, signal: AbortSignal): Promise<void> {
  const type = response.headers.get('content-type') ?? '';
  if (response.ok && (type === '' || /^text\/event-stream\b/i.test(type))) return;
  const body = await readBounded(response, { bytes: LARGEST_ERROR_BODY, ms: ERROR_BODY_TIMEOUT_MS, signal });
  const { status, headers } = response;
  if (!response.ok) throw httpError({ status, headers, body, now: Date.now(), redact: client.redact });
  const said = vendorError(body).message.slice(0, 300);
  const message =
    `The model endpoint answered with ${JSON.stringify(type)} where text/event-stream was expected; ` +
    `is its base URL right? It said: ${said}`;
  // An endpoint that does not stream will not stream the next time either.
  throw streamError('NOT_A_STREAM', client.redact(message), false);
}

async function readAnswer(
  response: Response,
  decoder: StreamDecoder,
  signal: AbortSignal,
  onProgress: () => void,
): Promise<ModelAnswer> {
  const reader = response.body?.getReader();
  if (reader === undefined) return decoder.end();
  while (!decoder.done) {
    const before = decoder.events;
    const piece = await readPiece(reader, decoder, signal);
    if (piece === null) return decoder.end();
    decoder.feed(piece);
    // A listener that heard of a piece may have cancelled: then nothing of this answer counts any more.
    signal.throwIfAborted();
    if (decoder.events > before) onProgress();
  }
  drainBriefly(reader);
  return decoder.end();
}

/** The next bytes; null at the end. A connection that breaks once the answer is whole ends it, too. */
async function readPiece(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  decoder: StreamDecoder,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  try {
    const { done, value } = await untilAborted(reader.read(), signal);
    return done ? null : value;
  } catch (error) {
    signal.throwIfAborted();
    if (decoder.finished) return null;
    throw connectionError(error, 'stream', !decoder.visible);
  }
}
