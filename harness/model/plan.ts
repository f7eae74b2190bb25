/** From a scripted reply to what a carrier does, action by action (scenarios.md, "A reply"). Pure. */
import type { Fault, Reply } from '../scenario/scenario.ts';
import type { Action, WireRequest } from './exchange.ts';
import { FrameWriter } from './framing.ts';
import { cutAt, piecesOf } from './pieces.ts';
import { statusFault } from './status-fault.ts';
import { cutWrites, mergeWrites } from './writes.ts';
import type { Piece, ReplyContext, Wire, WireReply } from './wires/wire.ts';

export interface PlanFacts {
  readonly reply: Reply;
  /** The reply with calls and usage filled in. */
  readonly wireReply: WireReply;
  readonly wire: Wire;
  readonly context: ReplyContext;
  readonly request: WireRequest;
  /** Milliseconds since the epoch, for a `Retry-After` that is a date. */
  readonly now: () => number;
}

type BodyFault = Extract<Fault, { readonly at: unknown }>;

/** Everything a carrier does to give this reply. */
export function planReply(facts: PlanFacts): Action[] {
  const { fail, hold } = facts.reply;
  const waiting: Action[] = hold === null ? [] : [{ do: 'hold', name: hold.name }];
  if (fail?.kind === 'status') return [...waiting, ...statusFault(fail, facts.wire, facts.now)];
  const beforeHeaders = hold?.before === 'headers' ? waiting : [];
  if (fail?.at === 'connect') return [...beforeHeaders, ...strikeUnconnected(fail)];
  if (fail?.kind === 'wrong-type') return [...beforeHeaders, ...wrongType(facts.wire)];
  return [...beforeHeaders, ...(facts.context.request.stream ? streamed(facts, fail) : atOnce(facts, fail))];
}

/** The actions that answer with one JSON body. */
export function jsonAnswer(wire: Wire, status: number, body: unknown): Action[] {
  return [head(wire, status, JSON_TYPE), write(JSON.stringify(body)), END];
}

const END: Action = { do: 'end' };
const JSON_TYPE = 'application/json';

function head(wire: Wire, status: number, type: string): Action {
  return { do: 'head', status, headers: [['content-type', type], ...wire.headers] };
}

function write(text: string): Action {
  return { do: 'write', what: text, apart: false };
}

/** Before anything was answered. A server can only break what has connected: to a client that is the same failure. */
function strikeUnconnected(fault: BodyFault): Action[] {
  switch (fault.kind) {
    case 'stall':
    case 'hang':
      return [{ do: 'stall', keepAlive: null }];
    case 'disconnect':
      return [{ do: 'break', how: 'disconnect' }];
    default:
      return [{ do: 'break', how: 'reset' }];
  }
}

function wrongType(wire: Wire): Action[] {
  return [
    head(wire, 200, 'text/html; charset=utf-8'),
    write('<!doctype html><title>Sign in</title><p>Sign in to this network.</p>\n'),
    END,
  ];
}

// --- streamed ----------------------------------------------------------------------------------------------------------

function streamed(facts: PlanFacts, fault: BodyFault | null): Action[] {
  const { reply, wire, context } = facts;
  const kind = wire.framing(facts.request);
  const writer = new FrameWriter(kind, reply.bytes.crlf);
  const encoder = wire.encoder(facts.wireReply, context);
  const apart = Array.isArray(reply.pieces);
  const { pieces, holdAfter } = withHold(reply, piecesOf(reply, facts.wireReply, wire.splitsArguments));
  const strikesAfter = fault === null ? null : placeOf(fault, pieces.length);
  const actions: Action[] = [
    head(wire, 200, kind === 'array' ? JSON_TYPE : 'text/event-stream; charset=utf-8'),
  ];
  const send = (what: string): void => {
    if (what !== '') actions.push({ do: 'write', what, apart });
  };

  for (let sent = 0; ; sent += 1) {
    if (holdAfter === sent && reply.hold !== null) actions.push({ do: 'hold', name: reply.hold.name });
    if (fault !== null && strikesAfter === sent) {
      const ending = strike(fault, reply, { frames: (frames) => writer.frames(frames), writer, encoder });
      actions.push(...ending.actions);
      if (ending.over) return written(actions, reply);
    }
    if (sent === 0) send(writer.frames(encoder.start()));
    if (reply.bytes.keepAlive) send(writer.keepAlive());
    const piece = pieces[sent];
    if (piece === undefined) break;
    send(writer.frames(encoder.piece(piece)));
  }
  send(writer.frames(encoder.finish()) + writer.end());
  actions.push(END);
  return written(actions, reply);
}

