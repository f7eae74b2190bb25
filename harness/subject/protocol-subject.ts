/** The core behind a protocol on standard input and output: what the drivers `sdk` and `acp` have in common. */
import type { JsonValue, Step } from '../scenario/scenario.ts';
import type { Dialect, Heard, ProtocolLine } from './dialect.ts';
import { agentProgram, plantSession, sessionsDirectory, writeCoreConfig } from './core.ts';
import { subjectEnvironment } from './environment.ts';
import { frameText } from './frame-text.ts';
import { numberField } from './event-view.ts';
import { GroupProcess } from './group-process.ts';
import { LineProgress } from './line-progress.ts';
import { died, endProcess, sweep, untilShown } from './process-end.ts';
import { RpcWire, errorOf, type Answer } from './rpc-wire.ts';
import { readSessions, recordedEvent } from './session-files.ts';
import { ShownRecord } from './shown-record.ts';
import { SubjectError, type Launch, type RecordedSession, type Shown, type Subject } from './subject.ts';

/** Starts the built agent with a dialect. Rejects with `SubjectError`. */
export async function startProtocol(launch: Launch, dialect: Dialect): Promise<Subject> {
  const program = agentProgram();
  const args = [program, dialect.command, '--config', await writeCoreConfig(launch)];
  const subject = new ProtocolSubject({ launch, dialect, args });
  subject.know(await plantSession(launch));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SubjectError('SETUP_FAILED', unanswered)), GREETING_PATIENCE_MS);
  });
  try {
    await Promise.race([subject.begin(), late]);
    return subject;
  } catch (error) {
    await subject.close('force').catch(() => {});
    throw explained(error, subject.shown().stderr);
  } finally {
    clearTimeout(timer);
  }
}

/** How long a new process may take to answer its first words; it is ended then, so that nothing is left of it. */
const GREETING_PATIENCE_MS = 15_000;
const unanswered = `the command did not answer its first frames within ${GREETING_PATIENCE_MS} ms`;

/** Of a subject that did not come up nobody else can tell what it said. */
function explained(error: unknown, stderr: string): unknown {
  if (!(error instanceof SubjectError) || stderr.trim() === '') return error;
  return new SubjectError(error.code, `${error.message}; it said: ${stderr.trim().slice(-400)}`);
}

interface ProtocolFacts {
  readonly launch: Launch;
  readonly dialect: Dialect;
  readonly args: readonly string[];
}

class ProtocolSubject implements Subject, ProtocolLine {
  readonly #facts: ProtocolFacts;
  readonly #record = new ShownRecord(true);
  readonly wire: RpcWire;
  readonly sessions = new Map<string | null, string>();
  readonly #taken = new Map<string, number>();
  /** By session; a child has none, for its status is not that of the whole agent. */
  readonly #progress = new Map<string, LineProgress>();
  readonly #children = new Set<string>();
  #process: GroupProcess | null = null;
  #endIsExpected = false;
  #closing: Promise<void> | null = null;

