/** Several runs at a time, started in order. */

/**
 * Calls `work` for every item, at most `width` at a time. Stops starting when the signal is aborted, and then resolves once
 * what had been started has ended; rejects with the first error of `work` that is no consequence of that.
 */
export async function forEachInPool<T>(
  items: readonly T[],
  how: {
    readonly width: number;
    readonly signal: AbortSignal;
    readonly work: (item: T, index: number) => Promise<void>;
  },
): Promise<void> {
  let next = 0;
  const errors: unknown[] = [];
  const worker = async (): Promise<void> => {
    while (next < items.length && !how.signal.aborted && errors.length === 0) {
      const index = next++;
      try {
        await how.work(items[index] as T, index);
      } catch (error) {
        if (!how.signal.aborted) errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(how.width, items.length) }, worker));
  if (errors.length > 0) throw errors[0];
}
