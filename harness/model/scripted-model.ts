/** The scripted model as the rest of the harness uses it: one for each run. */
import type { Action, Exchange, ModelFinding, Outcome, WireRequest } from './exchange.ts';

export interface ScriptedModel {
  /** Decides the answer to a request and journals it. Pure in its inputs: same history of calls, same actions. */
  begin(request: WireRequest): { readonly exchange: Exchange; readonly actions: readonly Action[] };
  /** The carrier says how an exchange ended; once for each exchange. A reply with a fault counts as failed all the same. */
  ended(exchange: Exchange, outcome: Exclude<Outcome, 'open'>): void;
  /** Resolves when the hold is released. The carrier calls it on reaching a `hold` action. */
  reached(exchange: Exchange, hold: string): Promise<void>;
  /** Holds that a request has reached and nothing has released. */
  held(): readonly string[];
  release(hold: string): void;
  /** Tells the model that a step cancelled the subject: replies of the turn under way become optional in the history. */
  cancelled(): void;
  exchanges(): readonly Exchange[];
  /** Nothing more can come of the script: every reply was used and has ended, or a request came that is not in it. */
  isOver(): boolean;
  /** Called after each request, hold, release and end. Returns the function that unsubscribes. */
  onChange(listener: () => void): () => void;
  /** Ends the run: open exchanges count as cut, and everything that was wrong is told. Idempotent. */
  finish(): readonly ModelFinding[];
}
