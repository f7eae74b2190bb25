/** One ACP session upon one session of the core: its prompts, what it shows, and what it asks. */
import type { AgentContext, PromptResponse } from '@agentclientprotocol/sdk';
import { RequestError } from '@agentclientprotocol/sdk';
import type { Published } from '../agent/contract.ts';
import { createUserMessage } from '../agent/message.ts';
import type { Assembled } from '../assembly/assemble.ts';
import type { AskPermission } from '../assembly/permission.ts';
import type { SessionEvent, SessionId, TextBlock } from '../session/events.ts';
import type { ChildNews } from '../subagent/family.ts';
import { askClient } from './client-permission.ts';
import { PromptLane } from './prompt-lane.ts';
import type { PromptFailure } from './prompt-lane.ts';
import { UpdateWriter } from './updates.ts';

export interface AcpSessionParts {
  readonly id: SessionId;
  /** Absolute path of the workspace. */
  readonly cwd: string;
  /** The other side. Null while there is no connection. */
  readonly client: () => AgentContext | null;
  /** Does the client want `_turnpin/event`, `_turnpin/status` and news of children? */
  readonly wantsEvents: () => boolean;
  /** Tells the operator; never the client. */
  readonly report: (message: string) => void;
}

export class AcpSession {
  readonly #parts: AcpSessionParts;
  readonly #lane = new PromptLane();
  readonly #updates: UpdateWriter;
  #assembled: Assembled | null = null;
  #abandoned = false;

  constructor(parts: AcpSessionParts) {
    this.#parts = parts;
    this.#updates = new UpdateWriter(parts.cwd);
  }

  /** Answers `permissions: ask` by asking the client. */
  get askPermission(): AskPermission {
    return askClient({
      sessionId: this.#parts.id,
      cwd: this.#parts.cwd,
      toolCallId: (callId) => this.#updates.toolCallId(callId),
      request: async (params, cancellationSignal) => {
        const client = this.#parts.client();
        return client?.request('session/request_permission', params, {
          cancellationSignal,
          stopWaitingOnCancel: true,
        });
      },
    });
  }

  /** Hears everything that is published, from the opening on. */
  listen(published: Published): void {
    // What recovery recorded is part of the history; it comes when that is taken over. Who sees an event has its updates.
    if (published.kind === 'event' && this.#assembled !== null) this.#take(published.event);
    this.#tell(this.#parts.id, published);
  }

  /** A child is a session of its own, of which the protocol has no words: only who asks for events is told of it. */
  hearOfChild(news: ChildNews): void {
    const { id: sessionId, parent: parentSessionId, mode, label } = news.child;
    const child = { sessionId, parentSessionId, mode, label };
    switch (news.kind) {
      case 'started':
        return this.#tellMore('_turnpin/subagent-started', { ...child, resumed: news.resumed });
      case 'published':
        return this.#tell(sessionId, news.published);
      case 'finished':
        return this.#tellMore('_turnpin/subagent-finished', { ...child, outcome: news.outcome.kind });
    }
  }

  /** Takes over the assembled agent with its history, which a client that loads the session is shown. */
  begin(assembled: Assembled, history: 'show' | 'keep'): void {
    for (const event of assembled.agent.events()) {
      this.#lane.observe(event);
      const updates = this.#updates.replayed(event);
      if (history === 'show') this.#show(updates);
    }
    this.#assembled = assembled;
  }

  /** Shows the history once more, to a client that loads what is open. */
  replay(): void {
    const writer = new UpdateWriter(this.#parts.cwd);
    for (const event of this.#assembled?.agent.events() ?? []) this.#show(writer.replayed(event));
  }

  /**
   * One prompt (ACP-1..7): rejects at once where another is in flight, or where it is not accepted; when its own turn
   * records an error; otherwise waits for whole-agent idle, after every update of the interval.
   */
  async prompt(blocks: readonly TextBlock[]): Promise<PromptResponse> {
    const agent = this.#assembled?.agent;
    if (agent === undefined) throw RequestError.sessionNotFound(this.#parts.id);
    if (this.#lane.busy)
      throw RequestError.invalidParams(undefined, 'a prompt of this session is in flight; wait for its end');
    if (this.#abandoned) return { stopReason: 'cancelled' };
    const message = createUserMessage(blocks);
    const failed = this.#lane.begin(message.id);
    try {
      agent.followup(message);
    } catch (error) {
      this.#lane.settle();
      throw error;
    }
    const failure = await Promise.race([failed, agent.whenIdle()]);
    if (failure !== undefined) throw modelError(failure);
    return { stopReason: this.#lane.settle() };
  }

  /** The client's cancel: whole-agent (CANCEL-1). */
  cancel(): void {
    this.#lane.cancel();
    this.#assembled?.agent.cancel('user');
  }

  /** A prompt in flight, or one that still comes, ends as cancelled (ACP-5). Rejects when the last flush has failed. */
  async dispose(): Promise<void> {
    this.#abandoned = true;
    this.#lane.cancel();
    await this.#assembled?.dispose();
  }

  #take(event: SessionEvent): void {
    this.#show(this.#updates.live(event));
    this.#lane.observe(event);
  }

  #show(updates: ReturnType<UpdateWriter['live']>): void {
    for (const update of updates) this.#notify('session/update', { sessionId: this.#parts.id, update });
  }

  #tell(sessionId: SessionId, published: Published): void {
    if (published.kind === 'event') {
      this.#tellMore('_turnpin/event', { sessionId, event: published.event });
      return;
    }
    const { live } = published;
    if (live.type === 'agent/status') this.#tellMore('_turnpin/status', { sessionId, status: live.status });
    if (live.type === 'agent/error') this.#parts.report(`session ${sessionId}: ${live.error.message}`);
  }

  /** To a client that has asked for what the protocol has no words for. */
  #tellMore(method: string, params: object): void {
    if (this.#parts.wantsEvents()) this.#notify(method, params);
  }

  /** A client that is gone wants no more. */
  #notify(method: string, params: object): void {
    this.#parts
      .client()
      ?.notify(method, params)
      .catch(() => {});
  }
}

function modelError({ message, code, status }: PromptFailure): RequestError {
  return RequestError.internalError({ code, ...(status === undefined ? {} : { status }) }, message);
}
