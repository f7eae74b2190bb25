/**
 * The fold of a session's events: inbox, open turn and step, history. The live session and recovery use the same fold,
 * so the inbox that an agent works on is the inbox that its log describes.
 */
import { ImpossibleEventError } from './errors.ts';
import type {
  EventData,
  HistoryMessage,
  InboxTarget,
  MessageId,
  RequestHeader,
  SessionEvent,
  ToolCall,
  UserMessage,
} from './events.ts';
import { historyEntry } from './history.ts';

/** A message in a list of the inbox. */
export interface InboxItem {
  readonly message: UserMessage;
  /** Came by `inject()`: context, which wakes nothing and forces no step. */
  readonly quiet: boolean;
}

/** A message that a turn has claimed and that has not yet been recorded, blocked or given back. */
export interface ClaimedItem extends InboxItem {
  readonly from: InboxTarget;
}

/** The step that is open, with the calls of its answer. They are paired with their records by place (TURN-12). */
export interface OpenStep {
  readonly step: number;
  readonly calls: readonly ToolCall[];
  readonly callsRecorded: number;
  readonly resultsRecorded: number;
}

export interface OpenTurn {
  readonly turn: number;
  readonly lastStep: number;
  readonly step: OpenStep | null;
}

export class SessionState {
  readonly #lists: Record<InboxTarget, InboxItem[]> = { 'next-turn': [], 'next-step': [] };
  readonly #claimed = new Map<MessageId, ClaimedItem>();
  readonly #moving = new Map<MessageId, InboxItem>();
  readonly #pendingIds = new Set<MessageId>();
  readonly #history: HistoryMessage[] = [];
  #turn: OpenTurn | null = null;
  #turns = 0;
  #header: RequestHeader | null = null;
  #title: string | null = null;

