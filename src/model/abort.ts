/** Waiting for work that may not heed its signal. */

/**
 * What `work` gives, or a rejection with the signal's reason as soon as it is aborted: nobody waits for work that does
 * not heed its signal. Its late result or error goes nowhere.
 */
export async function untilAborted<T>(work: T | PromiseLike<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    const result = await Promise.race([work, aborted]);
    signal.throwIfAborted();
    return result;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
