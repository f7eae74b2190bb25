/** Carries out a scenario's steps in order, then the idle that is implied (scenarios.md, "Steps"). */
import type { ScriptedModel } from '../model/scripted-model.ts';
import type { Scenario, Step } from '../scenario/scenario.ts';
import type { Gates } from '../subject/gate.ts';
import { SubjectError, type Subject } from '../subject/subject.ts';
import { gatesOf } from './gate-names.ts';
import { describeStep } from './step-text.ts';
import { happened, type RunView } from './waits.ts';
import { Watch } from './watch.ts';
import { writeFiles } from './workspace.ts';

export interface StepFacts {
  readonly scenario: Scenario;
  readonly subject: Subject;
  readonly model: ScriptedModel;
  readonly gates: Gates | null;
  readonly cwd: string;
  readonly view: () => RunView;
  /** Milliseconds for each step. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  /** Told of the first step that fails; the rest are skipped. */
  readonly fail: (key: string, what: string, error: unknown) => void;
}

/** Once the model has refused a request it refuses all, so a wait that is not over soon never will be. */
const GRACE_AFTER_REFUSAL_MS = 250;

export class StepRunner {
  readonly #facts: StepFacts;
  readonly #watch: Watch;
  readonly #gateNames: ReadonlySet<string>;

  constructor(facts: StepFacts) {
    this.#facts = facts;
    this.#gateNames = gatesOf(facts.scenario);
    const { subject, model, gates } = facts;
    const sources = [
      (listener: () => void) => subject.onShown(listener),
      (listener: () => void) => model.onChange(listener),
    ];
    if (gates !== null) sources.push((listener) => gates.onChange(listener));
    this.#watch = new Watch(sources, facts.signal);
  }

  /** Rejects only when the signal aborts. */
  async performAll(): Promise<void> {
    for (const [index, step] of this.#facts.scenario.steps.entries()) {
      if (!(await this.#attempt(`steps.${index}`, describeStep(step), () => this.#perform(step)))) return;
    }
    await this.#attempt('idle', 'the idle that ends every scenario', () => this.#idle());
  }

  async #attempt(key: string, what: string, act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      if (this.#facts.signal.aborted) throw this.#facts.signal.reason;
      this.#facts.fail(key, what, error);
      return false;
    }
  }

  async #perform(step: Step): Promise<void> {
    const { model, gates, cwd } = this.#facts;
    switch (step.do) {
      case 'wait':
        return this.#watch.until(
          () => happened(step.wait, this.#facts.view()) || this.#refuseEnded(),
          () =>
            this.#isRefusing()
              ? Math.min(GRACE_AFTER_REFUSAL_MS, this.#facts.deadline)
              : this.#facts.deadline,
        );
      case 'idle':
        return this.#idle();
      case 'release':
        if (this.#gateNames.has(step.name)) gates?.release(step.name);
        else model.release(step.name);
        return;
      case 'write':
        return writeFiles(cwd, step.files);
      case 'kill':
        model.cancelled();
        await this.#send(step);
        // What a killed subject had started is in groups of its own and outlives it; its gates must not.
        gates?.abandon();
        return;
      case 'cancel':
      case 'restart':
      case 'dispose':
        // The subject is free to leave the replies of this turn out of its history.
        model.cancelled();
        return this.#send(step);
      case 'followup':
      case 'steer':
      case 'inject':
      case 'checkpoint':
      case 'maintenance':
      case 'frame':
        return this.#send(step);
    }
  }

  #send(step: Step): Promise<void> {
    return this.#watch.within(this.#facts.subject.perform(step), this.#facts.deadline);
  }

  #idle(): Promise<void> {
    return this.#watch.within(this.#facts.subject.idle(), this.#facts.deadline);
  }

  /** A wait for a process that has ended is over. */
  #refuseEnded(): false {
    const { code, signal } = this.#facts.view().shown.exit;
    if (code === null && signal === null) return false;
    const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
    throw new SubjectError('SUBJECT_CRASHED', `the subject ended ${how} before it came to that`);
  }

  #isRefusing(): boolean {
    return this.#facts.view().exchanges.some(({ attribution }) => attribution.to === 'nobody');
  }
}