/** Pieces cut so that a hold falls between two of them; `holdAfter` counts the pieces before it. */
function withHold(
  reply: Reply,
  pieces: Piece[],
): { readonly pieces: Piece[]; readonly holdAfter: number | null } {
  const { hold } = reply;
  if (hold === null || hold.before === 'headers') return { pieces, holdAfter: null };
  const text = hold.after ?? hold.before;
  const cut = text === null ? null : cutAt(pieces, text, hold.after !== null ? 'after' : 'before');
  return cut === null ? { pieces, holdAfter: 0 } : { pieces: cut.pieces, holdAfter: cut.count };
}

/** How many pieces are sent before the fault strikes. Arguments are cut in their middle where no piece is named. */
function placeOf(fault: BodyFault, pieces: number): number {
  if (typeof fault.at === 'object') return Math.min(fault.at.piece, pieces);
  if (fault.kind === 'truncated') return Math.ceil(pieces / 2);
  return fault.at === 'end' ? pieces : 0;
}

interface Striking {
  readonly frames: FrameWriter['frames'];
  readonly writer: FrameWriter;
  readonly encoder: ReturnType<Wire['encoder']>;
}

/** What a fault does in a stream; `over`: nothing of the reply follows. */
function strike(
  fault: BodyFault,
  reply: Reply,
  { writer, encoder }: Striking,
): { readonly actions: Action[]; readonly over: boolean } {
  switch (fault.kind) {
    case 'disconnect':
    case 'reset':
      return { actions: [{ do: 'break', how: fault.kind }], over: true };
    case 'stall':
      return {
        actions: [{ do: 'stall', keepAlive: reply.bytes.keepAlive ? writer.keepAlive() : null }],
        over: true,
      };
    case 'hang':
      return { actions: [{ do: 'stall', keepAlive: writer.keepAlive() }], over: true };
    case 'junk':
      return { actions: [write(writer.junk())], over: false };
    case 'bad-json':
      return { actions: [write(writer.badJson(encoder.error()))], over: false };
    case 'no-done':
      return { actions: [END], over: true };
    case 'error-event':
      return { actions: [write(writer.frames(encoder.error()) + writer.end()), END], over: true };
    case 'truncated':
      return { actions: [write(writer.frames(encoder.finish()) + writer.end()), END], over: true };
    case 'wrong-type':
      return { actions: [END], over: true };
  }
}

/** Applies what the script says about writes. */
function written(actions: readonly Action[], reply: Reply): Action[] {
  const merged = reply.bytes.merge || typeof reply.pieces === 'number' ? mergeWrites(actions) : [...actions];
  return typeof reply.pieces === 'number' ? cutWrites(merged, reply.pieces) : merged;
}

// --- not streamed ------------------------------------------------------------------------------------------------------

/** What of a body comes before the fault: half for a piece, all but its end where the fault takes that place. */
function sentOf(fault: BodyFault | null, body: string): string[] {
  if (fault === null || fault.at === 'connect' || fault.at === 'headers') return [];
  return [fault.at === 'end' ? body.slice(0, -1) : body.slice(0, Math.ceil(body.length / 2))];
}

function atOnce(facts: PlanFacts, fault: BodyFault | null): Action[] {
  const { reply, wire, context } = facts;
  const waiting: Action[] =
    reply.hold === null || reply.hold.before === 'headers' ? [] : [{ do: 'hold', name: reply.hold.name }];
  const body = JSON.stringify(wire.whole(facts.wireReply, context));
  const half = body.slice(0, Math.ceil(body.length / 2));
  const opening = [head(wire, 200, JSON_TYPE), ...waiting, ...(reply.bytes.keepAlive ? [write('\n\n')] : [])];
  const prefix = sentOf(fault, body).map((text) => write(text));
  switch (fault?.kind) {
    case undefined:
      return written([...opening, write(body), END], reply);
    case 'disconnect':
    case 'reset':
      return [...opening, ...prefix, { do: 'break', how: fault?.kind ?? 'reset' }];
    case 'stall':
      return [...opening, ...prefix, { do: 'stall', keepAlive: reply.bytes.keepAlive ? '\n' : null }];
    case 'hang':
      return [...opening, ...prefix, { do: 'stall', keepAlive: '\n' }];
    case 'junk':
      return [...opening, write('upstream connect error or disconnect before headers\n'), END];
    case 'bad-json':
    case 'truncated':
      return [...opening, write(half), END];
    case 'error-event':
      return [...opening, write(JSON.stringify(wire.errorBody(500, null))), END];
    case 'no-done':
    case 'wrong-type':
      return [...opening, END];
  }
}
