/**
 * The TypeScript SDK: a client of `turnpin-agent serve`. Low-level calls answer receipts, never results; `run()` alone
 * owns an interval and has one (seed 000).
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentStatus } from '../agent/contract.ts';
import type { SessionEvent, SessionId, TextBlock } from '../session/events.ts';
import type {
  InitializeParams,
  Method,
  Methods,
  Notifications,
  Receipt,
  RequestId,
  RpcErrorObject,
} from './protocol.ts';
import { parseMessage, requestLine } from './rpc.ts';
import { RunCollector } from './run.ts';
import type { Observed, RunResult } from './run.ts';
import { ServerProcess, StartTimeoutError, settlesWithin } from './server-process.ts';
import type { ServerExitError } from './server-process.ts';
import { Stream } from './stream.ts';
import { SubagentWatch } from './subagents.ts';
import type { Heard, SubagentNews } from './subagents.ts';

export { ServerExitError, StartTimeoutError } from './server-process.ts';
export type { Observed, RunResult } from './run.ts';
export type { Subagent, SubagentNews } from './subagents.ts';
export type { InitializeParams, InitializeResult, Receipt } from './protocol.ts';
export type { AgentStatus } from '../agent/contract.ts';
export type { MessageId, SessionEvent, SessionId, TextBlock } from '../session/events.ts';

/** The server answered a call with an error. */
export class ServerError extends Error {
  readonly code = 'SERVER_ERROR';
  /** The JSON-RPC code. */
  readonly rpcCode: number;
  /** The stable name of the core's own error, where it has one. */
  readonly reason: string | null;
  constructor(method: string, error: RpcErrorObject) {
    super(`${method}: ${error.message}`);
    this.name = 'ServerError';
    this.rpcCode = error.code;
    this.reason = error.data?.code ?? null;
  }
}

export interface ClientOptions extends Partial<InitializeParams> {
  /** The workspace, also as a path from the current directory, which it is by default. */
  readonly cwd?: string;
  /** Starts the server; by default this package's own `turnpin-agent serve` under the running Node. */
  readonly command?: readonly [string, ...string[]];
  /** An `agent.yaml` for the default command. */
  readonly config?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * How long the server may take to answer `initialize`: 60,000 ms by default, as long as SDKs of this kind wait.
   * `Infinity` sets no bound.
   */
  readonly startTimeoutMs?: number;
  /** How long `close()` waits before TERM, and again before KILL; 5000 ms by default. */
  readonly graceMs?: number;
}

/** Text, or blocks of it. */
export type Content = string | readonly TextBlock[];

interface Pending {
  readonly method: string;
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/** Who hears what the server says of sessions. */
interface Subscriber {
  readonly hear: (heard: Heard) => void;
  readonly end: (error: Error | null) => void;
}

export class Client {
  readonly #server: ServerProcess;
  readonly #pending = new Map<RequestId, Pending>();
  readonly #subscribers = new Set<Subscriber>();
  readonly #graceMs: number;
  #nextId = 1;
  #gone: ServerExitError | null = null;
  #closing: Promise<void> | null = null;

