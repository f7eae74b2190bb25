/** Durations as people write them in a configuration. */

const UNITS = { ms: 1, s: 1000, m: 60_000 } as const;

/** Longest duration that a timer of Node can wait for. */
const LONGEST = 2 ** 31 - 1;

/** Milliseconds of `500ms`, `2s`, `1.5s`, `1m` or a number of milliseconds; null for anything else. */
export function parseDuration(value: unknown): number | null {
  if (typeof value === 'number') return within(value);
  if (typeof value !== 'string') return null;
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m)?$/.exec(value.trim());
  if (match === null) return null;
  const unit = match[2] === 's' || match[2] === 'm' ? UNITS[match[2]] : UNITS.ms;
  return within(Number(match[1]) * unit);
}

function within(milliseconds: number): number | null {
  return Number.isFinite(milliseconds) && milliseconds >= 0 && milliseconds <= LONGEST ? milliseconds : null;
}
