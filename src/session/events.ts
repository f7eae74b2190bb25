/**
 * The durable events of a session and the messages that they carry (core.md, "Session log").
 * This file is vocabulary only: types and the closed list of names.
 */

/** What survives `JSON.parse(JSON.stringify(x))` unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Identifies one message, in its whole life from inbox to history. A UUID in the core. */
export type MessageId = string & { readonly __brand: 'MessageId' };
/** Identifies one session; also the name of its file. A UUID, or a name that the client chose. */
export type SessionId = string & { readonly __brand: 'SessionId' };

/** Content of a user message. Only text is modelled: the core's wire takes nothing else. */
export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

/** Who wrote a user message (core.md: "A message source says who wrote it"). */
export type MessageSource =
  | { readonly kind: 'user' }
  | { readonly kind: 'plugin'; readonly name?: string }
  | { readonly kind: 'tool'; readonly name?: string }
  | { readonly kind: 'coordinator'; readonly senderSessionId: SessionId }
  | { readonly kind: 'subagent-report'; readonly senderSessionId: SessionId }
  | { readonly kind: 'subagent-settled'; readonly senderSessionId: SessionId }
  | { readonly kind: 'goal'; readonly goalId: string; readonly revision: number; readonly round: number };

/** An identified, frozen message as it waits in the inbox and as it enters the history. */
export interface UserMessage {
  readonly id: MessageId;
  readonly role: 'user';
  readonly content: readonly TextBlock[];
  readonly source: MessageSource;
}

/** One tool call as the model wrote it: `arguments` is the raw text, valid JSON or not. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** A committed answer. `reasoning` is kept because thinking mode wants it back with tool calls. */
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly text: string;
  readonly reasoning?: string;
  readonly toolCalls: readonly ToolCall[];
}

/** Token counts as the wire gave them (REQ-7). */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  readonly reasoning?: number;
}

/** One entry of a request's history, in wire-neutral form. Folded from the log alone (LOG-5). */
export type HistoryMessage =
  | { readonly role: 'user'; readonly message: UserMessage }
  | { readonly role: 'assistant'; readonly message: AssistantMessage }
  | { readonly role: 'tool'; readonly callId: string; readonly content: string };

export type CancelCause = 'user' | 'parent' | 'hook' | 'disposed';

/** Why a turn ended. `interrupted` is written by recovery alone. */
export type TurnEndReason =
  | { readonly kind: 'completed' }
  | { readonly kind: 'max-tokens' }
  | { readonly kind: 'rejected' }
  | { readonly kind: 'aborted'; readonly cause: CancelCause }
  | { readonly kind: 'error'; readonly message: string; readonly code: string; readonly status?: number }
  | { readonly kind: 'interrupted' };

/** A piece of a streamed answer (`assistant/chunk`). */
export type AssistantChunk =
  | {
      readonly kind: 'block-start';
      readonly block: 'text' | 'reasoning' | 'tool-call';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
    }
  | { readonly kind: 'text-delta'; readonly index: number; readonly text: string }
  | { readonly kind: 'reasoning-delta'; readonly index: number; readonly text: string }
  | { readonly kind: 'tool-call-delta'; readonly index: number; readonly arguments: string }
  | { readonly kind: 'block-end'; readonly index: number }
  | { readonly kind: 'usage'; readonly usage: Usage }
  | { readonly kind: 'finish'; readonly reason: FinishReason };

export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter';

/** Everything in a model request except its history, without credentials (REQ-2, REQ-4). */
export interface RequestHeader {
  readonly method: string;
  /** Path and query below the base URL. */
  readonly path: string;
  /** Lower-case names; `authorization` is left out. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body fields other than messages and tools. */
  readonly parameters: { readonly [key: string]: Json };
  readonly systemPrompt: string;
  readonly tools: readonly ToolSchema[];
}

/** A tool as the model is told of it. `parameters` is a JSON Schema object. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly parameters: { readonly [key: string]: Json };
}

export interface RetryFailure {
  readonly message: string;
  readonly code: string;
  readonly status?: number;
}

export type InboxTarget = 'next-turn' | 'next-step';

/** Data of each event type. A map, so that `SessionEvent` is a closed union. */
export interface EventData {
  'agent/inbox/spliced': {
    readonly target: InboxTarget;
    readonly start: number;
    readonly removedCount?: number;
    readonly inserted: readonly UserMessage[];
    /** True where the insertion came by `inject()`. */
    readonly quiet?: true;
    /** A removal without outcome is a claim. */
    readonly outcome?: 'cancelled' | 'moved';
  };
  'turn/start': { readonly turn: number };
  'turn/end': { readonly turn: number; readonly reason: TurnEndReason };
  'step/start': { readonly turn: number; readonly step: number };
  'step/end': { readonly turn: number; readonly step: number };
  'prompt/blocked': { readonly message: UserMessage; readonly reason: string };
  'user/message': UserMessage;
  'request/header': { readonly header: RequestHeader; readonly reason: 'initial' | 'resume' | 'change' };
  'assistant/chunk': { readonly turn: number; readonly step: number; readonly chunk: AssistantChunk };
  'assistant/message': {
    readonly turn: number;
    readonly step: number;
    readonly message: AssistantMessage;
    readonly usage?: Usage;
    readonly interrupted?: true;
  };
  'tool/call': {
    readonly turn: number;
    readonly step: number;
    readonly callId: string;
    readonly name: string;
    readonly arguments: string;
  };
  'tool/result': {
    readonly turn: number;
    readonly step: number;
    readonly callId: string;
    readonly content: string;
    readonly isError: boolean;
    readonly code?: string;
  };
  'llm/retry': {
    readonly turn: number;
    readonly step: number;
    readonly attempt: number;
    readonly delayMs: number;
    readonly failure: RetryFailure;
  };
  'subagent/descriptor': {
    readonly mode: 'isolated' | 'continuable';
    readonly label: string;
    readonly persona?: string;
    readonly tools?: readonly string[];
  };
  'goal/change': { readonly operation: string; readonly goal: Json; readonly roundsStarted: number };
  'session/title': { readonly title: string };
}

export type EventType = keyof EventData;

/** One line of the log. `seq` is contiguous from 0; `time` is ISO 8601 in UTC. */
export type SessionEvent<T extends EventType = EventType> = {
  readonly [K in T]: {
    readonly type: K;
    readonly seq: number;
    readonly time: string;
    readonly data: EventData[K];
    /** An old reader may skip this event (LOG-6). */
    readonly ignorable?: true;
  };
}[T];

/** The log's first line. */
export interface SessionHeader {
  readonly type: 'session';
  readonly version: 0;
  readonly id: SessionId;
  readonly createdAt: string;
  readonly cwd?: string;
  readonly parentSession?: SessionId;
  readonly origin?: 'subagent';
  readonly delegationDepth?: number;
}

/** The closed list of event types that this version reads (LOG-6). */
export const EVENT_TYPES = [
  'agent/inbox/spliced',
  'turn/start',
  'turn/end',
  'step/start',
  'step/end',
  'prompt/blocked',
  'user/message',
  'request/header',
  'assistant/chunk',
  'assistant/message',
  'tool/call',
  'tool/result',
  'llm/retry',
  'subagent/descriptor',
  'goal/change',
  'session/title',
] as const satisfies readonly EventType[];