  /**
   * Starts a server and initializes it. Rejects with `ServerExitError`, `ServerError` or `StartTimeoutError`; no process
   * is left then.
   */
  static async start(options: ClientOptions = {}): Promise<Client> {
    const client = new Client(options);
    const { provider, model, maxTokens, startTimeoutMs = 60_000 } = options;
    const initialized = client.call('initialize', {
      cwd: workspaceOf(options),
      ...(provider === undefined ? {} : { provider }),
      ...(model === undefined ? {} : { model }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
    });
    const inTime = await settlesWithin(initialized, startTimeoutMs);
    try {
      if (inTime) await initialized;
    } catch (error) {
      await client.close();
      throw error;
    }
    if (inTime) return client;
    await client.close();
    const command = commandOf(options);
    throw new StartTimeoutError({ command, timeoutMs: startTimeoutMs, stderr: client.#server.stderr });
  }

  private constructor(options: ClientOptions) {
    this.#graceMs = options.graceMs ?? 5000;
    this.#server = new ServerProcess({
      command: commandOf(options),
      cwd: workspaceOf(options),
      env: options.env ?? process.env,
      onLine: (bytes) => this.#take(bytes),
      onExit: (error) => this.#end(error),
    });
  }

  /** Process id of the server. */
  get pid(): number | undefined {
    return this.#server.pid;
  }

  /** Enqueues an ordinary message; creates the session, or resumes it where its log exists. Resolves once it is enqueued. */
  prompt(sessionId: string, content: Content): Promise<Receipt> {
    return this.call('session/prompt', contentParams(sessionId, content));
  }

  /** Steers an open session. */
  steer(sessionId: string, content: Content): Promise<Receipt> {
    return this.call('session/steer', contentParams(sessionId, content));
  }

  /** Adds context to an open session; wakes nothing. */
  inject(sessionId: string, content: Content): Promise<Receipt> {
    return this.call('session/inject', contentParams(sessionId, content));
  }

  /** Cancels all of an open session's work. */
  async cancel(sessionId: string): Promise<void> {
    await this.call('session/cancel', { sessionId: sessionId as SessionId });
  }

  /**
   * Ends one session: its work is aborted, its log flushed, its lock released. A later prompt resumes it. Rejects where it
   * is not open, or where its last events could not be saved.
   */
  async closeSession(sessionId: string): Promise<void> {
    await this.call('session/close', { sessionId: sessionId as SessionId });
  }

  /** Durable events of a session from now on, in order of recording. Ends with the server. */
  events(sessionId: string): AsyncIterableIterator<SessionEvent> {
    return this.#facts(sessionId, (fact) => (fact.kind === 'event' ? fact.event : undefined));
  }

  /** Whole-agent transitions of a session from now on. */
  statuses(sessionId: string): AsyncIterableIterator<AgentStatus> {
    return this.#facts(sessionId, (fact) => (fact.kind === 'status' ? fact.status : undefined));
  }

  /** Events and transitions of a session from now on, in one order. */
  observe(sessionId: string): AsyncIterableIterator<Observed> {
    return this.#facts(sessionId, (fact) => fact);
  }

  /**
   * What becomes of every child below a session from now on, in one order: that an epoch of it starts, what it records,
   * and that the epoch has finished. Ends with the server.
   */
  subagents(sessionId: string): AsyncIterableIterator<SubagentNews> {
    const watch = new SubagentWatch(sessionId as SessionId);
    return this.#stream((heard) => watch.pick(heard));
  }

  /**
   * Sends an ordinary message and owns the interval from its receipt through the next whole-agent idle. Runs that
   * overlap on one session are allowed: each sees the interval from its own receipt on, so one event may be in several
   * results. Serialise them where that matters.
   */
  async run(sessionId: string, content: Content): Promise<RunResult> {
    const id = sessionId as SessionId;
    let subscriber: Subscriber | null = null;
    try {
      return await new Promise<RunResult>((resolve, reject) => {
        const collector = new RunCollector(id, resolve);
        subscriber = {
          hear: (heard) => {
            if (heard.sessionId === id && 'fact' in heard) collector.observe(heard.fact);
          },
          end: (error) => reject(error ?? new Error('The client was closed before the run had ended.')),
        };
        this.#subscribers.add(subscriber);
        this.prompt(sessionId, content).then(({ messageId }) => collector.began(messageId), reject);
      });
    } finally {
      if (subscriber !== null) this.#subscribers.delete(subscriber);
    }
  }

  /** One call of the protocol. Rejects with `ServerError`, or with `ServerExitError` when the server is gone. */
  call<M extends Method>(method: M, params: Methods[M]['params']): Promise<Methods[M]['result']> {
    if (this.#gone !== null) return Promise.reject(this.#gone);
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { method, resolve, reject });
      this.#server.send(requestLine(id, method, params));
    });
  }