  list(target: InboxTarget): readonly InboxItem[] {
    return this.#lists[target];
  }
  /** Claimed by the open turn, in the order of the claim. */
  get claimed(): readonly ClaimedItem[] {
    return [...this.#claimed.values()];
  }
  /** Removed with outcome `moved` and not yet inserted again: a move that a crash cut in two. */
  get moving(): readonly InboxItem[] {
    return [...this.#moving.values()];
  }
  get openTurn(): OpenTurn | null {
    return this.#turn;
  }
  /** Turns started so far; the last one's number. */
  get turns(): number {
    return this.#turns;
  }
  /** The header recorded last. */
  get header(): RequestHeader | null {
    return this.#header;
  }
  get title(): string | null {
    return this.#title;
  }
  /** What a request that is made now would carry (LOG-5). Grows in place; copy it to keep it. */
  get history(): readonly HistoryMessage[] {
    return this.#history;
  }
  /** Is this id in the inbox, or claimed and able to go back there? */
  isPending(id: MessageId): boolean {
    return this.#pendingIds.has(id);
  }

  /** @throws {ImpossibleEventError} where the event cannot follow what came before; nothing is changed then. */
  apply(event: SessionEvent): void {
    switch (event.type) {
      case 'agent/inbox/spliced':
        return this.#splice(event.data);
      case 'turn/start':
        return this.#startTurn(event.data.turn);
      case 'turn/end':
        return this.#endTurn(event.data.turn);
      case 'step/start':
        return this.#startStep(event.data);
      case 'step/end':
        this.#requireStep(event.type, event.data);
        return this.#setStep(null);
      case 'prompt/blocked':
        return this.#place(event.data.message.id);
      case 'user/message':
        this.#requireTurn(event.type);
        this.#place(event.data.id);
        break;
      case 'assistant/message':
        this.#setStep({ ...this.#requireStep(event.type, event.data), calls: event.data.message.toolCalls });
        break;
      case 'tool/call': {
        const step = this.#requireStep(event.type, event.data);
        if (step.callsRecorded >= step.calls.length)
          throw new ImpossibleEventError('tool/call that the answer did not make');
        this.#setStep({ ...step, callsRecorded: step.callsRecorded + 1 });
        break;
      }
      case 'tool/result': {
        const step = this.#requireStep(event.type, event.data);
        if (step.resultsRecorded >= step.callsRecorded)
          throw new ImpossibleEventError('tool/result without its tool/call');
        this.#setStep({ ...step, resultsRecorded: step.resultsRecorded + 1 });
        break;
      }
      case 'request/header':
        this.#header = event.data.header;
        break;
      case 'session/title':
        this.#title = event.data.title;
        break;
      case 'assistant/chunk':
      case 'llm/retry':
      case 'subagent/descriptor':
      case 'goal/change':
        break;
      default:
        // An ignorable event of a later version (LOG-6) changes nothing.
        break;
    }
    const entry = historyEntry(event);
    if (entry !== null) this.#history.push(entry);
  }

  #splice(data: EventData['agent/inbox/spliced']): void {
    const list = this.#lists[data.target];
    const removedCount = data.removedCount ?? 0;
    if (data.start > list.length || data.start + removedCount > list.length) {
      throw new ImpossibleEventError(
        `splice of ${data.target} at ${data.start} removing ${removedCount}, where ${list.length} wait`,
      );
    }
    const claims = removedCount > 0 && data.outcome === undefined;
    if (claims && this.#turn === null) throw new ImpossibleEventError('claim outside a turn');
    for (const { id } of data.inserted) {
      const onItsWay = this.#claimed.has(id) || this.#moving.has(id);
      if (this.#pendingIds.has(id) && !onItsWay)
        throw new ImpossibleEventError(`message ${id} is queued twice`);
    }
    const inserted = data.inserted.map((message) => ({ message, quiet: data.quiet === true }));
    const removed = list.splice(data.start, removedCount, ...inserted);
    for (const { id } of data.inserted) {
      this.#claimed.delete(id);
      this.#moving.delete(id);
      this.#pendingIds.add(id);
    }
    for (const item of removed) {
      const { id } = item.message;
      if (claims) this.#claimed.set(id, { ...item, from: data.target });
      else if (data.outcome === 'moved') this.#moving.set(id, item);
      else this.#pendingIds.delete(id);
    }
  }

  /** The message has found its place in the record and cannot go back to the inbox. */
  #place(id: MessageId): void {
    this.#claimed.delete(id);
    this.#pendingIds.delete(id);
  }

  #startTurn(turn: number): void {
    if (this.#turn !== null)
      throw new ImpossibleEventError(`turn ${turn} starts while turn ${this.#turn.turn} is open`);
    if (turn !== this.#turns + 1)
      throw new ImpossibleEventError(`turn ${turn} starts after turn ${this.#turns}`);
    this.#turns = turn;
    this.#turn = { turn, lastStep: 0, step: null };
  }

  #endTurn(turn: number): void {
    const open = this.#requireTurn('turn/end');
    if (open.turn !== turn || open.step !== null) {
      throw new ImpossibleEventError(
        `end of turn ${turn}, where turn ${open.turn} is open${open.step ? ' with an open step' : ''}`,
      );
    }
    for (const id of this.#claimed.keys()) this.#pendingIds.delete(id);
    this.#claimed.clear();
    this.#turn = null;
  }

  #startStep(data: EventData['step/start']): void {
    const open = this.#requireTurn('step/start');
    if (open.turn !== data.turn || open.step !== null || data.step !== open.lastStep + 1) {
      throw new ImpossibleEventError(
        `step ${data.turn}.${data.step} starts after step ${open.turn}.${open.lastStep}`,
      );
    }
    const step: OpenStep = { step: data.step, calls: [], callsRecorded: 0, resultsRecorded: 0 };
    this.#turn = { ...open, lastStep: data.step, step };
  }

  #requireTurn(type: string): OpenTurn {
    if (this.#turn === null) throw new ImpossibleEventError(`${type} outside a turn`);
    return this.#turn;
  }

  #requireStep(type: string, at: { readonly turn: number; readonly step: number }): OpenStep {
    const open = this.#turn;
    if (
      open?.step === null ||
      open?.step === undefined ||
      open.turn !== at.turn ||
      open.step.step !== at.step
    ) {
      throw new ImpossibleEventError(`${type} of step ${at.turn}.${at.step}, which is not open`);
    }
    return open.step;
  }

  #setStep(step: OpenStep | null): void {
    if (this.#turn !== null) this.#turn = { ...this.#turn, step };
  }
}
