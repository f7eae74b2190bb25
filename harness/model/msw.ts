/**
 * The in-process carrier: msw's request handler behind a `fetch` that is handed to the subject (architecture.md). Nothing
 * global is patched. msw leaves a started response alone when its request is aborted, so the body stream listens itself.
 *
 * `handler.run` is what msw's `getResponse` calls for each handler; `msw/core/http` loads in little more than half the time
 * of `msw`, which has `getResponse` but also all of GraphQL.
 */
import type { HttpHandler } from 'msw';
import { BodyStream } from './body-stream.ts';
import { bytesOf } from './framing.ts';
import type { Action, Exchange, WireRequest } from './exchange.ts';
import type { ScriptedModel } from './scripted-model.ts';

type Fetch = typeof globalThis.fetch;

/** A `fetch` that answers below `baseUrl` and fails like an unreachable host everywhere else. */
export function inProcessFetch(model: ScriptedModel, baseUrl: string, keepAliveMs = 50): Fetch {
  const carrier = new InProcessCarrier(model, baseUrl.replace(/\/+$/, ''), keepAliveMs);
  return (input, init) => carrier.fetch(input, init);
}

class InProcessCarrier {
  readonly #model: ScriptedModel;
  readonly #baseUrl: string;
  readonly #keepAliveMs: number;
  /** What the application asks, by what msw is shown of it. */
  readonly #asked = new WeakMap<Request, Asked>();
  #handler: Promise<HttpHandler> | null = null;
  #count = 0;

  constructor(model: ScriptedModel, baseUrl: string, keepAliveMs: number) {
    this.#model = model;
    this.#baseUrl = baseUrl;
    this.#keepAliveMs = keepAliveMs;
  }

