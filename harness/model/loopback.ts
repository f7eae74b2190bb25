/** The carrier for processes: HTTP on 127.0.0.1. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Action, Exchange, Outcome, WireRequest } from './exchange.ts';
import type { ScriptedModel } from './scripted-model.ts';
import { concat } from './writes.ts';

export interface Loopback {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string;
  /** Ends the server and every connection; nothing of it is left. Hang-ups that have already arrived are still recorded. */
  close(): Promise<void>;
}

export interface LoopbackOptions {
  /** 0 lets the system choose. */
  readonly port?: number;
  /** How long after its flush a write that stands apart keeps the next one waiting, so that the client has read it. 0: a turn of the event loop, which is enough for a client in this process. */
  readonly apartMs?: number;
  readonly keepAliveMs?: number;
}

/** Serves a model. Resolves when the port is open. */
export async function serveLoopback(model: ScriptedModel, options: LoopbackOptions = {}): Promise<Loopback> {
  const state = { closing: false };
  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (request, response) => {
    void answer(model, {
      state,
      request,
      response,
      apartMs: options.apartMs ?? 2,
      keepAliveMs: options.keepAliveMs ?? 50,
    });
  });
  server.on('connection', (socket) => socket.setNoDelay(true));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => close(server, state) };
}

async function close(server: ReturnType<typeof createServer>, state: { closing: boolean }): Promise<void> {
  await wait(0);
  state.closing = true;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

interface Answering {
  /** Connections that this side ends are no hang-ups: their exchanges stay open. */
  readonly state: { readonly closing: boolean };
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly apartMs: number;
  readonly keepAliveMs: number;
}

async function answer(model: ScriptedModel, answering: Answering): Promise<void> {
  const { request, response } = answering;
  const body = await readBody(request);
  if (body === null) return;
  const { exchange, actions } = model.begin(wireRequest(request, body));
  const gone = new Promise<'cut'>((resolve) => response.once('close', () => resolve('cut')));
  const carrier = new ResponseCarrier(answering, exchange, gone);
  let outcome: Exclude<Outcome, 'open'> = 'finished';
  for (const [index, action] of actions.entries()) {
    const carried = carrier.carry(action, model, actions[index + 1]);
    const went = typeof carried === 'string' ? carried : await carried;
    if (went === 'on') continue;
    outcome = went;
    break;
  }
  if (outcome === 'cut' && answering.state.closing) return;
  model.ended(exchange, outcome);
}

/** Null where the client went away before it had sent all. */
function readBody(request: IncomingMessage): Promise<Uint8Array | null> {
  return new Promise((resolve) => {
    const parts: Uint8Array[] = [];
    request.on('data', (part: Uint8Array) => parts.push(part));
    request.on('end', () => resolve(concat(parts)));
    request.on('error', () => resolve(null));
    request.on('close', () => resolve(null));
  });
}

function wireRequest(request: IncomingMessage, body: Uint8Array): WireRequest {
  const headers: [string, string][] = [];
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    headers.push([request.rawHeaders[index] ?? '', request.rawHeaders[index + 1] ?? '']);
  }
  return { method: request.method ?? 'GET', path: request.url ?? '/', headers, body };
}

class ResponseCarrier {
  readonly #response: ServerResponse;
  readonly #exchange: Exchange;
  readonly #gone: Promise<'cut'>;
  readonly #apartMs: number;
  readonly #keepAliveMs: number;

  constructor(answering: Answering, exchange: Exchange, gone: Promise<'cut'>) {
    this.#response = answering.response;
    this.#exchange = exchange;
    this.#gone = gone;
    this.#apartMs = answering.apartMs;
    this.#keepAliveMs = answering.keepAliveMs;
  }

  /** `on`: the next action may follow. Otherwise the exchange is over. */
  carry(action: Action, model: ScriptedModel, next: Action | undefined): Went | Promise<Went> {
    if (this.#response.destroyed) return 'cut';
    switch (action.do) {
      case 'head':
        this.#response.writeHead(
          action.status,
          action.headers.flatMap((header) => [...header]),
        );
        // A write takes the head along; anything else must not keep the client waiting for it.
        if (next?.do !== 'write') this.#response.flushHeaders();
        return 'on';
      case 'write':
        return this.#write(action.bytes, action.apart);
      case 'hold':
        return this.#orGone(model.reached(this.#exchange, action.name));
      case 'end':
        return this.#end();
      case 'break':
        return this.#break(action.how);
      case 'stall':
        return this.#stall(action.keepAlive);
    }
  }

  #write(bytes: Uint8Array, apart: boolean): 'on' | Promise<'on' | 'cut'> {
    this.#exchange.sent.push(bytes);
    if (!apart) {
      this.#response.write(bytes);
      return 'on';
    }
    const flushed = new Promise<void>((resolve) => this.#response.write(bytes, () => resolve()));
    return this.#orGone(flushed.then(() => (this.#apartMs === 0 ? nextTurn() : wait(this.#apartMs))));
  }

  async #end(): Promise<'on' | 'cut'> {
    const went = await this.#orGone(new Promise<void>((resolve) => this.#response.end(() => resolve())));
    return this.#response.writableFinished ? 'on' : went;
  }

  /** FIN without a proper end, or RST. What was written before still reaches the client when it is a FIN. */
  async #break(how: 'disconnect' | 'reset'): Promise<'failed'> {
    const socket = this.#response.socket;
    if (how === 'reset') {
      // A reset may overtake bytes that the client has not read yet.
      await wait(this.#apartMs);
      socket?.resetAndDestroy();
    } else if (socket !== null) {
      await new Promise<void>((resolve) => socket.end(() => resolve()));
      socket.destroy();
    }
    return 'failed';
  }

  async #stall(keepAlive: Uint8Array | null): Promise<'cut'> {
    const timer =
      keepAlive === null ? undefined : setInterval(() => this.#write(keepAlive, false), this.#keepAliveMs);
    await this.#gone;
    clearInterval(timer);
    return 'cut';
  }

  #orGone(promise: Promise<void>): Promise<'on' | 'cut'> {
    return Promise.race([promise.then(() => 'on' as const), this.#gone]);
  }
}

type Went = 'on' | 'failed' | 'cut';
