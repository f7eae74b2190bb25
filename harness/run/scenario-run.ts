/** One scenario through one driver: Scenario -> Recording (architecture.md, "One scenario's way through the harness"). */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ScriptedModel } from '../model/scripted-model.ts';
import { createScriptedModel } from '../model/scripted-run.ts';
import type { Category, Scenario } from '../scenario/scenario.ts';
import { sessionsDirectory } from '../subject/core.ts';
import { Gates } from '../subject/gate.ts';
import { SubjectError, type Launch, type Shown, type Subject, type SubjectKind } from '../subject/subject.ts';
import { openCarrier, type Carrier } from './carrier.ts';
import { composeAgent } from './composition.ts';
import { failureKind, reasonOf } from './failures.ts';
import { gateFindings } from './gate-findings.ts';
import { gatesOf } from './gate-names.ts';
import { journalText } from './journal.ts';
import { sessionOf } from './lanes.ts';
import type { Places, Recording, Refusal, RunFailure } from './recording.ts';
import { StepRunner } from './step-runner.ts';
import { describeView, type RunView } from './waits.ts';
import { Watch } from './watch.ts';
import {
  filesBelow,
  makeDirectories,
  readFiles,
  removeDirectories,
  writeFiles,
  type RunDirectories,
} from './workspace.ts';

/** Milliseconds. `start` for the subject to come up, `step` for each step and each wait, `close` for its end. */
export interface Deadlines {
  readonly start: number;
  readonly step: number;
  readonly close: number;
}

export interface RunOptions {
  /** The scenario's category; null where the project declares none. */
  readonly category: Category | null;
  readonly deadlines?: Partial<Deadlines>;
  /** Directory below which workspace, home and journal are left; null removes them. */
  readonly keep?: string | null;
  /** Aborting ends the subject at once; the run then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** What `--twice` varies: TZ, LANG and the like. */
  readonly env?: Readonly<Record<string, string>>;
}

/** For the end of a gate's process, which the subject's end may have caused, to be noticed. */
const GATE_PATIENCE_MS = 1_000;

const DEADLINES: Deadlines = { start: 20_000, step: 10_000, close: 10_000 };

/**
 * Runs a scenario and says what it left behind. Never hangs: each step has a deadline. What goes wrong is a failure in the
 * recording; the remaining steps are then skipped, and the model's findings are collected all the same.
 */
export async function runScenario(
  scenario: Scenario,
  kind: SubjectKind,
  options: RunOptions,
): Promise<Recording> {
  options.signal?.throwIfAborted();
  const directories = await makeDirectories(options.keep ?? null);
  try {
    return await new ScenarioRun(scenario, kind, { options, directories }).record();
  } finally {
    if ((options.keep ?? null) === null) await removeDirectories(directories);
  }
}

const NOTHING_SHOWN: Shown = {
  sessions: [],
  statuses: null,
  text: '',
  stdout: '',
  stderr: '',
  frames: [],
  answers: new Map(),
  exit: { code: null, signal: null },
  violations: [],
};

class ScenarioRun {
  readonly #scenario: Scenario;
  readonly #kind: SubjectKind;
  readonly #options: RunOptions;
  readonly #deadlines: Deadlines;
  readonly #signal: AbortSignal;
  readonly #failures: RunFailure[] = [];
  readonly #directories: RunDirectories;
  readonly #model: ScriptedModel;
  /** Placeholders that replies may use. */
  readonly #values: Record<string, string>;
  readonly #apiKey = `sk-turnpin-${randomBytes(9).toString('hex')}`;
  #refusal: string | null = null;
  #subject: Subject | null = null;
  #gates: Gates | null = null;

