/** When a failed request is tried again, and after how long (core.md, "Retries"). Pure, but for the default clock. */
import type { ModelError } from '../model/model.ts';
import type { RetryDecision } from './contract.ts';
import { TurnError } from './errors.ts';

export interface RetrySettings {
  /** Attempts after the first. */
  readonly retries: number;
  readonly firstDelayMs: number;
  /** No wait is longer. An endpoint that asks for more fails the turn. */
  readonly maxDelayMs: number;
}

/** Three requests at most; half a second, doubling, at most a minute. */
export const DEFAULT_RETRY: RetrySettings = { retries: 2, firstDelayMs: 500, maxDelayMs: 60_000 };

export interface FailedAttempt {
  readonly error: ModelError;
  /** Counts from 1. */
  readonly attempt: number;
  /** Had any text, reasoning or call been streamed? */
  readonly visible: boolean;
}

/**
 * The built-in decision. `Retry-After` is taken as it is, 0 at once; otherwise the delay doubles and lies, by chance,
 * between half of that and all of it.
 * @param random in [0, 1).
 */
export function decideRetry(
  failed: FailedAttempt,
  settings: RetrySettings,
  random: () => number,
): RetryDecision {
  const { error, attempt, visible } = failed;
  if (!error.retryable || visible || attempt > settings.retries) return { retry: false };
  if (error.retryAfterMs !== undefined) {
    return error.retryAfterMs <= settings.maxDelayMs
      ? { retry: true, delayMs: error.retryAfterMs }
      : { retry: false };
  }
  const full = Math.min(settings.firstDelayMs * 2 ** (attempt - 1), settings.maxDelayMs);
  return { retry: true, delayMs: Math.round(full * (0.5 + random() / 2)) };
}

/** The error to end the turn with: a wait that was too long is stated. */
export function finalError(error: ModelError, settings: RetrySettings): ModelError | TurnError {
  const wait = error.retryAfterMs;
  if (!error.retryable || wait === undefined || wait <= settings.maxDelayMs) return error;
  const asked = `The endpoint asks to wait ${seconds(wait)}; this agent waits ${seconds(settings.maxDelayMs)} at most.`;
  return new TurnError(error.code, `${error.message} ${asked}`, { status: error.status, cause: error });
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}

/** Time and chance, so that tests need neither. */
export interface Clock {
  /** Resolves after `ms`; rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** In [0, 1). */
  random(): number;
}

export const systemClock: Clock = {
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      if (ms <= 0) return resolve();
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      }, ms);
      signal.addEventListener('abort', onAbort, { once: true });
    }),
  random: Math.random,
};
