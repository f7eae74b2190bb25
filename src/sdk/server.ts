/**
 * The server side of the low-level protocol (SDK-1..7). It reads lines and writes lines; whose streams those are is the
 * caller's affair. Several sessions; a prompt is answered as soon as it is enqueued; what a session records goes out in
 * the order of recording.
 */
import fs from 'node:fs';
import type { Agent, Published } from '../agent/contract.ts';
import { createUserMessage } from '../agent/message.ts';
import type { Assembled } from '../assembly/assemble.ts';
import type { SessionId, TextBlock } from '../session/events.ts';
import { codeOf, messageOf } from '../session/thrown.ts';
import type { ChildNews } from '../subagent/family.ts';
import { FrameReader } from './frames.ts';
import type { Frame } from './frames.ts';
import { checkParams } from './params.ts';
import { FRAME_CAP, PROTOCOL_VERSION, RPC_ERROR } from './protocol.ts';
import type { InitializeParams, Methods, RequestId, RpcErrorObject } from './protocol.ts';
import { errorLine, notificationLine, parseMessage, resultLine } from './rpc.ts';
import { SessionRegistry } from './session-registry.ts';

/** What a server wants to hear of a session that it has open, from the first event on. */
export interface Watch {
  readonly listener: (published: Published) => void;
  readonly onChild: (news: ChildNews) => void;
}

/** What a server stands on. */
export interface ServerParts {
  /** Opens the session, or creates it where no log exists. */
  readonly open: (id: SessionId, client: InitializeParams, watch: Watch) => Promise<Assembled>;
  /** Sends one line. */
  readonly send: (line: string) => void;
  /** Tells the operator; never the client. */
  readonly report: (message: string) => void;
  readonly version: string;
}

type Respond = (result: unknown) => void;

/**
 * Each responds once, or rejects. What is enqueued is responded to in the same stack, so that a receipt does not wait for
 * what the turn does first (SDK-1).
 */
type Handlers = {
  readonly [M in keyof Methods]: (
    params: Methods[M]['params'],
    respond: (result: Methods[M]['result']) => void,
  ) => Promise<void>;
};

