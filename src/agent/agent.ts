/** The agent: the driver of one session (core.md, "Public API" and "Loop"). */
import type { Model } from '../model/model.ts';
import type { CancelCause, SessionEvent, SessionId, UserMessage } from '../session/events.ts';
import { EventRefusedError } from '../session/errors.ts';
import type { SessionLog } from '../session/log.ts';
import { isSteering } from '../session/repair.ts';
import type { Session } from '../session/session.ts';
import { asError } from '../session/thrown.ts';
import type { ToolRunner } from '../tools/tool-runner.ts';
import { untilAborted } from '../model/abort.ts';
import { Cancellable } from './cancellation.ts';
import { checkpoint, settleLeftOvers } from './checkpoint.ts';
import type { Agent, AgentPhase, AgentStatus, Listener, MaintenanceJob, Policies } from './contract.ts';
import { AgentError, MaintenanceError } from './errors.ts';
import { HeaderRecord } from './header-record.ts';
import { Inbox } from './inbox.ts';
import type { TurnParts } from './parts.ts';
import { DEFAULT_RETRY, systemClock, type Clock, type RetrySettings } from './retry.ts';
import { runTurn, type OpenedTurn, type TurnOutcome } from './turn.ts';

export interface AgentOptions {
  readonly session: Session;
  readonly model: Model;
  readonly tools: ToolRunner;
  /** Asked before every request; a change is recorded as a new header (REQ-4). */
  readonly systemPrompt: () => string;
  /** Absolute path of the workspace. */
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly policies?: Policies | undefined;
  readonly retry?: Partial<RetrySettings> | undefined;
  readonly maintenance?: readonly MaintenanceJob[] | undefined;
  /** Awaited in disposal, after the last turn and before the log is closed: children end first. */
  readonly drain?: (() => Promise<void>) | undefined;
  readonly clock?: Clock | undefined;
}

/** An agent over an open session. It starts no turn by itself, whatever the session holds (LOG-4). */
export function createAgent(options: AgentOptions): Agent {
  return new SessionAgent(options);
}

/** Work of an interval that begins with maintenance. */
type FirstWork = () => Promise<void>;

class SessionAgent implements Agent {
  readonly sessionId: SessionId;
  readonly #session: Session;
  readonly #log: SessionLog;
  readonly #inbox: Inbox;
  readonly #parts: TurnParts;
  readonly #jobs: readonly MaintenanceJob[];
  readonly #drain: () => Promise<void>;
  #status: AgentStatus = 'idle';
  #activity: 'turn' | 'maintenance' | null = null;
  /** The turn or maintenance that a cancel aborts; null in a checkpoint, which none shortens. */
  #work: Cancellable | null = null;
  /** An interval is about to start, once what was recorded before it is published. */
  #starting = false;
  /** Has anything asked for a turn since the agent was idle? What a resumed session holds has not (LOG-4). */
  #woken = false;
  /** What the last checkpoint has failed with; disposal says it no second time. */
  #unsaved: string | null = null;
  #closing = false;
  #closed = false;
  #disposal: Promise<void> | null = null;
  readonly #waiters: (() => void)[] = [];

  constructor(options: AgentOptions) {
    this.#session = options.session;
    this.sessionId = options.session.id;
    this.#log = options.session.log;
    this.#inbox = new Inbox(this.#log);
    this.#jobs = options.maintenance ?? [];
    this.#drain = options.drain ?? (() => Promise.resolve());
    this.#parts = {
      log: this.#log,
      inbox: this.#inbox,
      model: options.model,
      tools: options.tools,
      systemPrompt: options.systemPrompt,
      headers: new HeaderRecord(this.#log),
      policies: options.policies ?? {},
      retry: { ...DEFAULT_RETRY, ...options.retry },
      clock: options.clock ?? systemClock,
      cwd: options.cwd,
      env: options.env ?? {},
    };
  }

