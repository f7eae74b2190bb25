/** The core in this process, assembled as a program would do it. */
import type { Published } from '../../src/agent/contract.ts';
import type { createUserMessage } from '../../src/agent/message.ts';
import type { SessionEvent } from '../../src/session/events.ts';
import type { ChildNews } from '../../src/subagent/family.ts';
import type { Assembled, assemble } from '../../src/assembly/assemble.ts';
import type { Step } from '../scenario/scenario.ts';
import { CheckpointControl } from './checkpoint-control.ts';
import { CORE_CAPABILITIES, coreConfig, coreVersion, plantSession } from './core.ts';
import { subjectEnvironment } from './environment.ts';
import { ShownRecord } from './shown-record.ts';
import {
  SubjectError,
  type Launch,
  type RecordedEvent,
  type RecordedSession,
  type Shown,
  type Subject,
  type SubjectKind,
} from './subject.ts';

/** The core through the driver `inproc`. */
export function inprocSubject(): SubjectKind {
  return {
    name: 'core',
    driver: 'inproc',
    carrier: 'in-process',
    capabilities: CORE_CAPABILITIES,
    version: coreVersion(),
    start: async (launch) => {
      const subject = new InProcessSubject(launch, await loadCore());
      await subject.begin(await plantSession(launch));
      return subject;
    },
  };
}

interface Core {
  readonly assemble: typeof assemble;
  readonly createUserMessage: typeof createUserMessage;
}

/** Loaded on first use: a command that runs nothing in process does not pay for it. */
async function loadCore(): Promise<Core> {
  const [assembly, message] = await Promise.all([
    import('../../src/assembly/assemble.ts'),
    import('../../src/agent/message.ts'),
  ]);
  return { assemble: assembly.assemble, createUserMessage: message.createUserMessage };
}

/** One session of the scenario. */
interface Opened {
  assembled: Assembled;
  readonly checkpoints: CheckpointControl;
  endMaintenance: (() => void) | null;
  /** Set once the session is being disposed of. */
  disposal: Promise<void> | null;
}

class InProcessSubject implements Subject {
  readonly #launch: Launch;
  readonly #core: Core;
  readonly #record = new ShownRecord(true);
  /** By label; the main session has none. */
  readonly #sessions = new Map<string | null, Opened>();

  constructor(launch: Launch, core: Core) {
    this.#launch = launch;
    this.#core = core;
  }

  /** Opens the main session: a new one, or that which the scenario gives. */
  async begin(planted: RecordedSession | null): Promise<void> {
    if (planted !== null) this.#record.files([planted]);
    await this.open(null, planted?.id ?? null);
  }

  async open(label: string | null, resume: string | null = null): Promise<Opened> {
    const checkpoints = new CheckpointControl();
    const assembled = await this.#assemble(label, checkpoints, resume);
    const opened: Opened = { assembled, checkpoints, endMaintenance: null, disposal: null };
    this.#sessions.set(label, opened);
    return opened;
  }

  async perform(step: Step): Promise<void> {
    const session = this.#sessions.get(step.in) ?? (await this.open(step.in));
    switch (step.do) {
      case 'followup':
      case 'steer':
      case 'inject':
        return this.#accepted(step.do, () =>
          session.assembled.agent[step.do](this.#core.createUserMessage(step.text)),
        );
      case 'cancel':
        return this.#accepted(step.do, () => session.assembled.agent.cancel('user'));
      case 'dispose':
        void this.#dispose(session);
        return;
      case 'restart':
        return this.#restart(step.in, session);
      case 'checkpoint':
        return session.checkpoints[step.action]();
      case 'maintenance':
        return step.action === 'begin' ? this.#beginMaintenance(session) : session.endMaintenance?.();
      case 'kill':
      case 'frame':
      case 'idle':
      case 'wait':
      case 'release':
      case 'write':
        throw unable(step.do);
    }
  }

  async idle(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    await Promise.all(sessions.map(({ assembled, disposal }) => disposal ?? assembled.agent.whenIdle()));
    // While one was waited for, another may have been woken.
    const isBusy = sessions.some(
      ({ assembled, disposal }) => disposal === null && assembled.agent.status === 'running',
    );
    if (isBusy) await this.idle();
  }

  shown(): Shown {
    return this.#record.view();
  }

