/** One step's model request with its retries (core.md, "Retries"; TURN-10, TURN-11). */
import { ModelError, type ModelAnswer, type ModelRequest } from '../model/model.ts';
import type { RetryFailure } from '../session/events.ts';
import { messageOf } from '../session/thrown.ts';
import { untilAborted } from '../model/abort.ts';
import type { RetryDecision } from './contract.ts';
import type { TurnParts, TurnScope } from './parts.ts';
import { decideRetry, finalError, type FailedAttempt } from './retry.ts';
import { VisiblePart } from './visible.ts';

/** Where a request belongs. */
export interface StepScope extends TurnScope {
  readonly step: number;
}

/**
 * The answer to `request`, which every attempt repeats unchanged. Aborted, it records what was visible of the attempt
 * that was under way and rejects with the signal's reason.
 */
export async function requestAnswer(
  parts: TurnParts,
  scope: StepScope,
  request: ModelRequest,
): Promise<ModelAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await tryOnce(parts, scope, request);
    if ('answer' in result) return result.answer;
    const failed: FailedAttempt = { ...result, attempt };
    const decision = await decide(parts, scope, failed);
    if (!decision.retry) throw finalError(failed.error, parts.retry);
    const { delayMs } = decision;
    const { turn, step } = scope;
    parts.log.append('llm/retry', { turn, step, attempt, delayMs, failure: factsOf(failed.error) });
    await parts.clock.sleep(delayMs, scope.work.signal);
    scope.work.signal.throwIfAborted();
  }
}

type Attempt = { readonly answer: ModelAnswer } | { readonly error: ModelError; readonly visible: boolean };

async function tryOnce(parts: TurnParts, scope: StepScope, request: ModelRequest): Promise<Attempt> {
  const { turn, step, work } = scope;
  const visible = new VisiblePart();
  const stream = new ChunkStream((chunk) => {
    if (work.signal.aborted) return;
    visible.add(chunk);
    parts.log.append('assistant/chunk', { turn, step, chunk });
  });
  try {
    const answer = await untilAborted(parts.model.attempt(request, stream.onChunk, work.signal), work.signal);
    stream.close();
    return { answer };
  } catch (error) {
    stream.close();
    if (work.signal.aborted) {
      const message = visible.message();
      if (message !== null) parts.log.append('assistant/message', { turn, step, message, interrupted: true });
      throw work.signal.reason;
    }
    return { error: asModelError(error), visible: visible.any };
  }
}

/** Passes chunks on until it is closed: a stream that goes on after its attempt is over is not heard. */
class ChunkStream {
  #open = true;
  #failure: { readonly error: unknown } | null = null;
  readonly #take: (chunk: Parameters<Parameters<TurnParts['model']['attempt']>[1]>[0]) => void;

  constructor(take: ChunkStream['onChunk']) {
    this.#take = take;
  }

  readonly onChunk: Parameters<TurnParts['model']['attempt']>[1] = (chunk) => {
    if (!this.#open || this.#failure !== null) return;
    try {
      this.#take(chunk);
    } catch (error) {
      // The model cannot know what a refused record means; it is raised when its attempt ends.
      this.#failure = { error };
    }
  };

  close(): void {
    this.#open = false;
    if (this.#failure !== null) throw this.#failure.error;
  }
}

async function decide(parts: TurnParts, scope: StepScope, failed: FailedAttempt): Promise<RetryDecision> {
  const builtIn = decideRetry(failed, parts.retry, () => parts.clock.random());
  const policy = parts.policies.onRequestError;
  if (policy === undefined) return builtIn;
  const { turn, step, work } = scope;
  const asked = policy(failed.error, { turn, step, attempt: failed.attempt, decision: builtIn });
  return untilAborted(asked, work.signal);
}

function factsOf(error: ModelError): RetryFailure {
  const { message, code, status } = error;
  return { message, code, ...(status === undefined ? {} : { status }) };
}

/** Anything else that a model throws is a fault of its own, and no reason to ask again. */
function asModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  return new ModelError(messageOf(error), { code: 'MODEL_FAILED', retryable: false, cause: error });
}