  constructor(facts: ProtocolFacts) {
    this.#facts = facts;
    this.wire = new RpcWire(this.#record, {
      notified: (method, params) => this.#hear(facts.dialect.heard(method, params)),
      asked: (method, params) => facts.dialect.answer(method, params),
    });
  }

  get launch(): Launch {
    return this.#facts.launch;
  }

  /** Takes in the session that the scenario gives: it is the main one. */
  know(planted: RecordedSession | null): void {
    if (planted === null) return;
    this.name(null, planted.id);
    this.#record.files([planted]);
  }

  /** Starts a process and greets it. */
  async begin(): Promise<void> {
    const { launch, args, dialect } = this.#facts;
    this.#endIsExpected = false;
    this.#progress.clear();
    for (const { id, events } of this.#record.view().sessions)
      if (!this.#children.has(id)) this.#progress.set(id, new LineProgress(events));
    this.#record.exit({ code: null, signal: null });
    const started = new GroupProcess(
      { program: process.execPath, args, cwd: launch.cwd, env: subjectEnvironment(launch) },
      {
        stdout: (text) => this.wire.take(text),
        stderr: (text) => this.#record.stderr(text),
      },
    );
    this.#process = started;
    this.wire.attach((text) => started.write(text));
    started.exited.then(
      (exit) => {
        if (this.#process !== started) return;
        this.wire.ended();
        this.#record.exit(exit);
      },
      (error: unknown) => this.#record.violation({ kind: 'SUBJECT_PROTOCOL', message: String(error) }),
    );
    await dialect.greet(this);
  }

  async perform(step: Step): Promise<void> {
    switch (step.do) {
      case 'followup':
      case 'steer':
      case 'inject':
        return this.#facts.dialect.say(step, this);
      case 'cancel':
      case 'dispose':
        return this.#facts.dialect.say({ do: step.do, in: step.in, as: step.as }, this);
      case 'frame':
        return this.wire.raw(
          frameText(step.frame, (name) => this.#valueOf(name)),
          step.as,
        );
      case 'restart':
        return this.#restart(step.do);
      case 'kill':
        return this.#restart(step.do);
      default:
        throw new SubjectError('CAPABILITY_REFUSED', `a protocol has no step "${step.do}"`);
    }
  }

  async idle(): Promise<void> {
    const running = this.#alive();
    await this.until(() => this.#isQuiet() || running.exit !== null);
    if (running.exit === null || this.#endIsExpected) return;
    throw died(running, running.crashed ? 'by a signal that nobody sent' : 'before it was told to');
  }

  shown(): Shown {
    return this.#record.view();
  }

  onShown(listener: () => void): () => void {
    return this.#record.onChange(listener);
  }

  close(how: 'orderly' | 'force'): Promise<void> {
    this.#endIsExpected = true;
    this.#closing ??= endProcess(this.#alive(), { how, home: this.launch.home });
    return this.#closing;
  }

  // --- the line ---------------------------------------------------------------------------------------------------

  name(label: string | null, sessionId: string): void {
    this.sessions.set(label, sessionId);
    this.#record.session(sessionId, { label, parent: null });
  }

  taken(sessionId: string): number {
    return this.#taken.get(sessionId) ?? 0;
  }

  until(condition: () => boolean): Promise<void> {
    return untilShown(this.#record, condition);
  }

  expectEnd(): void {
    this.#endIsExpected = true;
  }

  refused(what: string, reason: string): void {
    this.#record.violation({
      kind: 'CAPABILITY_REFUSED',
      message: `the agent refused ${what}: ${reason}`,
    });
  }

  accepted(what: string, answer: Answer): JsonValue {
    if (answer === null) throw died(this.#alive(), `without an answer to ${what}`);
    const error = errorOf(answer);
    if (error !== null)
      throw new SubjectError('CAPABILITY_REFUSED', `the agent refused ${what}: ${error.message}`);
    return answer;
  }

  // ----------------------------------------------------------------------------------------------------------------

  #hear(heard: Heard | null): void {
    if (heard === null) return;
    const { sessionId } = heard;
    switch (heard.kind) {
      case 'child':
        this.#children.add(sessionId);
        return this.#record.session(sessionId, { label: null, parent: heard.parent });
      case 'status':
        return this.#status(sessionId, heard.status);
      case 'event':
        return this.#event(sessionId, heard.event);
    }
  }

  #status(sessionId: string, status: 'running' | 'idle'): void {
    this.#progressOf(sessionId)?.status(status);
    if (sessionId === this.sessions.get(null)) this.#record.status(status);
    else this.#record.touch();
  }

  #event(sessionId: string, value: JsonValue): void {
    const event = recordedEvent(value);
    if (event === null) {
      this.#record.violation({
        kind: 'SUBJECT_PROTOCOL',
        message: `it told of an event that is none: ${JSON.stringify(value).slice(0, 200)}`,
      });
      return;
    }
    const removed = numberField(event.data, 'removedCount') ?? 0;
    if (event.type === 'agent/inbox/spliced' && removed === 0)
      this.#taken.set(sessionId, this.taken(sessionId) + 1);
    this.#progressOf(sessionId)?.event(event);
    // A session of which nothing was said before: one that a scenario's own frame has made.
    this.#record.session(sessionId, { label: null, parent: null });
    this.#record.event(sessionId, event);
  }

  #isQuiet(): boolean {
    return this.wire.answered && [...this.#progress.values()].every(({ quiet }) => quiet);
  }

  #progressOf(sessionId: string): LineProgress | null {
    if (this.#children.has(sessionId)) return null;
    const known = this.#progress.get(sessionId) ?? new LineProgress([]);
    this.#progress.set(sessionId, known);
    return known;
  }

  async #restart(how: 'restart' | 'kill'): Promise<void> {
    const running = this.#alive();
    this.#endIsExpected = true;
    if (how === 'restart') running.endInput();
    else await running.kill();
    await running.exited;
    await sweep(running, this.launch.home);
    // What a killed process had written down and had no time to tell.
    if (how === 'kill') this.#record.files(readSessions(sessionsDirectory(this.launch)));
    await this.begin();
  }

  #valueOf(name: string): string | null {
    if (name === 'cwd') return this.launch.cwd;
    if (name === 'home') return this.launch.home;
    if (name === 'session') return this.sessions.get(null) ?? null;
    const [, label] = /^session:(.+)$/.exec(name) ?? [];
    return label === undefined ? null : (this.sessions.get(label) ?? null);
  }

  #alive(): GroupProcess {
    if (this.#process === null) throw new SubjectError('SETUP_FAILED', 'the command was never started');
    return this.#process;
  }
}
