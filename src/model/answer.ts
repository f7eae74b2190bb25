/** Putting an answer together from deltas, and telling the loop of each piece as it comes. */
import type { AssistantChunk, AssistantMessage, FinishReason, ToolCall, Usage } from '../session/events.ts';
import type { ModelAnswer } from './model.ts';
import type { WireDelta, WireToolCallDelta } from './wire-chunk.ts';

interface OpenCall {
  /** Index of the block, not of the call. */
  readonly block: number;
  readonly id: string;
  name: string;
  readonly arguments: string[];
}

/**
 * Collects one answer. Text and reasoning blocks end where another block starts; call blocks stay open until the end,
 * since their deltas may interleave. Nothing is emitted for empty deltas.
 */
export class AnswerBuilder {
  readonly #emit: (chunk: AssistantChunk) => void;
  readonly #text: string[] = [];
  readonly #reasoning: string[] = [];
  /** By the wire's index. */
  readonly #calls = new Map<number, OpenCall>();
  /** Every call, also one whose number another has taken. */
  readonly #opened: [number, OpenCall][] = [];
  #prose: { readonly block: 'text' | 'reasoning'; readonly index: number } | null = null;
  #blocks = 0;
  #sawReasoning = false;

  constructor(emit: (chunk: AssistantChunk) => void) {
    this.#emit = emit;
  }

  /** Has anything been emitted that a user could have seen? */
  get visible(): boolean {
    return this.#blocks > 0;
  }

  /** The order within one delta is reasoning, text, calls: a last piece of text may share a delta with the first call. */
  add(delta: WireDelta): void {
    const reasoning = delta.reasoning_content ?? delta.reasoning;
    if (typeof reasoning === 'string') this.#sawReasoning = true;
    this.#addProse('reasoning', reasoning);
    this.#addProse('text', delta.content);
    this.#addProse('text', delta.refusal);
    for (const [place, call] of (delta.tool_calls ?? []).entries()) this.#addCall(call.index ?? place, call);
  }

  /** Ends all blocks and hands over the answer, with `usage` and `finish` emitted once each (REQ-7). */
  finish(wireReason: Exclude<FinishReason, 'tool-calls'>, usage: Usage | undefined): ModelAnswer {
    this.#endProse();
    for (const [, call] of this.#opened) this.#emit({ kind: 'block-end', index: call.block });
    const message = this.#message(wireReason === 'stop');
    const finish = message.toolCalls.length > 0 ? 'tool-calls' : wireReason;
    if (usage !== undefined) this.#emit({ kind: 'usage', usage });
    this.#emit({ kind: 'finish', reason: finish });
    return { message, finish, ...(usage === undefined ? {} : { usage }) };
  }

  #addProse(block: 'text' | 'reasoning', piece: string | null | undefined): void {
    if (piece === null || piece === undefined || piece === '') return;
    const index = this.#openProse(block);
    (block === 'text' ? this.#text : this.#reasoning).push(piece);
    this.#emit(
      block === 'text'
        ? { kind: 'text-delta', index, text: piece }
        : { kind: 'reasoning-delta', index, text: piece },
    );
  }

  #openProse(block: 'text' | 'reasoning'): number {
    if (this.#prose?.block === block) return this.#prose.index;
    this.#endProse();
    const index = this.#blocks++;
    this.#prose = { block, index };
    this.#emit({ kind: 'block-start', block, index });
    return index;
  }

  #endProse(): void {
    if (this.#prose !== null) this.#emit({ kind: 'block-end', index: this.#prose.index });
    this.#prose = null;
  }

  #addCall(wireIndex: number, delta: WireToolCallDelta): void {
    const open = this.#calls.get(wireIndex);
    const call = open === undefined || isAnother(open, delta) ? this.#openCall(wireIndex, delta) : open;
    // Some servers send the name behind the id.
    if (call.name === '') call.name = delta.function?.name ?? '';
    const piece = delta.function?.arguments ?? '';
    if (piece === '') return;
    call.arguments.push(piece);
    this.#emit({ kind: 'tool-call-delta', index: call.block, arguments: piece });
  }

  #openCall(wireIndex: number, delta: WireToolCallDelta): OpenCall {
    this.#endProse();
    // A server that leaves out ids still needs one back with the result.
    const id = delta.id ?? '';
    const call: OpenCall = {
      block: this.#blocks++,
      id: id === '' ? `call_${String(wireIndex)}` : id,
      name: delta.function?.name ?? '',
      arguments: [],
    };
    this.#calls.set(wireIndex, call);
    this.#opened.push([wireIndex, call]);
    this.#emit({ kind: 'block-start', block: 'tool-call', index: call.block, id: call.id, name: call.name });
    return call;
  }

  /** Calls of an answer that was cut or filtered are left out: none of them may run (TURN-8). */
  #message(withCalls: boolean): AssistantMessage {
    return {
      role: 'assistant',
      text: this.#text.join(''),
      ...(this.#sawReasoning ? { reasoning: this.#reasoning.join('') } : {}),
      toolCalls: withCalls ? [...this.#opened].sort(byWireIndex).map(([, call]) => closed(call)) : [],
    };
  }
}

/** Some servers number every parallel call 0: another id with a name of its own is another call. */
function isAnother(open: OpenCall, { id, function: called }: WireToolCallDelta): boolean {
  return (id ?? '') !== '' && id !== open.id && (called?.name ?? '') !== '';
}

function byWireIndex([a]: readonly [number, OpenCall], [b]: readonly [number, OpenCall]): number {
  return a - b;
}

function closed(call: OpenCall): ToolCall {
  return { id: call.id, name: call.name, arguments: call.arguments.join('') };
}
