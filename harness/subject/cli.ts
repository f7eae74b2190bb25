/** The core as a command: the built `turnpin-agent exec --lines`, its standard input held open. */
import type { JsonValue, Step } from '../scenario/scenario.ts';
import { ChildFiles } from './child-files.ts';
import {
  CORE_CAPABILITIES,
  agentProgram,
  coreVersion,
  plantSession,
  sessionsDirectory,
  writeCoreConfig,
} from './core.ts';
import { subjectEnvironment } from './environment.ts';
import { field } from './event-view.ts';
import { GroupProcess } from './group-process.ts';
import { LineProgress } from './line-progress.ts';
import { died, endProcess, sweep, untilShown } from './process-end.ts';
import { readSessions, recordedEvent } from './session-files.ts';
import { ShownRecord } from './shown-record.ts';
import {
  SubjectError,
  type Launch,
  type RecordedSession,
  type Shown,
  type Subject,
  type SubjectKind,
} from './subject.ts';

/** The core through the driver `cli`. */
export function cliSubject(): SubjectKind {
  return {
    name: 'core',
    driver: 'cli',
    carrier: 'loopback',
    capabilities: CORE_CAPABILITIES,
    version: coreVersion(),
    start: async (launch) => {
      const program = agentProgram();
      const subject = new CommandSubject({ launch, program, configFile: await writeCoreConfig(launch) });
      subject.resume(await plantSession(launch));
      return subject;
    },
  };
}

interface CommandFacts {
  readonly launch: Launch;
  readonly program: string;
  readonly configFile: string;
}

class CommandSubject implements Subject {
  readonly #facts: CommandFacts;
  readonly #record: ShownRecord;
  readonly #children: ChildFiles;
  #progress = new LineProgress([]);
  #process: GroupProcess | null = null;
  #session: string | null = null;
  #unfinished = '';
  #interrupted = false;
  #closing: Promise<void> | null = null;

