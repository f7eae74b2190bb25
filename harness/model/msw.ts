/**
 * The in-process carrier: a request handler of msw behind a `fetch` that is handed to the subject (architecture.md). Nothing
 * global is patched. msw leaves a started response alone when its request is aborted, so the body stream listens itself.
 *
 * The handler is msw's own `RequestHandler`, run as msw's `getResponse` runs it. Its `http` handlers would look for cookies,
 * match paths and clone every request, all of which takes longer than to answer.
 */
import { BodyStream } from './body-stream.ts';
import { bytesOf } from './bytes.ts';
import type { Action, Exchange, WireRequest } from './exchange.ts';
import type { ScriptedModel } from './scripted-model.ts';

type Fetch = typeof globalThis.fetch;
type Handle = (request: Asked, count: number) => Promise<Response | null>;

/** A `fetch` that answers below `baseUrl` and fails like an unreachable host everywhere else. */
export function inProcessFetch(model: ScriptedModel, baseUrl: string, keepAliveMs = 50): Fetch {
  const carrier = new InProcessCarrier(model, baseUrl.replace(/\/+$/, ''), keepAliveMs);
  return (input, init) => carrier.fetch(input, init);
}

class InProcessCarrier {
  readonly #model: ScriptedModel;
  readonly #baseUrl: string;
  readonly #keepAliveMs: number;
  #handle: Promise<Handle> | null = null;
  #count = 0;

  constructor(model: ScriptedModel, baseUrl: string, keepAliveMs: number) {
    this.#model = model;
    this.#baseUrl = baseUrl;
    this.#keepAliveMs = keepAliveMs;
  }

  async fetch(input: Parameters<Fetch>[0], init: Parameters<Fetch>[1]): Promise<Response> {
    const request = asked(input, init);
    request.signal.throwIfAborted();
    const handle = await (this.#handle ??= this.#load());
    request.signal.throwIfAborted();
    const response = await handle(request, (this.#count += 1));
    request.signal.throwIfAborted();
    if (response === null) throw networkError('fetch failed', 'ECONNREFUSED');
    return response;
  }

  /** Loaded late: a run without an in-process subject never needs it. */
  async #load(): Promise<Handle> {
    const { RequestHandler } = await import('msw');
    const below = `${this.#baseUrl}/`;
    class ModelHandler extends RequestHandler {
      override predicate({ request }: { readonly request: Request }): boolean {
        return request.url.startsWith(below);
      }
      override log(): void {}
    }
    const handler = new ModelHandler({
      info: { header: 'scripted model' },
      resolver: ({ request }) => this.#answer(request),
    });
    return async (request, count) => {
      const result = await handler.run({ request, requestId: String(count) });
      return result?.response ?? null;
    };
  }

  async #answer(request: Request): Promise<Response> {
    if (!(request instanceof Asked)) throw new Error('msw answers a request that nobody made.');
    const wireRequest: WireRequest = {
      method: request.method,
      path: request.url.slice(this.#baseUrl.length),
      headers: request.written,
      body: request.beside === null ? new Uint8Array(await request.arrayBuffer()) : bytesOf(request.beside),
    };
    const { exchange, actions } = this.#model.begin(wireRequest);
    return new Answer(this.#model, exchange, this.#keepAliveMs, request.signal).give(actions);
  }
}

/** What the application asks, with what a `Request` does not keep or takes its time to give back. */
class Asked extends Request {
  /** As written: a `Request` sorts them. */
  readonly written: readonly (readonly [string, string])[];
  /** The body where it is a string; it stays beside the request. */
  readonly beside: string | null;
  /** msw keeps a clone for its log, which nobody reads. */
  override readonly clone = (): Request => this;

  constructor(input: Parameters<Fetch>[0], init: RequestInit | undefined, beside: string | null) {
    super(input, beside === null ? init : { ...init, body: null });
    if (beside !== null && !this.headers.has('content-type'))
      this.headers.set('content-type', 'text/plain;charset=UTF-8');
    this.written = headersAsWritten(this, init?.headers);
    this.beside = beside;
  }
}

/** What `Request` says of a body that is a string, and refuses, it says and refuses all the same. */
function asked(input: Parameters<Fetch>[0], init: Parameters<Fetch>[1]): Asked {
  const body = init?.body;
  const beside = typeof body === 'string' && !/^(?:get|head)$/iu.test(init?.method ?? 'GET');
  return new Asked(input, init, beside ? body : null);
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
function networkError(message: 'fetch failed' | 'terminated', code: string): TypeError {
  return new TypeError(message, { cause: Object.assign(new Error(code), { code }) });
}

/** What a client finds as the cause of a connection that ended so. */
function codeOf(how: 'disconnect' | 'reset'): string {
  return how === 'reset' ? 'ECONNRESET' : 'UND_ERR_SOCKET';
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
      } else if (action.do === 'break') {
        this.#model.ended(this.#exchange, 'failed');
        throw networkError('fetch failed', codeOf(action.how));
      } else {
        await this.#gone;
        break;
      }
    }
    throw this.#signal.reason;
  }

  async #send(actions: readonly Action[]): Promise<void> {
    for (const action of actions) {
      switch (action.do) {
        case 'head':
          break;
        case 'write':
          this.#write(action.what);
          break;
        case 'hold':
          if ((await this.#orGone(this.#model.reached(this.#exchange, action.name))) === 'gone') return;
          break;
        case 'end':
          this.#body.close();
          this.#model.ended(this.#exchange, 'finished');
          return;
        case 'break':
          this.#body.fail(networkError('terminated', codeOf(action.how)));
          this.#model.ended(this.#exchange, 'failed');
          return;
        case 'stall':
          await this.#stall(action.keepAlive);
          return;
      }
    }
  }

  #write(what: string | Uint8Array): void {
    this.#exchange.sent.add(what);
    this.#body.push(bytesOf(what));
  }

  async #stall(keepAlive: string | null): Promise<void> {
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
