/** A scenario as the rest of the harness sees it: frozen, complete, every default filled in (scenarios.md). */
import type { JsonValue, Position } from '../document/position.ts';
import type { Driver } from '../verdict/vocabulary.ts';

export type { JsonValue, Position };

/** "contains", unless written `{is: text}`. */
export type TextMatch = { readonly contains: string } | { readonly is: string };

// --- the scripted model ------------------------------------------------------------------------------------------------

export interface ScriptedCall {
  readonly name: string;
  /** A map is written as JSON; a string is sent as it stands, malformed or not. `{{child:NAME}}` is filled in. */
  readonly arguments: JsonValue;
  readonly id: string | null;
}

export interface Hold {
  readonly name: string;
  /** Stop after this text was sent, before this text, or `headers`: before the response headers. Neither: after the headers. */
  readonly after: string | null;
  readonly before: string | null;
}

export type Fault =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly retryAfter: number | { readonly date: string } | null;
      readonly body: JsonValue | null;
    }
  | {
      readonly kind:
        | 'disconnect'
        | 'reset'
        | 'stall'
        | 'hang'
        | 'junk'
        | 'bad-json'
        | 'wrong-type'
        | 'no-done'
        | 'error-event'
        | 'truncated';
      /**
       * Where it strikes: before a connection stands, after the headers, after piece n (from 1) was sent, or at the end:
       * after all content, in place of what closes the stream. Where the file is silent: `connect` for hang, `headers`
       * for wrong-type and for a reply without content, else `end`.
       */
      readonly at: 'connect' | 'headers' | 'end' | { readonly piece: number };
    };

export type Added = { readonly user: string; readonly source: string | null } | { readonly tool: string };

/** One reply of a script, or of an aside. */
export interface Reply {
  /** Problem keys use it: `main.2` is the second reply of `main`. */
  readonly key: string;
  readonly position: Position;
  readonly text: string;
  readonly reasoning: string | null;
  readonly tools: readonly ScriptedCall[];
  readonly finish: 'stop' | 'length' | 'content_filter' | 'tool_calls';
  readonly usage: { readonly input: number; readonly output: number; readonly cached: number | null } | null;
  readonly pieces: readonly string[] | number | null;
  readonly hold: Hold | null;
  readonly ends: 'cancelled' | null;
  readonly fail: Fault | null;
  readonly bytes: { readonly crlf: boolean; readonly merge: boolean; readonly keepAlive: boolean };
  readonly sees: readonly Sight[];
  readonly lacks: readonly Sight[];
  /** Null: not checked. */
  readonly adds: readonly Added[] | null;
  readonly offers: readonly string[];
  readonly withholds: readonly string[];
}

export interface Sight {
  readonly where: 'messages' | 'system';
  readonly text: string;
}

export interface Conversation {
  /** `main`, or a name. */
  readonly name: string;
  /** Null for `main` alone. */
  readonly opens: string | null;
  readonly replies: readonly Reply[];
}

/** A side request is recognised by what it says; every key that is given must fit. */
export interface AsideWhen {
  readonly system: string | null;
  readonly user: string | null;
  readonly model: string | null;
  /** The exact list of tool names. */
  readonly tools: readonly string[] | null;
  readonly stream: boolean | null;
}

export interface Aside {
  readonly name: string;
  readonly when: AsideWhen;
  readonly replies: readonly Reply[];
}

export interface ModelScript {
  /** `main` first, the rest in the order of the file; child n is `conversations[n]`. */
  readonly conversations: readonly Conversation[];
  readonly asides: readonly Aside[];
}

// --- steps -------------------------------------------------------------------------------------------------------------

export type WaitFor =
  | { readonly for: 'held'; readonly name: string }
  | { readonly for: 'request'; readonly conversation: string; readonly number: number }
  | { readonly for: 'result'; readonly conversation: string }
  | { readonly for: 'text'; readonly text: string }
  | { readonly for: 'event'; readonly type: string; readonly match: { readonly [key: string]: JsonValue } }
  | { readonly for: 'settled'; readonly conversation: string }
  | { readonly for: 'answered'; readonly label: string };

