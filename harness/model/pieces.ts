/** How a reply is cut into the pieces in which it is sent. */
import type { Reply } from '../scenario/scenario.ts';
import type { Piece, WireReply } from './wires/wire.ts';

const MOST_PIECES = 4;
const PIECE_LENGTH = 12;

/** A few pieces, the same for equal texts; never cuts a character. */
export function cutEvenly(text: string): string[] {
  if (text.length <= PIECE_LENGTH) return [text];
  const count = Math.min(MOST_PIECES, Math.ceil(text.length / PIECE_LENGTH));
  const size = Math.ceil(text.length / count);
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + size, text.length);
    if (isHighSurrogate(text.charCodeAt(to - 1)) && to < text.length) to += 1;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

/** The pieces of a reply in the order of sending: reasoning, text, then the arguments of each call. */
export function piecesOf(reply: Reply, wire: WireReply, splitsArguments: boolean): Piece[] {
  const pieces: Piece[] = [];
  for (const text of cutEvenly(wire.reasoning ?? '')) if (text !== '') pieces.push({ of: 'reasoning', text });
  const texts = Array.isArray(reply.pieces) ? reply.pieces : cutEvenly(wire.text);
  for (const text of texts) if (text !== '') pieces.push({ of: 'text', text });
  wire.calls.forEach((call, index) => {
    const parts = splitsArguments ? cutEvenly(call.arguments) : [call.arguments];
    for (const text of parts) pieces.push({ of: 'arguments', call: index, text });
  });
  return pieces;
}

/** Cuts the pieces once more where `text` begins or ends, and says how many pieces come before that place. Null: it is nowhere. */
export function cutAt(
  pieces: readonly Piece[],
  text: string,
  side: 'before' | 'after',
): { readonly pieces: Piece[]; readonly count: number } | null {
  for (const run of runs(pieces)) {
    const found = run.text.indexOf(text);
    if (found < 0) continue;
    return cutRun(pieces, run.from, found + (side === 'after' ? text.length : 0));
  }
  return null;
}

/** Neighbouring pieces of the same thing, as one text; plain text first, where a script's words are looked for first. */
function runs(pieces: readonly Piece[]): { readonly from: number; readonly text: string }[] {
  const found: { from: number; text: string; key: string; rank: number }[] = [];
  pieces.forEach((piece, index) => {
    const key = piece.of === 'arguments' ? `call ${piece.call}` : piece.of;
    const last = found.at(-1);
    if (last?.key === key) last.text += piece.text;
    else found.push({ from: index, text: piece.text, key, rank: piece.of === 'text' ? 0 : 1 });
  });
  return found.sort((a, b) => a.rank - b.rank);
}

function cutRun(pieces: readonly Piece[], from: number, offset: number): { pieces: Piece[]; count: number } {
  const before = pieces.slice(0, from);
  const after = pieces.slice(from);
  let left = offset;
  for (let piece = after[0]; piece !== undefined && left > 0; piece = after[0]) {
    after.shift();
    if (piece.text.length > left) after.unshift({ ...piece, text: piece.text.slice(left) });
    before.push({ ...piece, text: piece.text.slice(0, left) });
    left -= Math.min(left, piece.text.length);
  }
  return { pieces: [...before, ...after], count: before.length };
}
