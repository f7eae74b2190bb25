/** What one provider wire is to the scripted model: how to read a request and how to write a reply (facts of each vendor). */
import { z } from 'zod';
import type { JsonValue, Reply } from '../../scenario/scenario.ts';
import type { NeutralCall, NeutralRequest, WireRequest } from '../exchange.ts';

export type WireName =
  'chat-completions' | 'openai-chat-completions' | 'anthropic-messages' | 'responses' | 'gemini';

/** A scripted reply with nothing left to fill in. */
export interface WireReply {
  readonly text: string;
  readonly reasoning: string | null;
  readonly calls: readonly NeutralCall[];
  readonly finish: Reply['finish'];
  readonly usage: { readonly input: number; readonly output: number; readonly cached: number };
}

/** What a reply's bytes depend on besides the reply. */
export interface ReplyContext {
  readonly request: NeutralRequest;
  /** Number of the exchange in the run: fixed ids are made from it. */
  readonly exchange: number;
}

/** A bit of a reply that is sent at once. */
export type Piece =
  | { readonly of: 'reasoning' | 'text'; readonly text: string }
  | { readonly of: 'arguments'; readonly call: number; readonly text: string };

/** One server-sent event; `data: null` is a comment. */
export interface Frame {
  readonly event: string | null;
  readonly data: string;
}

/** Writes one streamed reply; stateful, made for one reply. */
export interface StreamEncoder {
  start(): readonly Frame[];
  piece(piece: Piece): readonly Frame[];
  /** Everything after the last piece: finish reason, usage, end marker. */
  finish(): readonly Frame[];
  /** An error in a stream that has begun. */
  error(): readonly Frame[];
}

/** A small request that clients make beside the conversation, and its answer. */
export interface Startup {
  readonly what: string;
  readonly body: JsonValue;
}

export interface Wire {
  readonly name: WireName;
  /** Whether the request is one for a reply. */
  accepts(request: WireRequest): boolean;
  startup(request: WireRequest): Startup | null;
  /** Throws `UnreadableRequest`. */
  decode(request: WireRequest): NeutralRequest;
  encoder(reply: WireReply, context: ReplyContext): StreamEncoder;
  /** A reply to a request that is not streamed. */
  whole(reply: WireReply, context: ReplyContext): JsonValue;
  /** An error body as the vendor writes it. */
  errorBody(status: number, message: string | null): JsonValue;
  /** Vendor's response headers, content type aside. */
  readonly headers: readonly (readonly [string, string])[];
  /** How the frames of a stream become bytes; server-sent events for nearly all. */
  framing(request: WireRequest): 'events' | 'array';
  /** False where a call's arguments are never split over frames. */
  readonly splitsArguments: boolean;
  readonly callIdPrefix: (index: number) => string;
  readonly rules: VendorRules;
}

/** Where vendors refuse differently. */
export interface VendorRules {
  /** An assistant message with neither text nor call is refused. */
  readonly refusesEmptyAssistant: boolean;
  /** Reasoning that came with tool calls has to come back in every later request, when this holds. */
  readonly wantsReasoningBack: (request: NeutralRequest) => boolean;
}

/** A body that the wire can't read: what the vendor would answer 400 to. */
export class UnreadableRequest extends Error {
  readonly code = 'UNREADABLE_REQUEST';
  constructor(message: string) {
    super(message);
    this.name = 'UnreadableRequest';
  }
}

/** The path without its query. */
export function pathOf(request: WireRequest): string {
  return request.path.split('?', 1)[0] ?? '';
}

const decoder = new TextDecoder();

/** The body as JSON; throws `UnreadableRequest`. */
export function jsonBody(request: WireRequest): unknown {
  try {
    return JSON.parse(decoder.decode(request.body));
  } catch (error) {
    throw new UnreadableRequest(
      `The body is no JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** A fixed time for every reply, in seconds: 2026-01-01T00:00:00Z. */
export const CREATED = 1_767_225_600;

/**
 * The body as sent, held against `schema`, which must not change what it reads. Not what the schema makes of it: that has an order
 * of keys of its own, and pins show the one that was sent. Throws `UnreadableRequest`.
 */
export function heldAgainst<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new UnreadableRequest(z.prettifyError(parsed.error));
  return body as T;
}
