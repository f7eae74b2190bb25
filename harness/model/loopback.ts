/** The carrier for processes: HTTP on 127.0.0.1. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Action, Exchange, Outcome, WireRequest } from './exchange.ts';
import type { ScriptedModel } from './scripted-model.ts';
import { chunked } from './chunked.ts';

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
    answer(model, {
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

/** Answers once the request is whole. A client that goes away before has asked for nothing. */
function answer(model: ScriptedModel, answering: Answering): void {
  const { request, state } = answering;
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const [first] = parts;
    const body = parts.length === 1 && first !== undefined ? first : Buffer.concat(parts);
    const { exchange, actions } = model.begin(wireRequest(request, body));
    void new ResponseCarrier(answering, model, exchange).carry(actions).then((outcome) => {
      if (outcome !== 'cut' || !state.closing) model.ended(exchange, outcome);
    });
  });
}

function wireRequest(request: IncomingMessage, body: Uint8Array): WireRequest {
  const headers: [string, string][] = [];
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    headers.push([request.rawHeaders[index] ?? '', request.rawHeaders[index + 1] ?? '']);
  }
  return { method: request.method ?? 'GET', path: request.url ?? '/', headers, body };
}

type Ended = Exclude<Outcome, 'open'>;

class ResponseCarrier {
  readonly #response: ServerResponse;
  /** Whether the response may have a body. */
  readonly #hasBody: boolean;
  readonly #model: ScriptedModel;
  readonly #exchange: Exchange;
  readonly #apartMs: number;
  readonly #keepAliveMs: number;
  #gone: Promise<'cut'> | null = null;

  constructor(answering: Answering, model: ScriptedModel, exchange: Exchange) {
    this.#response = answering.response;
    this.#hasBody = answering.request.method !== 'HEAD';
    this.#model = model;
    this.#exchange = exchange;
    this.#apartMs = answering.apartMs;
    this.#keepAliveMs = answering.keepAliveMs;
  }

  async carry(actions: readonly Action[]): Promise<Ended> {
    for (let index = 0; index < actions.length;) {
      if (this.#response.destroyed) return 'cut';
      const action = actions[index];
      const together = textsFrom(actions, index);
      if (together.length > 0) this.#write(together);
      else if (action?.do === 'head') this.#head(action);
      else {
        const went = action === undefined ? 'on' : await this.#act(action);
        if (went !== 'on') return went;
      }
      index += Math.max(1, together.length);
    }
    return 'finished';
  }

  /** `on`: the next action may follow. Otherwise the exchange is over. */
  #act(action: Exclude<Action, { readonly do: 'head' }>): Promise<'on' | Ended> {
    switch (action.do) {
      case 'write':
        return this.#writeApart(action.what);
      case 'hold':
        return this.#orGone(this.#model.reached(this.#exchange, action.name));
      case 'end':
        return this.#end();
      case 'break':
        return this.#break(action.how);
      case 'stall':
        return this.#stall(action.keepAlive);
    }
  }

  /** What follows at once goes along with the head; nothing keeps the client waiting for it. */
  #head({ status, headers }: Extract<Action, { readonly do: 'head' }>): void {
    const { socket } = this.#response;
    if (socket !== null) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    this.#response.writeHead(
      status,
      headers.flatMap((header) => [...header]),
    );
    this.#response.flushHeaders();
  }

  /** Texts that nothing keeps apart go to the socket as one, each in its own chunk. */
  #write(texts: readonly string[]): void {
    const { socket, chunkedEncoding } = this.#response;
    if (socket !== null && socket.writable && chunkedEncoding && this.#hasBody) {
      const chunks = chunked(texts);
      this.#exchange.sent.addChunks(chunks);
      socket.write(chunks);
      return;
    }
    for (const text of texts) {
      this.#exchange.sent.add(text);
      this.#response.write(text);
    }
  }

  #writeApart(what: string | Uint8Array): Promise<'on' | 'cut'> {
    this.#exchange.sent.add(what);
    const flushed = new Promise<void>((resolve) => this.#response.write(what, () => resolve()));
    return this.#orGone(flushed.then(() => (this.#apartMs === 0 ? nextTurn() : wait(this.#apartMs))));
  }

  /** The response closes once it is with the system, and when its client goes away. */
  #end(): Promise<'on' | 'cut'> {
    const closed = this.#untilGone();
    this.#response.end();
    return closed.then((cut) => (this.#response.writableFinished ? 'on' : cut));
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

  async #stall(keepAlive: string | null): Promise<'cut'> {
    const timer =
      keepAlive === null ? undefined : setInterval(() => this.#write([keepAlive]), this.#keepAliveMs);
    await this.#untilGone();
    clearInterval(timer);
    return 'cut';
  }

  #orGone(promise: Promise<void>): Promise<'on' | 'cut'> {
    return Promise.race([promise.then(() => 'on' as const), this.#untilGone()]);
  }

  /** Asked for only while the connection stands. */
  #untilGone(): Promise<'cut'> {
    return (this.#gone ??= new Promise((resolve) => this.#response.once('close', () => resolve('cut'))));
  }
}

/** The texts from here on that need not stand apart. */
function textsFrom(actions: readonly Action[], from: number): string[] {
  const texts: string[] = [];
  for (let index = from; index < actions.length; index += 1) {
    const action = actions[index];
    if (action?.do !== 'write' || action.apart || typeof action.what !== 'string') break;
    texts.push(action.what);
  }
  return texts;
}