  get status(): AgentStatus {
    return this.#status;
  }

  get phase(): AgentPhase {
    if (this.#closed) return 'closed';
    if (this.#closing) return 'closing';
    return this.#activity ?? 'idle';
  }

  followup(message: UserMessage): void {
    this.#refuseDisposed(this.#closing);
    this.#inbox.enqueue('next-turn', message);
    this.#wake();
  }

  steer(message: UserMessage): void {
    if (this.#status === 'idle') return this.followup(message);
    this.#refuseDisposed(this.#closing);
    this.#inbox.enqueue('next-step', message);
    this.#woken = true;
  }

  inject(message: UserMessage): void {
    this.#refuseDisposed(this.#closed);
    this.#inbox.enqueue('next-step', message, true);
    if (this.#status === 'idle') void checkpoint(this.#log);
  }

  cancel(cause: CancelCause = 'user', options: { readonly keepInbox?: boolean } = {}): void {
    if (!this.#closing) this.#cancel(cause, options.keepInbox === true);
  }

  whenIdle(): Promise<void> {
    if (this.#atRest()) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  dispose(): Promise<void> {
    if (this.#disposal === null) {
      // Set before anything is published: a listener may dispose too.
      let done = (): void => {};
      this.#disposal = new Promise((resolve) => (done = resolve));
      void this.#dispose().finally(done);
    }
    return this.#disposal;
  }

  async runMaintenance<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#refuseDisposed(this.#closing);
    if (!this.#atRest())
      throw new AgentError('NOT_IDLE', 'Maintenance needs an idle agent; wait for whenIdle().');
    const work = new Cancellable();
    this.#work = work;
    this.#activity = 'maintenance';
    return new Promise<T>((resolve, reject) => {
      this.#startInterval(async () => {
        try {
          const result = await this.#maintain(task, work);
          resolve(result);
        } catch (error) {
          reject(asError(error));
        }
      });
    });
  }

  subscribe(listener: Listener): () => void {
    return this.#log.subscribe(listener);
  }

  events(): readonly SessionEvent[] {
    return this.#log.events;
  }

  // --- the interval -----------------------------------------------------------------------------------------------

  #wake(): void {
    this.#woken = true;
    if (this.#starting || this.#status === 'running') return;
    this.#starting = true;
    this.#log.afterPublication(() => {
      this.#starting = false;
      // A listener of `agent/queued` may have cancelled the message (CANCEL-7).
      if (this.#mayTurn()) this.#startInterval(null);
      else this.#announceRest();
    });
  }

  /** Publishes running, then begins, in the same stack where no listener is the caller. */
  #startInterval(first: FirstWork | null): void {
    this.#status = 'running';
    this.#log.notify({ type: 'agent/status', status: 'running' });
    this.#log.afterPublication(() => void this.#runInterval(first));
  }

  async #runInterval(first: FirstWork | null): Promise<void> {
    try {
      if (first !== null) await first();
      const jobs = new Set(this.#jobs);
      for (;;) {
        while (this.#mayTurn()) await this.#runTurn();
        const job = this.#dueJob(jobs);
        if (job === undefined) break;
        jobs.delete(job);
        await this.#runJob(job);
      }
    } catch (error) {
      this.#log.notify({ type: 'agent/error', error: asError(error) });
    }
    this.#goIdle();
  }

  #mayTurn(): boolean {
    return this.#woken && !this.#closing && this.#inbox.wakes;
  }

  #goIdle(): void {
    this.#woken = false;
    this.#activity = null;
    this.#status = 'idle';
    this.#log.notify({ type: 'agent/status', status: 'idle' });
    this.#log.afterPublication(() => this.#announceRest());
  }

  #atRest(): boolean {
    return this.#status === 'idle' && !this.#starting;
  }

