/** Reading a server's wish to be left alone for a while (core.md, "Retries"). */

/**
 * Above this a wait is no sane answer to "when may I ask again", and the header counts as absent: one year. A quota can
 * take weeks to come back; whoever will not wait that long has to say so, and must not ask again at once.
 */
const LONGEST_SANE_WAIT_MS = 365 * 86_400_000;

const SECONDS = /^\d{1,10}(?:\.\d{1,9})?$/;
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, [\d A-Za-z:-]+ GMT$/;

/**
 * Milliseconds to wait by `retry-after-ms` or `retry-after`, or undefined where neither says something sane.
 * Numbers are seconds (`retry-after-ms`: milliseconds); 0 is at once. Dates are measured against the response's own
 * `date` where there is one, so that a wrong local clock does no harm. Negative numbers, words, waits of more than a
 * year and dates that have passed count as absent: reading any of them as "at once" would hammer a server in trouble.
 */
export function parseRetryAfter(headers: Headers, now: number): number | undefined {
  return (
    sane(milliseconds(headers.get('retry-after-ms'), 1)) ??
    sane(milliseconds(headers.get('retry-after'), 1000)) ??
    sane(untilDate(headers.get('retry-after'), instant(headers.get('date')) ?? now))
  );
}

function milliseconds(text: string | null, unit: number): number | undefined {
  const trimmed = text?.trim() ?? '';
  return SECONDS.test(trimmed) ? Math.ceil(Number(trimmed) * unit) : undefined;
}

function untilDate(text: string | null, now: number): number | undefined {
  const date = instant(text);
  return date === undefined || date <= now ? undefined : date - now;
}

function instant(text: string | null): number | undefined {
  const trimmed = text?.trim() ?? '';
  if (!HTTP_DATE.test(trimmed)) return undefined;
  const time = Date.parse(trimmed);
  return Number.isNaN(time) ? undefined : time;
}

function sane(wait: number | undefined): number | undefined {
  return wait !== undefined && wait <= LONGEST_SANE_WAIT_MS ? wait : undefined;
}
