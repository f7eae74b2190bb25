/** What the measurements share. Times are milliseconds, and only their ratios hold from one machine to the next. */
import { fileURLToPath } from 'node:url';

/** The checkout, absolute and without a slash at its end, seen from the build. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** The middle of the sorted values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('no values to take the median of');
  return middle;
}

/** How long `work` takes, in milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Medians of two pieces of work, done in turns so that a machine whose speed drifts slows both alike. */
export async function paired(
  rounds: number,
  a: () => unknown,
  b: () => unknown,
): Promise<{ readonly a: number; readonly b: number; readonly ratio: number }> {
  const [as, bs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    as.push(await timed(a));
    bs.push(await timed(b));
  }
  return {
    a: median(as),
    b: median(bs),
    ratio: median(as.map((value, index) => value / (bs[index] ?? value))),
  };
}