export type Step = { readonly position: Position; readonly in: string | null; readonly as: string | null } & (
  | { readonly do: 'followup' | 'steer' | 'inject'; readonly text: string }
  | { readonly do: 'cancel' | 'idle' | 'restart' | 'kill' | 'dispose' }
  | { readonly do: 'wait'; readonly wait: WaitFor }
  | { readonly do: 'release'; readonly name: string }
  | { readonly do: 'write'; readonly files: { readonly [file: string]: string } }
  | { readonly do: 'checkpoint'; readonly action: 'hold' | 'fail' | 'release' }
  | { readonly do: 'maintenance'; readonly action: 'begin' | 'end' }
  | { readonly do: 'frame'; readonly frame: JsonValue }
);
export type StepKind = Step['do'];

// --- expectations ------------------------------------------------------------------------------------------------------

export interface ExpectedTurn {
  readonly position: Position;
  readonly prompt: TextMatch | null;
  readonly source: string | null;
  readonly end: string;
  readonly cause: string | null;
  readonly steps: number | null;
  /** Conversation name; `main` by default. */
  readonly lane: string;
}

export interface ExpectedEvent {
  readonly position: Position;
  readonly type: string;
  readonly match: { readonly [key: string]: JsonValue };
}

export interface Expect {
  /** The session in `session` is not opened, for a reason that says this, and its log is left untouched. */
  readonly refused: TextMatch | null;
  /** Complete and in order, per lane. Null: not checked. */
  readonly turns: readonly ExpectedTurn[] | null;
  /** One number for all conversations together, or one per conversation; retries count, asides don't. */
  readonly requests: number | { readonly [conversation: string]: number } | null;
  /** Lane -> ordered partial events. */
  readonly log: { readonly [lane: string]: readonly ExpectedEvent[] } | null;
  /** Null: the file must not exist. */
  readonly files: { readonly [file: string]: TextMatch | null } | null;
  readonly cli: {
    readonly stdout: TextMatch | null;
    readonly stderr: TextMatch | null;
    readonly exit: number | null;
  } | null;
  readonly acp: {
    readonly answers: { readonly [label: string]: JsonValue };
    readonly updates: readonly JsonValue[];
  } | null;
  readonly sdk: { readonly answers: { readonly [label: string]: JsonValue } } | null;
  /** The whole-agent transitions in order, judged by drivers that show them. */
  readonly status: readonly ('running' | 'idle')[] | null;
}

/** A declared child sidecar: the child's number, and the scenario that owns the file where it isn't this one. */
export interface ChildPin {
  readonly child: number;
  readonly owner: string | null;
  readonly position: Position;
}

export interface Scenario {
  /** Path below the scenarios folder without `.yaml`. */
  readonly id: string;
  /** Path relative to the project, with `/`. */
  readonly file: string;
  readonly title: string;
  readonly covers: readonly string[];
  readonly category: string;
  /** The scenario's own `agent.yaml` overlay. */
  readonly agent: { readonly [key: string]: JsonValue };
  readonly workspace: { readonly [file: string]: string };
  /** The log that the main session is resumed from, byte for byte; null for a new one. */
  readonly session: string | null;
  readonly via: readonly Driver[] | null;
  readonly model: ModelScript;
  readonly steps: readonly Step[];
  readonly expect: Expect;
  readonly pinsChildSystemPrompts: readonly ChildPin[];
  readonly pinsChildToolSchemas: readonly ChildPin[];
  readonly pinsWire: readonly Driver[];
  /** Conversations whose requests may rewrite their history (REQ-3). */
  readonly rewrites: readonly string[];
  /** Position of a top-level or nested key, such as `expect.turns.0.end`; of the file's start where unknown. */
  readonly positionOf: (path: string) => Position;
  /** Digest of the file's bytes; pending files made from another digest are stale. */
  readonly digest: string;
}

export interface Category {
  readonly name: string;
  readonly extends: string | null;
  /** The overlay of `agent.yaml`, with those of the categories that it extends merged in below it. */
  readonly agent: { readonly [key: string]: JsonValue };
  readonly headers: { readonly varying: readonly string[] };
  readonly position: Position;
}
