/**
 * The low-level protocol of `turnpin-agent serve`: newline-delimited JSON-RPC 2.0 over stdio (core.md, "The ways in";
 * SDK-1..7). Vocabulary that server and client share. No prompt has a result, and there is no `session.finished`.
 */
import type { AgentStatus } from '../agent/contract.ts';
import type { MessageId, SessionEvent, SessionId, TextBlock } from '../session/events.ts';
import type { ChildFacts } from '../subagent/family.ts';
import type { Outcome } from '../subagent/outcome.ts';

/** The version that `initialize` answers with. */
export const PROTOCOL_VERSION = 1;

/**
 * Longest frame that the server reads, in bytes without its line end (32 MiB). A longer one is answered with one error
 * and skipped; later frames are served.
 */
export const FRAME_CAP = 32 * 1024 * 1024;

/** JSON-RPC error codes; the last three are the server's own. */
export const RPC_ERROR = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** A session could not be opened: locked by another process, a damaged log, no room. `data.code` says which. */
  sessionUnavailable: -32001,
  /** No such session is open. */
  unknownSession: -32002,
  /** `initialize` has not been called, or the server is shutting down. */
  notServing: -32003,
} as const;

/** An id of a request; it comes back with its type, so `7` and `"7"` are two. */
export type RequestId = string | number;

export interface RpcErrorObject {
  readonly code: number;
  readonly message: string;
  /** `code` is the stable name of the core's error, where it has one. */
  readonly data?: { readonly code: string };
}

export interface InitializeParams {
  /** Absolute path of the workspace. */
  readonly cwd: string;
  /** Whose environment variables are read: `DEEPSEEK_…` first by default. */
  readonly provider?: 'deepseek' | 'openai';
  /** Beats the configuration. */
  readonly model?: string;
  /** Beats the configuration. */
  readonly maxTokens?: number;
}

export interface InitializeResult {
  readonly protocolVersion: typeof PROTOCOL_VERSION;
  readonly server: { readonly name: 'turnpin-agent'; readonly version: string };
}

export interface ContentParams {
  readonly sessionId: SessionId;
  readonly contentBlocks: readonly TextBlock[];
}

/** What an accepted prompt, steering or context is known by in events. It identifies a message, no result. */
export interface Receipt {
  readonly messageId: MessageId;
}

/** Parameters and result of each method. */
export interface Methods {
  initialize: { readonly params: InitializeParams; readonly result: InitializeResult };
  'session/prompt': { readonly params: ContentParams; readonly result: Receipt };
  'session/steer': { readonly params: ContentParams; readonly result: Receipt };
  'session/inject': { readonly params: ContentParams; readonly result: Receipt };
  'session/cancel': {
    readonly params: { readonly sessionId: SessionId };
    readonly result: Record<string, never>;
  };
  /**
   * Ends one session: what runs is aborted, what waits is cancelled, its log is flushed and its lock released; then it is
   * answered. A later prompt resumes the session from its log; the other calls know it no more.
   */
  'session/close': {
    readonly params: { readonly sessionId: SessionId };
    readonly result: Record<string, never>;
  };
  shutdown: { readonly params: Record<string, never>; readonly result: Record<string, never> };
}

export type Method = keyof Methods;

/** Parameters of each notification that the server sends. */
export interface Notifications {
  'session.event': { readonly sessionId: SessionId; readonly event: SessionEvent };
  'session.status': { readonly sessionId: SessionId; readonly status: AgentStatus };
  /** An epoch of a child begins. Precedes its first event; what the child records follows under its own session id. */
  'subagent.started': ChildParams & { readonly resumed: boolean };
  /** The epoch has ended. Follows its last event. */
  'subagent.finished': ChildParams & { readonly outcome: Outcome['kind'] };
}

export interface ChildParams {
  readonly sessionId: SessionId;
  readonly parentSessionId: SessionId;
  readonly mode: ChildFacts['mode'];
  readonly label: string;
}

export type Notification = keyof Notifications;