  constructor(
    scenario: Scenario,
    kind: SubjectKind,
    facts: { readonly options: RunOptions; readonly directories: RunDirectories },
  ) {
    const { options, directories } = facts;
    this.#scenario = scenario;
    this.#kind = kind;
    this.#options = options;
    this.#directories = directories;
    this.#values = { cwd: directories.cwd, home: directories.home, apiKey: this.#apiKey };
    this.#deadlines = { ...DEADLINES, ...options.deadlines };
    this.#signal = options.signal ?? new AbortController().signal;
    this.#model = createScriptedModel(scenario.model, {
      wire: 'chat-completions',
      apiKey: this.#apiKey,
      rewrites: scenario.rewrites,
      childId: (name) => sessionOf(name, this.#shown().sessions, scenario),
      values: this.#values,
      clock: Date.now,
    });
  }

  async record(): Promise<Recording> {
    const started = performance.now();
    const startedAt = new Date();
    const directories = this.#directories;
    await writeFiles(directories.cwd, this.#scenario.workspace);
    const carrier = await openCarrier(this.#model, this.#kind);
    this.#values['modelUrl'] = carrier.modelUrl;
    try {
      await this.#drive(carrier);
      this.#signal.throwIfAborted();
      await this.#gates?.settled(GATE_PATIENCE_MS);
      await hangUpsSeen();
      const recording: Recording = {
        scenario: this.#scenario,
        driver: this.#kind.driver,
        findings: [...this.#model.finish(), ...gateFindings(this.#gates)],
        exchanges: this.#model.exchanges(),
        // A session that was not opened has shown nothing; what its file tells is the scenario's own text.
        shown: this.#refusal === null ? this.#shown() : { ...this.#shown(), sessions: [] },
        files: await readFiles(directories.cwd, Object.keys(this.#scenario.expect.files ?? {})),
        refusal: await this.#refused(),
        places: this.#places(carrier, startedAt),
        failures: this.#failures,
        durationMs: performance.now() - started,
      };
      if ((this.#options.keep ?? null) !== null)
        await writeFile(join(directories.base, 'journal.json'), journalText(recording));
      return recording;
    } finally {
      await this.#gates?.close();
      await carrier.close();
    }
  }

  /** Starts, performs, ends. Rejects only when the signal aborts. */
  async #drive(carrier: Carrier): Promise<void> {
    try {
      this.#subject = await this.#start(carrier);
      await new StepRunner({
        scenario: this.#scenario,
        subject: this.#subject,
        model: this.#model,
        gates: this.#gates,
        cwd: this.#directories.cwd,
        view: () => this.#view(),
        deadline: this.#deadlines.step,
        signal: this.#signal,
        fail: (key, what, error) => this.#fail(key, what, error),
      }).performAll();
    } catch (error) {
      if (this.#signal.aborted) throw this.#signal.reason;
      this.#fail('start', `starting ${this.#kind.name}`, error);
    } finally {
      await this.#close();
    }
  }

  async #start(carrier: Carrier): Promise<Subject> {
    const directories = this.#directories;
    const usesGates = gatesOf(this.#scenario).size > 0;
    if (usesGates) this.#gates = await Gates.open(directories.bin);
    const launch: Launch = {
      cwd: directories.cwd,
      home: directories.home,
      scratch: directories.scratch,
      bin: usesGates ? directories.bin : null,
      config: composeAgent(this.#options.category, this.#scenario),
      apiKey: this.#apiKey,
      model: this.#model,
      modelUrl: carrier.modelUrl,
      fetch: carrier.fetch,
      env: this.#options.env ?? {},
      session: this.#scenario.session,
      plainOutput: this.#scenario.expect.cli?.stdout !== null && this.#scenario.expect.cli !== null,
    };
    const starting = this.#kind.start(launch);
    try {
      return await new Watch([], this.#signal).within(starting, this.#deadlines.start);
    } catch (error) {
      await this.#closeLate(starting);
      throw error;
    }
  }

  /** A subject that comes up too late is not left running, and has written its last before its directories are removed. */
  async #closeLate(starting: Promise<Subject>): Promise<void> {
    const closed = starting.then((late) => late.close('force'));
    await new Watch([], new AbortController().signal).within(closed, this.#deadlines.close).catch(() => {});
  }

  async #close(): Promise<void> {
    const subject = this.#subject;
    if (subject === null) return;
    const how = this.#failures.length > 0 || this.#signal.aborted ? 'force' : 'orderly';
    try {
      await new Watch([], new AbortController().signal).within(subject.close(how), this.#deadlines.close);
    } catch (error) {
      this.#fail('close', `ending ${this.#kind.name}`, error);
    }
    for (const { kind, message } of subject.shown().violations) {
      if (this.#failures.length === 0) this.#failures.push({ kind, key: 'protocol', message });
    }
  }

  /** One cause, one failure: what follows from the first is not told again. */
  #fail(key: string, what: string, error: unknown): void {
    if (this.#failures.length > 0 || this.#isExpectedExit(error)) return;
    if (this.#isExpectedRefusal(error)) {
      this.#refusal ??= `${reasonOf(error)}\n${this.#shown().stderr}`;
      return;
    }
    const kind = failureKind(error, key === 'start');
    this.#failures.push({ key, kind, message: `${what}: ${reasonOf(error)}\n${describeView(this.#view())}` });
  }

  /** A scenario that expects an exit code judges an early end itself. */
  #isExpectedExit(error: unknown): boolean {
    if (!(error instanceof SubjectError) || error.code !== 'SUBJECT_CRASHED') return false;
    const { code } = this.#shown().exit;
    return this.#kind.driver === 'cli' && code !== null && this.#scenario.expect.cli?.exit === code;
  }

  /** A scenario that expects its session to be refused judges the refusal itself. */
  #isExpectedRefusal(error: unknown): boolean {
    return this.#scenario.expect.refused !== null && error instanceof SubjectError;
  }

  async #refused(): Promise<Refusal | null> {
    if (this.#refusal === null) return null;
    const left = await filesBelow(sessionsDirectory(this.#directories));
    const untouched = left.length === 1 && left[0] === this.#scenario.session;
    return { text: this.#refusal, untouched };
  }

  #view(): RunView {
    const held = [...this.#model.held(), ...(this.#gates?.held() ?? [])];
    return { scenario: this.#scenario, exchanges: this.#model.exchanges(), held, shown: this.#shown() };
  }

  #shown(): Shown {
    return this.#subject?.shown() ?? NOTHING_SHOWN;
  }

  #places({ modelUrl }: Carrier, startedAt: Date): Places {
    const { cwd, home, scratch } = this.#directories;
    return {
      cwd,
      home,
      scratch,
      modelUrl,
      apiKey: this.#apiKey,
      version: this.#kind.version,
      dates: daysAround(startedAt),
    };
  }
}

/** The day before, the day and the day after: what any time zone may call the time of a short run. */
function daysAround(moment: Date): readonly string[] {
  const day = 24 * 60 * 60 * 1000;
  return [-day, 0, day].map((offset) => new Date(moment.getTime() + offset).toISOString().slice(0, 10));
}

/** The connections of a process that has ended were closed before it; their ends arrive in the next turns of the event loop. */
async function hangUpsSeen(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
}