  /** Shuts the server down and ends its process in every case. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    // Its answer is the process's end; a server that cannot answer is ended all the same.
    void this.call('shutdown', {}).catch(() => {});
    await this.#server.end(this.#graceMs);
  }

  #facts<T>(sessionId: string, pick: (fact: Observed) => T | undefined): Stream<T> {
    return this.#stream((heard) =>
      heard.sessionId === sessionId && 'fact' in heard ? pick(heard.fact) : undefined,
    );
  }

  #stream<T>(pick: (heard: Heard) => T | undefined): Stream<T> {
    const stream = new Stream<T>(() => this.#subscribers.delete(subscriber));
    const subscriber: Subscriber = {
      hear: (heard) => {
        const value = pick(heard);
        if (value !== undefined) stream.push(value);
      },
      end: (error) => stream.close(error),
    };
    if (this.#gone === null) this.#subscribers.add(subscriber);
    else stream.close(this.#closing === null ? this.#gone : null);
    return stream;
  }

  #take(bytes: Buffer): void {
    const message = parseMessage(bytes);
    if (message.kind === 'response') this.#settle(message);
    if (message.kind === 'notification') this.#notify(message.method, message.params);
  }

  #settle(response: { readonly id: unknown; readonly result: unknown; readonly error: unknown }): void {
    if (typeof response.id !== 'number') return;
    const pending = this.#pending.get(response.id);
    if (pending === undefined) return;
    this.#pending.delete(response.id);
    if (response.error === undefined) pending.resolve(response.result as never);
    else pending.reject(new ServerError(pending.method, response.error as RpcErrorObject));
  }

  #notify(method: string, params: unknown): void {
    const heard = heardOf(method, params);
    if (heard === null) return;
    for (const subscriber of [...this.#subscribers]) subscriber.hear(heard);
  }

  #end(error: ServerExitError): void {
    this.#gone = error;
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
    const orderly = this.#closing !== null && error.exitCode === 0;
    for (const subscriber of [...this.#subscribers]) subscriber.end(orderly ? null : error);
    this.#subscribers.clear();
  }
}

/** The protocol's own server is trusted for the shape of what it says about sessions. */
function heardOf(method: string, params: unknown): Heard | null {
  if (typeof params !== 'object' || params === null) return null;
  switch (method) {
    case 'session.event': {
      const { sessionId, event } = params as Notifications['session.event'];
      return { sessionId, fact: { kind: 'event', event } };
    }
    case 'session.status': {
      const { sessionId, status } = params as Notifications['session.status'];
      return { sessionId, fact: { kind: 'status', status } };
    }
    case 'subagent.started': {
      const { resumed, ...child } = params as Notifications['subagent.started'];
      return { sessionId: child.sessionId, kind: 'started', child, resumed };
    }
    case 'subagent.finished': {
      const { outcome, ...child } = params as Notifications['subagent.finished'];
      return { sessionId: child.sessionId, kind: 'finished', child, outcome };
    }
    default:
      return null;
  }
}

function workspaceOf({ cwd = '.' }: ClientOptions): string {
  return path.resolve(cwd);
}

function contentParams(sessionId: string, content: Content): Methods['session/prompt']['params'] {
  return {
    sessionId: sessionId as SessionId,
    contentBlocks: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  };
}

function commandOf({ command: given, config }: ClientOptions): readonly [string, ...string[]] {
  if (given !== undefined) return given;
  const here = import.meta.url;
  const command = new URL(
    here.endsWith('.ts') ? '../cli/turnpin-agent.ts' : '../../bin/turnpin-agent.js',
    here,
  );
  return [
    process.execPath,
    fileURLToPath(command),
    'serve',
    ...(config === undefined ? [] : ['--config', config]),
  ];
}
