/** What passes between a subject and the scripted model, whatever the wire and the carrier. */
import type { JsonValue } from '../scenario/scenario.ts';
import type { Sent } from './sent.ts';

/** A request as it came, before any wire has looked at it. */
export interface WireRequest {
  readonly method: string;
  /** Path with its query, without the base URL. */
  readonly path: string;
  /** In the order received, names as received; transport headers included. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

export interface NeutralCall {
  readonly id: string;
  readonly name: string;
  /** As written on the wire. */
  readonly arguments: string;
}

export type NeutralMessage =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly reasoning: string | null;
      readonly calls: readonly NeutralCall[];
    }
  | { readonly role: 'tool'; readonly callId: string; readonly text: string };

/** A request in words that all wires share. */
export interface NeutralRequest {
  readonly model: string;
  readonly stream: boolean;
  /** Every system or developer text before the first user message, in order. */
  readonly system: readonly string[];
  /** The history after the system prompt. A later system text is a user message here. */
  readonly messages: readonly NeutralMessage[];
  /** Name, and the schema exactly as sent. */
  readonly tools: readonly { readonly name: string; readonly schema: JsonValue }[];
  /** The body without history, system prompt and tools. */
  readonly parameters: { readonly [key: string]: JsonValue };
}

/** One thing that a carrier does to answer. Executed in order; nothing in it waits on a clock. */
export type Action =
  /** Sends the status line and headers. */
  | { readonly do: 'head'; readonly status: number; readonly headers: readonly (readonly [string, string])[] }
  /** Sends a text in UTF-8, or bytes; `apart` guarantees that the client can read it before the next write starts. */
  | { readonly do: 'write'; readonly what: string; readonly apart: boolean }
  | { readonly do: 'write'; readonly what: Uint8Array; readonly apart: true }
  /** Stops until the hold is released or the client goes away. */
  | { readonly do: 'hold'; readonly name: string }
  /** Ends the response cleanly. */
  | { readonly do: 'end' }
  /** Breaks the connection: FIN without a proper end, or RST. */
  | { readonly do: 'break'; readonly how: 'disconnect' | 'reset' }
  /** Sends nothing more of the reply; ends only when the client goes away. `keepAlive`: what it repeats all the while. */
  | { readonly do: 'stall'; readonly keepAlive: string | null };

/** How an exchange ended. `finished`: every action was carried out and the reply was whole. */
export type Outcome = 'open' | 'finished' | 'failed' | 'cut';

/** Whom a request belongs to. */
export type Attribution =
  /** `reply` counts from 1. */
  | { readonly to: 'conversation'; readonly name: string; readonly reply: number }
  | { readonly to: 'aside'; readonly name: string; readonly reply: number }
  | { readonly to: 'startup'; readonly what: string }
  | { readonly to: 'nobody' };

/** One journal entry. */
export interface Exchange {
  /** From 1, in order of arrival, over the whole run. */
  readonly number: number;
  readonly request: WireRequest;
  /** Null where no wire could read it. */
  readonly neutral: NeutralRequest | null;
  readonly attribution: Attribution;
  /** Indices into `neutral.messages` of assistant messages that no reply of this run explains. */
  readonly agentsOwn: readonly number[];
  outcome: Outcome;
  readonly sent: Sent;
}

/** What the model found wrong; the judge makes problems of them. Sticky: raised at the end whatever the subject did. */
export interface ModelFinding {
  readonly kind:
    | 'UNEXPECTED_REQUEST'
    | 'UNUSED_REPLY'
    | 'UNRELEASED_HOLD'
    | 'EXPECTATION_FAILED'
    | 'PREFIX_BROKEN'
    | 'CREDENTIAL_SEEN';
  /** `main.2`, `aside.title`, `main`. */
  readonly key: string;
  readonly message: string;
  /** Nearest reply and what differs, where that applies. */
  readonly diff: string | null;
}
