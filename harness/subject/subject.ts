/** One Subject type, whatever it is: the core in process, the core as a process, somebody else's port. */
import type { Capability } from '../verdict/capability.ts';
import type { Driver } from '../verdict/vocabulary.ts';
import type { JsonValue, Step } from '../scenario/scenario.ts';
import type { ScriptedModel } from '../model/scripted-model.ts';

export { CAPABILITIES, type Capability } from '../verdict/capability.ts';

/** A durable event as the subject showed it: live, or in its session file. */
export interface RecordedEvent {
  readonly type: string;
  readonly seq: number;
  readonly time: string;
  readonly data: { readonly [key: string]: JsonValue };
}

/** One session as observed. */
export interface RecordedSession {
  readonly id: string;
  /** The label of `in:`; null for the first session and for children. */
  readonly label: string | null;
  readonly parent: string | null;
  readonly events: readonly RecordedEvent[];
}

/** A frame of the way in, raw, with who sent it. */
export interface WireFrame {
  readonly from: 'client' | 'subject';
  readonly text: string;
}

/** How a process ended. Both null while it runs, and in process. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Everything that a subject has shown so far. Grows while it runs. */
export interface Shown {
  readonly sessions: readonly RecordedSession[];
  /** Whole-agent transitions of the first session. Null: this driver does not show status. */
  readonly statuses: readonly ('running' | 'idle')[] | null;
  /** Assistant text that the driver has shown, streamed pieces joined. */
  readonly text: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly frames: readonly WireFrame[];
  /** Answers to labelled steps. */
  readonly answers: ReadonlyMap<string, JsonValue>;
  readonly exit: Exit;
  /** What the subject did against its own protocol: unreadable frames, CAPABILITY_REFUSED and the like. */
  readonly violations: readonly {
    readonly kind: 'SUBJECT_PROTOCOL' | 'CAPABILITY_REFUSED';
    readonly message: string;
  }[];
}

/** What a run hands to its subject. */
export interface Launch {
  readonly cwd: string;
  readonly home: string;
  /** The composed `agent.yaml`: category overlay, then the scenario's. Model endpoint and key come on top. */
  readonly config: { readonly [key: string]: JsonValue };
  readonly apiKey: string;
  readonly model: ScriptedModel;
  /** Where the model is reached, without a path and without a final slash: `http://127.0.0.1:4711`. */
  readonly modelUrl: string;
  /** The in-process carrier; null where `modelUrl` is a real server. */
  readonly fetch: typeof globalThis.fetch | null;
  /** Directory with `gate`, first on the PATH of whatever the subject starts; null where no gate is used. */
  readonly bin: string | null;
  /** Everything else that the subject may see of an environment. */
  readonly env: Readonly<Record<string, string>>;
  /** A directory outside the workspace for configuration, sessions and sockets. */
  readonly scratch: string;
  /** The log that the main session is resumed from; null for a new session. */
  readonly session: string | null;
  /** Omit `--json` so that plain output can be judged (cli). */
  readonly plainOutput: boolean;
}

/** A started subject. Every method rejects with `SubjectError` when the subject can't do what is asked. */
export interface Subject {
  /** Carries out one step that addresses the subject; resolves when it is sent (`idle`: when the agent is idle). */
  perform(step: Step): Promise<void>;
  /** Whole-agent quiescence of all sessions. Rejects if the subject ends first. */
  idle(): Promise<void>;
  shown(): Shown;
  /** Called whenever `shown()` may have changed. Returns the function that unsubscribes. */
  onShown(listener: () => void): () => void;
  /**
   * Ends it in the orderly way (end of input, dispose), then by force; `force` at once. Afterwards nothing of it is left.
   * Rejects with `SubjectError` when it died by a signal that nobody sent. Idempotent.
   */
  close(how: 'orderly' | 'force'): Promise<void>;
}

/** How to get a subject through one driver. */
export interface SubjectKind {
  readonly name: string;
  readonly driver: Driver;
  /** How the scripted model is brought to it. */
  readonly carrier: 'in-process' | 'loopback';
  readonly capabilities: ReadonlySet<Capability>;
  readonly version: string | null;
  start(launch: Launch): Promise<Subject>;
}

/** A subject that refused, crashed or broke its protocol. */
export class SubjectError extends Error {
  readonly code: 'SUBJECT_CRASHED' | 'SUBJECT_PROTOCOL' | 'SETUP_FAILED' | 'CAPABILITY_REFUSED';
  constructor(code: SubjectError['code'], message: string) {
    super(message);
    this.name = 'SubjectError';
    this.code = code;
  }
}
