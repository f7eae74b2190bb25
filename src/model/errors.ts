/** Making `ModelError`s of what went wrong: statuses, error bodies, broken connections. Pure. */
import { ModelError } from './model.ts';
import { parseRetryAfter } from './retry-after.ts';

/** Longest piece of a vendor's own words that an error repeats, in UTF-16 units. */
const LONGEST_QUOTE = 2_000;

/** Takes a secret out of a text before anybody sees it. */
export type Redact = (text: string) => string;

/** Replaces every occurrence of `secret` (none, where it is empty or shorter than 4 characters). */
export function redactor(secret: string | undefined): Redact {
  if (secret === undefined || secret.length < 4) return (text) => text;
  return (text) => text.replaceAll(secret, '[api key]');
}

/** A failure of one attempt that is no HTTP status: retryable only while nothing visible had arrived. */
export function streamError(code: string, message: string, retryable: boolean): ModelError {
  return new ModelError(message, { code, retryable });
}

/** What a refused request came back with. */
export interface RefusedResponse {
  readonly status: number;
  readonly headers: Headers;
  /** As much of the body as was read. */
  readonly body: string;
  readonly now: number;
  readonly redact: Redact;
}

/**
 * A status outside 200..299. The vendor's own message is kept; `retryable` follows core.md, "Retries": 408, 409, 429
 * and 5xx. Error bodies differ from vendor to vendor, and DeepSeek's `code` is nearly always the same word, so status
 * and `type` decide.
 */
export function httpError(response: RefusedResponse): ModelError {
  const vendor = vendorError(response.body);
  const said = response.redact(vendor.message);
  const { status } = response;
  return new ModelError(`The model endpoint answered ${String(status)}${said === '' ? '' : `: ${said}`}`, {
    code: codeOf(status, `${vendor.type} ${vendor.message}`),
    status,
    retryable: isRetryableStatus(status),
    retryAfterMs: parseRetryAfter(response.headers, response.now),
  });
}

function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || (status >= 500 && status <= 599);
}

function codeOf(status: number, words: string): string {
  if ((status === 400 || status === 413) && /maximum context length|context_length_exceeded/i.test(words)) {
    return 'CONTEXT_TOO_LONG';
  }
  if (status === 402 || /insufficient[_ ](?:quota|balance)/i.test(words)) return 'INSUFFICIENT_BALANCE';
  if (status >= 500 && status <= 599) return status === 503 || status === 529 ? 'OVERLOADED' : 'SERVER_ERROR';
  return CODES[status] ?? 'HTTP_ERROR';
}

const CODES: Readonly<Record<number, string>> = {
  400: 'INVALID_REQUEST',
  401: 'AUTHENTICATION_FAILED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'REQUEST_TIMEOUT',
  409: 'CONFLICT',
  413: 'REQUEST_TOO_LARGE',
  422: 'INVALID_REQUEST',
  429: 'RATE_LIMITED',
};

/** `{error: {message, type}}`, `{error: "…"}`, `{message}` or plain text: whatever of it can be read. */
export function vendorError(body: string): { readonly message: string; readonly type: string } {
  const parsed = parseOrNull(body);
  const error = field(parsed, 'error') ?? parsed;
  const message = text(error) ?? text(field(error, 'message')) ?? text(field(parsed, 'detail'));
  return { message: shorten(message ?? body), type: text(field(error, 'type')) ?? '' };
}

/** A connection that could not be made, or broke. Only the system's code is repeated: causes can quote headers. */
export function connectionError(error: unknown, phase: 'connect' | 'stream', retryable: boolean): ModelError {
  const code = systemCode(error);
  const suffix = code === undefined ? '' : ` (${code})`;
  return phase === 'connect'
    ? streamError(
        'CONNECTION_FAILED',
        `No connection to the model endpoint${suffix}; is its base URL right?`,
        retryable,
      )
    : streamError(
        'CONNECTION_LOST',
        `The connection to the model endpoint broke in the middle of the answer${suffix}`,
        retryable,
      );
}

function systemCode(error: unknown): string | undefined {
  const seen = new Set<unknown>();
  for (let at = error; typeof at === 'object' && at !== null && !seen.has(at); at = field(at, 'cause')) {
    seen.add(at);
    const code = text(field(at, 'code'));
    if (code !== undefined && /^[A-Z][A-Z0-9_]*$/.test(code)) return code;
  }
  return undefined;
}

function parseOrNull(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function shorten(words: string): string {
  const trimmed = words.trim();
  return trimmed.length <= LONGEST_QUOTE ? trimmed : `${trimmed.slice(0, LONGEST_QUOTE)} …`;
}
