/**
 * The Agent Client Protocol, version 1, upon the core (core.md, "The ways in"; seed 000). Bytes come in and lines go out;
 * whose streams those are is the caller's affair.
 */
import fs from 'node:fs';
import path from 'node:path';
import { RequestError, agent } from '@agentclientprotocol/sdk';
import type {
  AgentConnection,
  InitializeRequest,
  InitializeResponse,
  ListSessionsRequest,
  ListSessionsResponse,
  PromptRequest,
  PromptResponse,
} from '@agentclientprotocol/sdk';
import type { Listener } from '../agent/contract.ts';
import type { Assembled, SessionChoice } from '../assembly/assemble.ts';
import type { AskPermission } from '../assembly/permission.ts';
import { SessionRegistry } from '../sdk/session-registry.ts';
import type { SessionId } from '../session/events.ts';
import type { ChildNews } from '../subagent/family.ts';
import { AcpSession } from './acp-session.ts';
import { FrameStream } from './frame-stream.ts';
import { initializeResponse } from './initialize.ts';
import { promptContent } from './prompt-content.ts';

/** The flag in the `_meta` of `initialize` that asks for `_turnpin/event` and `_turnpin/status`. */
export const EVENTS_FLAG = 'turnpin/events';

/**
 * JSON-RPC code of a session that is there and cannot be opened: locked by another process, damaged, of another version,
 * not readable. `data` is `{code, sessionId}`, its code the stable name of the reason. The protocol has no code for it and
 * asks that an agent's own ones lie outside its reserved range, -32768 to -32000.
 */
export const SESSION_UNAVAILABLE = -31001;

/** What a session is opened with. */
export interface Opening {
  readonly choice: SessionChoice;
  /** Absolute path of the workspace, which exists. */
  readonly cwd: string;
  /** Sees everything that is recorded from then on. */
  readonly listener: Listener;
  readonly onChild: (news: ChildNews) => void;
  readonly askPermission: AskPermission;
}

/** What a bridge stands on. */
export interface BridgeParts {
  readonly open: (opening: Opening) => Promise<Assembled>;
  /** The page of a list of sessions; null where the cursor is none that an earlier page gave out. */
  readonly list: (cwd: string | null, cursor: string | null) => Promise<ListSessionsResponse | null>;
  /** Sends one line. */
  readonly send: (line: string) => void;
  /** Tells the operator; never the client. */
  readonly report: (message: string) => void;
  readonly version: string;
}

/** What `session/new`, `session/load` and `session/resume` have in common. */
interface Place {
  readonly cwd: string;
  readonly mcpServers?: readonly unknown[];
}

export class AcpBridge {
  readonly #parts: BridgeParts;
  readonly #frames: FrameStream;
  readonly #connection: AgentConnection;
  readonly #sessions: SessionRegistry<AcpSession>;
  #wantsEvents = false;
  #ending: Promise<void> | null = null;
  /** All that was read has been handed over; what is opened from now on would be disposed at once. */
  #closed = false;