export class Server {
  readonly #parts: ServerParts;
  readonly #frames = new FrameReader(FRAME_CAP);
  readonly #sessions: SessionRegistry<Assembled>;
  /** Requests that were read and not answered yet, `shutdown` apart, which waits for them. */
  readonly #pending = new Set<Promise<void>>();
  readonly #shutdowns: Promise<void>[] = [];
  #client: Promise<InitializeParams> | null = null;
  #ending: Promise<void> | null = null;
  #reportEnd: () => void = () => {};
  /** Resolves once `shutdown` or `close()` has been carried out: all sessions flushed, all answers sent. */
  readonly ended: Promise<void> = new Promise((resolve) => {
    this.#reportEnd = resolve;
  });

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.#sessions = new SessionRegistry(parts.report);
  }

  /** Takes in bytes from the client. Each frame has begun to be carried out when this returns. */
  receive(bytes: Buffer): Promise<void> {
    for (const frame of this.#frames.push(bytes)) this.#take(frame);
    return Promise.resolve();
  }

  /** The client's input has ended: answers what was read, disposes every session. Idempotent. */
  async close(): Promise<void> {
    for (const frame of this.#frames.end()) this.#take(frame);
    await this.#end();
    await Promise.allSettled(this.#shutdowns);
    this.#reportEnd();
  }

  /** False when a session's last flush has failed. */
  get saved(): boolean {
    return this.#sessions.saved;
  }

  #take(frame: Frame): void {
    if (frame.kind === 'too-long') {
      this.#refuse(null, {
        code: RPC_ERROR.invalidRequest,
        message: `Invalid request: a frame is longer than ${FRAME_CAP} bytes.`,
      });
      return;
    }
    const message = parseMessage(frame.bytes);
    switch (message.kind) {
      case 'request':
        this.#answer(message.id, message.method, message.params);
        return;
      case 'notification':
        this.#answer(null, message.method, message.params);
        return;
      case 'invalid':
        this.#refuse(message.id, message.error);
        return;
      // This server asks its client nothing, so no response is due.
      case 'response':
      case 'blank':
        return;
    }
  }

  /** `id` null: a notification, which has no answer, not even an error. */
  #answer(id: RequestId | null, method: string, params: unknown): void {
    const respond: Respond = (result) => {
      if (id !== null) this.#parts.send(resultLine(id, result));
    };
    const work = this.#perform(method, params, respond).catch((error: unknown) => {
      if (id !== null) this.#refuse(id, this.#errorObject(error));
    });
    if (method === 'shutdown') {
      this.#shutdowns.push(work);
      return;
    }
    const tracked = work.finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
  }

  async #perform(method: string, params: unknown, respond: Respond): Promise<void> {
    if (!isMethod(method))
      throw new RpcError(RPC_ERROR.methodNotFound, `Method not found: ${method.slice(0, 100)}`);
    const checked = checkParams(method, params);
    if (!checked.ok) throw new RpcError(RPC_ERROR.invalidParams, checked.message);
    if (this.#ending !== null && method !== 'shutdown') {
      throw new RpcError(RPC_ERROR.notServing, 'The server is shutting down.');
    }
    const handler: (params: never, respond: Respond) => Promise<void> = this.#handlers[method];
    await handler(checked.params as never, respond);
  }

  readonly #handlers: Handlers = {
    initialize: async (params, respond) => {
      if (this.#client !== null)
        throw new RpcError(RPC_ERROR.invalidRequest, 'Invalid request: initialize was called before.');
      this.#client = inDirectory(params);
      try {
        await this.#client;
      } catch (error) {
        this.#client = null;
        throw error;
      }
      respond({
        protocolVersion: PROTOCOL_VERSION,
        server: { name: 'turnpin-agent', version: this.#parts.version },
      });
    },
    'session/prompt': async ({ sessionId, contentBlocks }, respond) => {
      const client = await this.#initialized();
      respond(send(await this.#open(sessionId, client), 'followup', contentBlocks));
    },
    'session/steer': async ({ sessionId, contentBlocks }, respond) =>
      respond(send(await this.#known(sessionId), 'steer', contentBlocks)),
    'session/inject': async ({ sessionId, contentBlocks }, respond) =>
      respond(send(await this.#known(sessionId), 'inject', contentBlocks)),
    'session/cancel': async ({ sessionId }, respond) => {
      (await this.#known(sessionId)).cancel('user');
      respond({});
    },
    'session/close': async ({ sessionId }, respond) => {
      await this.#initialized();
      if (!(await this.#sessions.close(sessionId))) throw unknown(sessionId);
      respond({});
    },
    shutdown: async (_, respond) => {
      await this.#end();
      respond({});
      this.#reportEnd();
    },
  };

  /** What the client said; a request that was sent right behind `initialize` waits for it. */
  async #initialized(): Promise<InitializeParams> {
    if (this.#client === null) throw new RpcError(RPC_ERROR.notServing, 'Call initialize first.');
    return this.#client;
  }

  async #open(id: SessionId, client: InitializeParams): Promise<Agent> {
    const opening = this.#sessions.open(id, () =>
      this.#parts.open(id, client, {
        listener: (published) => this.#publish(id, published),
        onChild: (news) => this.#publishChild(news),
      }),
    );
    return (await opening).agent;
  }

  async #known(id: SessionId): Promise<Agent> {
    await this.#initialized();
    const known = this.#sessions.get(id);
    if (known === undefined) throw unknown(id);
    return (await known).agent;
  }

  #publish(sessionId: SessionId, published: Published): void {
    if (published.kind === 'event') {
      this.#parts.send(notificationLine('session.event', { sessionId, event: published.event }));
      return;
    }
    const { live } = published;
    if (live.type === 'agent/status') {
      this.#parts.send(notificationLine('session.status', { sessionId, status: live.status }));
    }
    if (live.type === 'agent/error') this.#parts.report(`session ${sessionId}: ${live.error.message}`);
  }

  #publishChild(news: ChildNews): void {
    const { id: sessionId, parent: parentSessionId, mode, label } = news.child;
    const child = { sessionId, parentSessionId, mode, label };
    switch (news.kind) {
      case 'started':
        return this.#parts.send(notificationLine('subagent.started', { ...child, resumed: news.resumed }));
      case 'published':
        return this.#publish(sessionId, news.published);
      case 'finished':
        return this.#parts.send(
          notificationLine('subagent.finished', { ...child, outcome: news.outcome.kind }),
        );
    }
  }

  #end(): Promise<void> {
    this.#ending ??= this.#dispose();
    return this.#ending;
  }

  async #dispose(): Promise<void> {
    await Promise.allSettled(this.#pending);
    await this.#sessions.dispose();
  }

  #refuse(id: RequestId | null, error: RpcErrorObject): void {
    this.#parts.send(errorLine(id, error));
  }

  #errorObject(error: unknown): RpcErrorObject {
    if (error instanceof RpcError) return { code: error.rpcCode, message: error.message };
    const code = codeOf(error);
    if (code === undefined) {
      this.#parts.report(`internal error: ${messageOf(error)}`);
      return { code: RPC_ERROR.internal, message: `Internal error: ${messageOf(error)}` };
    }
    const rpcCode = code === 'SESSION_ID_UNSAFE' ? RPC_ERROR.invalidParams : RPC_ERROR.sessionUnavailable;
    return { code: rpcCode, message: messageOf(error), data: { code } };
  }
}

async function inDirectory(params: InitializeParams): Promise<InitializeParams> {
  const isDirectory = await fs.promises.stat(params.cwd).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isDirectory) return params;
  throw new RpcError(RPC_ERROR.invalidParams, `Invalid params: "cwd" is no directory: ${params.cwd}`);
}

/** A refusal with its JSON-RPC code. */
class RpcError extends Error {
  readonly code = 'RPC';
  readonly rpcCode: number;
  constructor(rpcCode: number, message: string) {
    super(message);
    this.name = 'RpcError';
    this.rpcCode = rpcCode;
  }
}

function unknown(id: SessionId): RpcError {
  return new RpcError(
    RPC_ERROR.unknownSession,
    `No session ${JSON.stringify(id)} is open here; session/prompt opens one.`,
  );
}

const METHODS: readonly (keyof Methods)[] = [
  'initialize',
  'session/prompt',
  'session/steer',
  'session/inject',
  'session/cancel',
  'session/close',
  'shutdown',
];

function isMethod(method: string): method is keyof Methods {
  return METHODS.some((known) => known === method);
}

function send(
  agent: Agent,
  way: 'followup' | 'steer' | 'inject',
  blocks: readonly TextBlock[],
): Methods['session/prompt']['result'] {
  const message = createUserMessage(blocks);
  agent[way](message);
  return { messageId: message.id };
}