  #announceRest(): void {
    if (!this.#atRest()) return;
    for (const resolve of this.#waiters.splice(0)) resolve();
  }

  // --- turns and maintenance --------------------------------------------------------------------------------------

  async #runTurn(): Promise<void> {
    const opened = this.#openTurn();
    if (opened === null) return;
    const outcome = await runTurn(this.#parts, opened);
    this.#work = null;
    this.#unsaved = await checkpoint(this.#log);
    settleLeftOvers(this.#log, this.#inbox, outcome.discardSteering);
    if (this.#gotNowhere(opened, outcome)) this.#woken = false;
    this.#activity = null;
  }

  /** `turn/start` and the claim are recorded as one, before any listener hears of either (CANCEL-6). */
  #openTurn(): OpenedTurn | null {
    const work = new Cancellable();
    const turn = this.#log.state.turns + 1;
    return this.#log.together(() => {
      try {
        this.#log.append('turn/start', { turn });
      } catch (error) {
        if (!(error instanceof EventRefusedError)) throw error;
        this.#skipRefusedTurn(error);
        return null;
      }
      this.#work = work;
      this.#activity = 'turn';
      return { turn, work, ...this.#inbox.claimForTurn() };
    });
  }

  #skipRefusedTurn(error: EventRefusedError): void {
    if (this.#log.state.list('next-turn').length === 0) this.#woken = false;
    this.#inbox.dropHead();
    this.#log.notify({ type: 'agent/error', error });
  }

  /**
   * A turn that reports opened and that failed before its first step has given them back. Trying again without new
   * input would only fail again, for ever.
   */
  #gotNowhere(opened: OpenedTurn, outcome: TurnOutcome): boolean {
    if (opened.prompt !== null || outcome.reason.kind !== 'error') return false;
    const tried = new Set(opened.context.map((item) => item.message.id));
    const waiting = this.#log.state.list('next-step').filter(isSteering);
    return (
      this.#log.state.list('next-turn').length === 0 && waiting.every((item) => tried.has(item.message.id))
    );
  }

  #dueJob(left: ReadonlySet<MaintenanceJob>): MaintenanceJob | undefined {
    return this.#closing ? undefined : [...left].find((job) => job.due());
  }

  async #runJob(job: MaintenanceJob): Promise<void> {
    const work = new Cancellable();
    this.#work = work;
    this.#activity = 'maintenance';
    try {
      await this.#maintain((signal) => job.run(signal), work);
    } catch (error) {
      if (work.cause === null)
        this.#log.notify({ type: 'agent/error', error: new MaintenanceError(job.name, error) });
    }
  }

  /** Runs the task, then the checkpoint, then the left-over rule; only then does it settle. */
  async #maintain<T>(task: (signal: AbortSignal) => Promise<T>, work: Cancellable): Promise<T> {
    try {
      work.signal.throwIfAborted();
      return await untilAborted(task(work.signal), work.signal);
    } finally {
      this.#work = null;
      this.#unsaved = await checkpoint(this.#log);
      settleLeftOvers(this.#log, this.#inbox, false);
      this.#activity = null;
    }
  }

  // --- cancel and disposal ----------------------------------------------------------------------------------------

  #cancel(cause: CancelCause, keepInbox: boolean): void {
    const before = this.#log.events.length;
    this.#log.together(() => {
      if (!keepInbox) this.#inbox.cancelAll(cause);
      this.#work?.cancel(cause);
    });
    if (this.#status === 'idle' && this.#log.events.length > before) void checkpoint(this.#log);
  }

  async #dispose(): Promise<void> {
    this.#closing = true;
    this.#cancel('disposed', false);
    await this.whenIdle();
    try {
      await this.#drain();
    } catch (error) {
      this.#log.notify({ type: 'agent/error', error: asError(error) });
    }
    await checkpoint(this.#log, this.#unsaved);
    this.#closed = true;
    this.#session.close();
  }

  #refuseDisposed(disposed: boolean): void {
    if (disposed) throw new AgentError('DISPOSED', 'The agent is disposed and takes no more input.');
  }
}