  async fetch(input: Parameters<Fetch>[0], init: Parameters<Fetch>[1]): Promise<Response> {
    const { request, body } = requestOf(input, init);
    request.signal.throwIfAborted();
    const handler = await (this.#handler ??= this.#load());
    request.signal.throwIfAborted();
    // msw clones what it is given; to clone a body, headers and a signal costs more than to answer.
    const shown = new Request(request.url, { method: request.method });
    this.#asked.set(shown, { request, headers: headersAsWritten(request, init?.headers), body });
    const result = await handler.run({ request: shown, requestId: String((this.#count += 1)) });
    request.signal.throwIfAborted();
    const response = result?.response;
    if (response === undefined) throw networkError('ECONNREFUSED');
    if (response.type === 'error') throw networkError('ECONNRESET');
    return response;
  }

  /** Loaded late: a run without an in-process subject never needs it. */
  async #load(): Promise<HttpHandler> {
    const { http } = await import('msw/core/http');
    const isBelow = ({ request }: { readonly request: Request }): boolean =>
      request.url.startsWith(`${this.#baseUrl}/`);
    return http.all(isBelow, ({ request }) => this.#answer(request));
  }

  async #answer(shown: Request): Promise<Response> {
    const asked = this.#asked.get(shown);
    if (asked === undefined) throw new Error('msw answers a request that nobody made.');
    const { request, headers, body } = asked;
    const wireRequest: WireRequest = {
      method: request.method,
      path: request.url.slice(this.#baseUrl.length),
      headers,
      body: body ?? new Uint8Array(await request.arrayBuffer()),
    };
    const { exchange, actions } = this.#model.begin(wireRequest);
    return new Answer(this.#model, exchange, this.#keepAliveMs, request.signal).give(actions);
  }
}

interface Asked {
  readonly request: Request;
  /** As written: a `Request` sorts them. */
  readonly headers: readonly (readonly [string, string])[];
  /** Null where the body is no string. */
  readonly body: Uint8Array | null;
}

/**
 * A body that is a string stays beside the request, which takes its time to give one back. What `Request` says of such a body,
 * and refuses, it says and refuses all the same.
 */
function requestOf(
  input: Parameters<Fetch>[0],
  init: Parameters<Fetch>[1],
): { readonly request: Request; readonly body: Uint8Array | null } {
  const body = init?.body;
  if (typeof body !== 'string' || /^(?:get|head)$/iu.test(init?.method ?? 'GET'))
    return { request: new Request(input, init), body: null };
  const request = new Request(input, { ...init, body: null });
  if (!request.headers.has('content-type')) request.headers.set('content-type', 'text/plain;charset=UTF-8');
  return { request, body: bytesOf(body) };
}

/** In the order and spelling of the application where it gave them, and what `Request` added behind. */
function headersAsWritten(request: Request, given: RequestInit['headers']): (readonly [string, string])[] {
  const written: (readonly [string, string])[] =
    given === undefined || given instanceof Headers
      ? []
      : Array.isArray(given)
        ? given.map((pair): [string, string] => [String(pair[0]), String(pair[1])])
        : Object.entries(given).map(([name, value]): [string, string] => [name, String(value)]);
  const named = new Set(written.map(([name]) => name.toLowerCase()));
  return [...written, ...[...request.headers].filter(([name]) => !named.has(name))];
}

/** What `fetch` rejects with when there is no connection, or no more. */
function networkError(code: string, message = 'fetch failed'): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error(code), { code }) });
}

/** One answer on its way. */
class Answer {
  readonly #model: ScriptedModel;
  readonly #exchange: Exchange;
  readonly #keepAliveMs: number;
  readonly #signal: AbortSignal;
  readonly #body: BodyStream;
  readonly #gone: Promise<'gone'>;

  constructor(model: ScriptedModel, exchange: Exchange, keepAliveMs: number, signal: AbortSignal) {
    this.#model = model;
    this.#exchange = exchange;
    this.#keepAliveMs = keepAliveMs;
    this.#signal = signal;
    let leave: (why: 'gone') => void = () => {};
    this.#gone = new Promise((resolve) => {
      leave = resolve;
    });
    const hangUp = (): void => {
      this.#model.ended(this.#exchange, 'cut');
      leave('gone');
    };
    this.#body = new BodyStream(hangUp);
    this.#signal.addEventListener('abort', () => {
      this.#body.abort(this.#signal.reason);
      hangUp();
    });
  }

  /** The response, as soon as its head is sent; the rest goes on behind it. */
  async give(actions: readonly Action[]): Promise<Response> {
    for (const [index, action] of actions.entries()) {
      if (action.do === 'head') {
        void this.#send(actions.slice(index + 1));
        return new Response(this.#body.stream, {
          status: action.status,
          headers: action.headers.map((header): [string, string] => [...header]),
        });
      }
      if (action.do === 'hold') {
        if ((await this.#orGone(this.#model.reached(this.#exchange, action.name))) === 'gone') break;
      } else if (action.do === 'stall') {
        await this.#gone;
        break;
      } else {
        this.#model.ended(this.#exchange, 'failed');
        break;
      }
    }
    return Response.error();
  }

  async #send(actions: readonly Action[]): Promise<void> {
    for (const action of actions) {
      switch (action.do) {
        case 'head':
          break;
        case 'write':
          this.#write(action.bytes);
          break;
        case 'hold':
          if ((await this.#orGone(this.#model.reached(this.#exchange, action.name))) === 'gone') return;
          break;
        case 'end':
          this.#body.close();
          this.#model.ended(this.#exchange, 'finished');
          return;
        case 'break':
          this.#body.fail(
            networkError(action.how === 'reset' ? 'ECONNRESET' : 'UND_ERR_SOCKET', 'terminated'),
          );
          this.#model.ended(this.#exchange, 'failed');
          return;
        case 'stall':
          await this.#stall(action.keepAlive);
          return;
      }
    }
  }

  #write(bytes: Uint8Array): void {
    this.#exchange.sent.push(bytes);
    this.#body.push(bytes);
  }

  async #stall(keepAlive: Uint8Array | null): Promise<void> {
    const timer =
      keepAlive === null ? undefined : setInterval(() => this.#write(keepAlive), this.#keepAliveMs);
    timer?.unref();
    await this.#gone;
    clearInterval(timer);
  }

  #orGone(promise: Promise<void>): Promise<'gone' | 'on'> {
    return Promise.race([promise.then(() => 'on' as const), this.#gone]);
  }
}
