/**
 * The in-process carrier: msw's `getResponse` behind a `fetch` that is handed to the subject (architecture.md). Nothing
 * global is patched. msw leaves a started response alone when its request is aborted, so the body stream listens itself.
 */
import type { getResponse, HttpHandler } from 'msw';
import { BodyStream } from './body-stream.ts';
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
  /** Headers as the application wrote them: a `Request` sorts them. */
  readonly #written = new WeakMap<Request, readonly (readonly [string, string])[]>();
  #msw: Promise<{ readonly getResponse: typeof getResponse; readonly handlers: HttpHandler[] }> | null = null;

  constructor(model: ScriptedModel, baseUrl: string, keepAliveMs: number) {
    this.#model = model;
    this.#baseUrl = baseUrl;
    this.#keepAliveMs = keepAliveMs;
  }

  async fetch(input: Parameters<Fetch>[0], init: Parameters<Fetch>[1]): Promise<Response> {
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    this.#written.set(request, headersAsWritten(request, init?.headers));
    const msw = await (this.#msw ??= this.#load());
    request.signal.throwIfAborted();
    const response = await Promise.race([
      msw.getResponse(msw.handlers, request),
      rejectedOnAbort(request.signal),
    ]);
    if (response === undefined) throw networkError('ECONNREFUSED');
    if (response.type === 'error') throw networkError('ECONNRESET');
    return response;
  }

  async #load(): Promise<{ getResponse: typeof getResponse; handlers: HttpHandler[] }> {
    const msw = await import('msw');
    return {
      getResponse: msw.getResponse,
      handlers: [msw.http.all(`${this.#baseUrl}/*`, ({ request }) => this.#answer(request))],
    };
  }

  async #answer(request: Request): Promise<Response> {
    const body = new Uint8Array(await request.arrayBuffer());
    const { exchange, actions } = this.#model.begin(this.#wireRequest(request, body));
    return new Answer(this.#model, exchange, this.#keepAliveMs, request.signal).give(actions);
  }

  #wireRequest(request: Request, body: Uint8Array): WireRequest {
    const headers = this.#written.get(request) ?? [...request.headers];
    return { method: request.method, path: request.url.slice(this.#baseUrl.length), headers, body };
  }
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

function rejectedOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
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

  async #stall(keepAlive: boolean): Promise<void> {
    const timer = keepAlive ? setInterval(() => this.#write(KEEP_ALIVE), this.#keepAliveMs) : undefined;
    timer?.unref();
    await this.#gone;
    clearInterval(timer);
  }

  #orGone(promise: Promise<void>): Promise<'gone' | 'on'> {
    return Promise.race([promise.then(() => 'on' as const), this.#gone]);
  }
}

const KEEP_ALIVE = new TextEncoder().encode(': keep-alive\n\n');