  onShown(listener: () => void): () => void {
    return this.#record.onChange(listener);
  }

  async close(): Promise<void> {
    await Promise.all(
      [...this.#sessions.values()].map((session) => {
        session.checkpoints.release();
        session.endMaintenance?.();
        return this.#dispose(session);
      }),
    );
  }

  async #assemble(
    label: string | null,
    checkpoints: CheckpointControl,
    resume: string | null,
  ): Promise<Assembled> {
    const { cwd, fetch } = this.#launch;
    const known = { id: resume };
    const early: Published[] = [];
    const take = (published: Published): void => {
      if (known.id === null) early.push(published);
      else this.#publish(known.id, label, published);
    };
    try {
      const assembled = await this.#core.assemble(coreConfig(this.#launch), {
        cwd,
        env: subjectEnvironment(this.#launch),
        session: resume === null ? { mode: 'new' } : { mode: 'resume', id: resume },
        wrapStore: (store) => ({
          append: (line) => store.append(line),
          flush: () => checkpoints.flush(store),
          close: () => store.close(),
        }),
        listener: take,
        onChild: (news) => this.#child(news),
        ...(fetch === null ? {} : { fetch }),
      });
      known.id = assembled.sessionId;
      this.#record.session(assembled.sessionId, { label, parent: null });
      for (const published of early) this.#publish(assembled.sessionId, label, published);
      return assembled;
    } catch (error) {
      throw new SubjectError('SETUP_FAILED', error instanceof Error ? error.message : String(error));
    }
  }

  #publish(session: string, label: string | null, published: Published): void {
    if (published.kind === 'event') return this.#event(session, published.event);
    const { live } = published;
    if (live.type === 'agent/status' && label === null) this.#record.status(live.status);
    if (live.type === 'agent/error') this.#record.stderr(`${live.error.message}\n`);
  }

  /** A child is a session of its own; its status is not that of the whole agent. */
  #child(news: ChildNews): void {
    const { id, parent, label } = news.child;
    if (news.kind === 'started') this.#record.session(id, { label: null, parent });
    if (news.kind !== 'published') return;
    const { published } = news;
    if (published.kind === 'event') return this.#event(id, published.event);
    if (published.live.type === 'agent/error')
      this.#record.stderr(`agent ${label}: ${published.live.error.message}\n`);
  }

  #event(session: string, { type, seq, time, data }: SessionEvent): void {
    // Events are JSON by the session's own promise; their types say it field by field, not with an index.
    this.#record.event(session, { type, seq, time, data: data as unknown as RecordedEvent['data'] });
  }

  #dispose(session: Opened): Promise<void> {
    // A last flush that failed is told on standard error, as the command does it.
    session.disposal ??= session.assembled.dispose().catch((error: unknown) => {
      this.#record.stderr(`${error instanceof Error ? error.message : String(error)}\n`);
    });
    return session.disposal;
  }

  async #restart(label: string | null, session: Opened): Promise<void> {
    await this.#dispose(session);
    session.assembled = await this.#assemble(label, session.checkpoints, session.assembled.sessionId);
    session.disposal = null;
  }

  /** Begun once the task runs; what a cancel makes of it later is for the scenario to judge. */
  async #beginMaintenance(session: Opened): Promise<void> {
    const { agent } = session.assembled;
    try {
      await new Promise<void>((begun, refused) => {
        const task = (signal: AbortSignal): Promise<void> =>
          held(signal, (end) => {
            session.endMaintenance = end;
            begun();
          });
        agent.runMaintenance(task).catch(refused);
      });
    } catch (error) {
      throw refusal('maintenance', error);
    }
  }

  /** Makes a call that the agent may refuse. */
  #accepted(step: Step['do'], call: () => void): void {
    try {
      call();
    } catch (error) {
      throw refusal(step, error);
    }
  }
}

function refusal(step: Step['do'], error: unknown): SubjectError {
  const reason = error instanceof Error ? error.message : String(error);
  return new SubjectError('CAPABILITY_REFUSED', `the agent refused ${step}: ${reason}`);
}

/** A task that lasts until it is ended from outside, or aborted. */
function held(signal: AbortSignal, ready: (end: () => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    ready(resolve);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function unable(step: Step['do']): SubjectError {
  return new SubjectError('CAPABILITY_REFUSED', `the driver inproc has no step "${step}"`);
}
