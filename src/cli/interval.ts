/** What a one-shot command learns from its agent's interval (CLI-1, CLI-2). Pure. */
import type { Published } from '../agent/contract.ts';
import type { SessionEvent, TurnEndReason } from '../session/events.ts';

/** Collects the owned interval: its last non-empty assistant text and how its last turn ended. */
export class Interval {
  #text = '';
  #ending: TurnEndReason | null = null;

  /** Takes in one publication. */
  observe(published: Published): void {
    if (published.kind === 'event') this.#record(published.event);
  }

  /** The last assistant text that is not empty; a later empty message does not hide it. */
  get text(): string {
    return this.#text;
  }

  /** Null while no turn has ended. */
  get ending(): TurnEndReason | null {
    return this.#ending;
  }

  #record(event: SessionEvent): void {
    switch (event.type) {
      case 'assistant/message':
        if (event.data.message.text.trim() !== '') this.#text = event.data.message.text;
        return;
      case 'turn/end':
        this.#ending = event.data.reason;
        return;
      default:
        return;
    }
  }
}

/** The exit codes of `turnpin-agent` (core.md, "The ways in"). */
export const EXIT = { completed: 0, notCompleted: 1, usage: 2, interrupted: 130 } as const;

/** 0 only for a completed last turn; a missing key is a matter of configuration. */
export function exitCodeOf(ending: TurnEndReason | null): number {
  if (ending?.kind === 'completed') return EXIT.completed;
  if (ending?.kind === 'error' && ending.code === 'MISSING_API_KEY') return EXIT.usage;
  return EXIT.notCompleted;
}

/** Why the work was not completed, for standard error; null where that has been said already or there is nothing to say. */
export function explain(ending: TurnEndReason | null): string | null {
  switch (ending?.kind) {
    case 'max-tokens':
      return 'the answer was cut off at the token ceiling (model.maxTokens).';
    case 'aborted':
      return `the turn was aborted (${ending.cause}).`;
    case 'interrupted':
      return 'the turn was interrupted.';
    case undefined:
      return 'no turn was run.';
    // A failed turn was reported as agent/error, a rejected one with its reason.
    case 'completed':
    case 'error':
    case 'rejected':
      return null;
  }
}