  constructor(parts: BridgeParts) {
    this.#parts = parts;
    this.#sessions = new SessionRegistry(parts.report);
    this.#frames = new FrameStream(parts.send);
    this.#connection = agent({ name: 'turnpin-agent' })
      .onRequest('initialize', ({ params }) => this.#initialize(params))
      .onRequest('session/prompt', ({ params, signal }) => this.#prompt(params, signal))
      .onNotification('session/cancel', async ({ params }) => (await this.#find(params.sessionId))?.cancel())
      .onRequest('session/new', async ({ params }) => {
        const id = crypto.randomUUID() as SessionId;
        await this.#open(id, params, { mode: 'new', history: 'keep' });
        return { sessionId: id };
      })
      .onRequest('session/load', async ({ params }) => {
        await this.#open(params.sessionId, params, { mode: 'resume', history: 'show' });
        return {};
      })
      .onRequest('session/resume', async ({ params }) => {
        await this.#open(params.sessionId, params, { mode: 'resume', history: 'keep' });
        return {};
      })
      .onRequest('session/list', ({ params }) => this.#list(params))
      .onRequest('session/close', async ({ params }) => {
        await this.#close(params.sessionId as SessionId);
        return {};
      })
      .connect(this.#frames.stream);
  }

  /** Takes in bytes from the client; resolves once each whole frame has been handed over. */
  receive(bytes: Buffer): Promise<void> {
    return this.#frames.receive(bytes);
  }

  /** The client's input has ended: answers what was read, disposes every session. Idempotent. */
  close(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  /** False when a session's last flush has failed. */
  get saved(): boolean {
    return this.#sessions.saved;
  }

  async #end(): Promise<void> {
    await this.#frames.end();
    this.#closed = true;
    await this.#sessions.dispose();
    await this.#frames.answered();
    this.#connection.close();
  }

  #initialize({ _meta }: InitializeRequest): InitializeResponse {
    this.#wantsEvents = _meta?.[EVENTS_FLAG] === true;
    return initializeResponse(this.#parts.version);
  }

  async #prompt(params: PromptRequest, signal: AbortSignal): Promise<PromptResponse> {
    const session = await this.#find(params.sessionId);
    if (session === null) throw RequestError.sessionNotFound(params.sessionId);
    const content = promptContent(params.prompt);
    if (!content.ok) throw RequestError.invalidParams(undefined, content.message);
    const cancel = (): void => session.cancel();
    const response = session.prompt(content.blocks);
    signal.addEventListener('abort', cancel, { once: true });
    return response.finally(() => signal.removeEventListener('abort', cancel));
  }

  /** Null where none is open. A prompt that was sent right behind `session/load` waits for it. */
  async #find(id: string): Promise<AcpSession | null> {
    return (await this.#sessions.get(id as SessionId)?.catch(() => null)) ?? null;
  }

  async #open(
    sessionId: string,
    place: Place,
    how: { readonly mode: 'new' | 'resume'; readonly history: 'show' | 'keep' },
  ): Promise<void> {
    const id = sessionId as SessionId;
    if (this.#closed) throw RequestError.invalidRequest(undefined, 'the agent is shutting down');
    if ((place.mcpServers ?? []).length > 0)
      this.#parts.report(
        `session ${id}: this agent starts no MCP servers; those of the client are left out.`,
      );
    const open = await this.#find(id);
    if (open !== null) {
      if (how.history === 'show') open.replay();
      return;
    }
    const session = new AcpSession({
      id,
      cwd: place.cwd,
      client: () => this.#connection.client,
      wantsEvents: () => this.#wantsEvents,
      report: this.#parts.report,
    });
    try {
      await this.#sessions.open(id, async () => {
        await requireDirectory(place.cwd);
        const assembled = await this.#parts.open({
          choice: { mode: how.mode, id },
          cwd: place.cwd,
          listener: (published) => session.listen(published),
          onChild: (news) => session.hearOfChild(news),
          askPermission: session.askPermission,
        });
        session.begin(assembled, how.history);
        return session;
      });
    } catch (error) {
      throw refusal(error, id);
    }
  }

  async #close(id: SessionId): Promise<void> {
    const closed = await this.#sessions.close(id).catch((error: unknown) => {
      throw refusal(error, id);
    });
    if (!closed) throw RequestError.sessionNotFound(id);
  }

  async #list({ cwd = null, cursor = null }: ListSessionsRequest): Promise<ListSessionsResponse> {
    const page = await this.#parts.list(cwd, cursor);
    if (page === null) throw RequestError.invalidParams(undefined, 'this cursor was given out by no page');
    return page;
  }
}

async function requireDirectory(cwd: string): Promise<void> {
  const isDirectory =
    path.isAbsolute(cwd) && (await fs.promises.stat(cwd).catch(() => null))?.isDirectory() === true;
  if (!isDirectory)
    throw RequestError.invalidParams(undefined, `"cwd" must be the absolute path of a directory: ${cwd}`);
}

/** What the client reads of a session that could not be opened. */
function refusal(error: unknown, id: SessionId): unknown {
  if (error instanceof RequestError || !(error instanceof Error) || !('code' in error)) return error;
  const { code, message } = error;
  if (code === 'SESSION_NOT_FOUND') return RequestError.sessionNotFound(id);
  if (code === 'SESSION_ID_UNSAFE') return RequestError.invalidParams({ code }, message);
  if (String(code).startsWith('SESSION_'))
    return new RequestError(SESSION_UNAVAILABLE, message, { code, sessionId: id });
  return RequestError.internalError({ code }, message);
}