  constructor(facts: CommandFacts) {
    this.#facts = facts;
    this.#record = new ShownRecord(!facts.launch.plainOutput);
    this.#children = new ChildFiles(sessionsDirectory(facts.launch), this.#record, () => {
      this.#mainSession();
    });
  }

  /** Starts with the session that the scenario gives, or with a new one. */
  resume(planted: RecordedSession | null): void {
    if (planted !== null) this.#know(planted, [planted]);
    this.begin(planted?.id ?? null);
  }

  /** Starts the process, for a new session or to resume one. */
  begin(session: string | null): void {
    const { launch, program, configFile } = this.#facts;
    const json = launch.plainOutput ? [] : ['--json'];
    const resume = session === null ? [] : ['--session', session];
    const args = [program, 'exec', '--lines', ...json, '--config', configFile, ...resume];
    this.#interrupted = false;
    // A process that was killed may have left half a line.
    this.#unfinished = '';
    this.#record.exit({ code: null, signal: null });
    const started = new GroupProcess(
      { program: process.execPath, args, cwd: launch.cwd, env: subjectEnvironment(launch) },
      { stdout: (text) => this.#printed(text), stderr: (text) => this.#record.stderr(text) },
    );
    this.#process = started;
    started.exited.then(
      (exit) => this.#process === started && this.#record.exit(exit),
      (error: unknown) => this.#record.violation({ kind: 'SUBJECT_PROTOCOL', message: String(error) }),
    );
  }

  async perform(step: Step): Promise<void> {
    const running = this.#running();
    switch (step.do) {
      case 'followup':
        if (this.#interrupted)
          throw new SubjectError('CAPABILITY_REFUSED', 'the command was interrupted; no input can follow');
        this.#progress.wrote();
        running.write(`${step.text}\n`);
        return;
      case 'cancel':
        await this.#takenIn();
        this.#interrupted = true;
        running.signal('SIGINT');
        return;
      case 'restart':
        await this.#takenIn();
        return this.#restart(running, async () => {
          // A supervisor's TERM disposes; a process that has taken nothing in may not be up yet, and ends with its input.
          // An interrupted one is ending already; two signals could arrive in either order.
          if (!this.#progress.hasTaken) running.endInput();
          else if (!this.#interrupted) running.signal('SIGTERM');
          await running.exited;
        });
      case 'kill':
        await this.#takenIn();
        return this.#restart(running, () => running.kill());
      default:
        throw new SubjectError('CAPABILITY_REFUSED', `the driver cli has no step "${step.do}"`);
    }
  }

  async idle(): Promise<void> {
    const running = this.#running();
    // Plain output shows nothing until the end, so that idle is the end.
    if (this.#facts.launch.plainOutput) running.endInput();
    await untilShown(
      this.#record,
      () =>
        running.exit !== null ||
        (!this.#facts.launch.plainOutput && !this.#interrupted && this.#progress.quiet),
    );
    if (running.exit === null) return;
    if (running.crashed) throw died(running, 'by a signal that nobody sent');
    if (!this.#interrupted && !this.#facts.launch.plainOutput) throw died(running, 'before it was told to');
  }

  shown(): Shown {
    return this.#record.view();
  }

  onShown(listener: () => void): () => void {
    return this.#record.onChange(listener);
  }

  close(how: 'orderly' | 'force'): Promise<void> {
    this.#closing ??= this.#close(how);
    return this.#closing;
  }

  async #close(how: 'orderly' | 'force'): Promise<void> {
    const { launch } = this.#facts;
    try {
      await endProcess(this.#running(), { how, home: launch.home });
    } finally {
      this.#children.close();
      this.#record.files(readSessions(sessionsDirectory(launch)));
    }
  }

  async #restart(running: GroupProcess, end: () => Promise<unknown>): Promise<void> {
    await end();
    await sweep(running, this.#facts.launch.home);
    const sessions = readSessions(sessionsDirectory(this.#facts.launch));
    const [main] = sessions;
    if (main === undefined)
      throw new SubjectError('SUBJECT_PROTOCOL', 'the command left no session file that could be resumed');
    this.#know(main, sessions);
    this.begin(main.id);
  }

  /** Takes in what the files tell of the session that is resumed, and of its children. */
  #know(main: RecordedSession, sessions: readonly RecordedSession[]): void {
    this.#record.files(sessions);
    this.#children.skip();
    this.#session = main.id;
    this.#progress = new LineProgress(main.events);
  }

  #printed(text: string): void {
    this.#record.stdout(text);
    if (this.#facts.launch.plainOutput) return;
    const lines = (this.#unfinished + text).split('\n');
    this.#unfinished = lines.pop() ?? '';
    for (const line of lines) this.#line(line);
  }

  #line(line: string): void {
    const value = parsed(line);
    const event = recordedEvent(field(value, 'event'));
    const status = field(value, 'status');
    if (event !== null) {
      this.#progress.event(event);
      this.#record.event(this.#mainSession(), event);
    } else if (status === 'running' || status === 'idle') {
      this.#progress.status(status);
      this.#record.status(status);
    } else {
      this.#record.violation({
        kind: 'SUBJECT_PROTOCOL',
        message: `a line of standard output is neither an event nor a status: ${line.slice(0, 200)}`,
      });
    }
  }

  /** The events do not say whose they are; the first one comes when the file of their session exists. */
  #mainSession(): string {
    if (this.#session === null) {
      const [main] = readSessions(sessionsDirectory(this.#facts.launch));
      this.#session = main?.id ?? 'main';
      this.#record.session(this.#session, { label: null, parent: null });
    }
    return this.#session;
  }

  /** Every line written so far has been read: a signal then meets the work that it is meant for. */
  #takenIn(): Promise<void> {
    if (this.#facts.launch.plainOutput) return Promise.resolve();
    return untilShown(this.#record, () => this.#progress.allTaken || this.#running().exit !== null);
  }

  #running(): GroupProcess {
    if (this.#process === null) throw new SubjectError('SETUP_FAILED', 'the command was never started');
    return this.#process;
  }
}

function parsed(line: string): JsonValue | undefined {
  try {
    return JSON.parse(line) as JsonValue;
  } catch {
    return undefined;
  }
}
