/** Pending values from run to run: what stays, what a newer run replaces (pins.md, rule 6). Pure. */
import { z } from 'zod';
import type { PinState } from '../verdict/report.ts';
import type { Pending, PinJudgement } from './contract.ts';
import { digestOf } from './expected-file.ts';

const entry = z.strictObject({
  key: z.string(),
  file: z.string(),
  /** Digest of the text, which stands in a file of its own, so that a person can look at it. */
  text: z.string(),
  base: z.string().nullable(),
  scenarios: z.record(z.string(), z.string()),
  complete: z.boolean(),
});

const index = z.strictObject({ pending: z.array(entry) });

/** A pending value as read back; a null text was lost or edited since. */
export type StoredPending = Omit<Pending, 'text'> & { readonly text: string | null };

/** The index file's text for these values. */
export function pendingIndex(pending: readonly Pending[]): string {
  const entries = pending.map((one) => ({ ...one, text: digestOf(one.text) }));
  return `${JSON.stringify({ pending: entries }, null, 2)}\n`;
}

/** Null where the index is not one of ours. `textOf` gives the text that stands for an expected file. */
export function parsePendingIndex(
  text: string,
  textOf: (file: string) => string | null,
): StoredPending[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const parsed = index.safeParse(value);
  if (!parsed.success) return null;
  return parsed.data.pending.map((one) => {
    const actual = textOf(one.file);
    return { ...one, text: actual !== null && digestOf(actual) === one.text ? actual : null };
  });
}

/**
 * What is pending after a run: its own values, and those of pins none of whose members ran. A filtered run that shows what a
 * complete one left pending does not take its completeness away.
 */
export function mergePending(
  before: readonly StoredPending[],
  judgement: Pick<PinJudgement, 'pins' | 'pending'>,
): Pending[] {
  const ran = new Set(judgement.pins.filter(wasRun).map(({ key }) => key));
  const fresh = new Map(judgement.pending.map((one) => [one.key, one]));
  const kept = before.flatMap((one): Pending[] => {
    const { text } = one;
    if (text === null || fresh.has(one.key) || ran.has(one.key)) return [];
    return [{ ...one, text }];
  });
  const merged = [...fresh.values()].map((one) => {
    const old = before.find(({ key }) => key === one.key);
    return old !== undefined && !one.complete && old.complete && agree(old, one)
      ? { ...one, complete: true, scenarios: { ...old.scenarios, ...one.scenarios } }
      : one;
  });
  return [...kept, ...merged].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** A run that could not be judged makes what an earlier one left stale as well: it no longer goes that way. */
function wasRun(pin: PinState): boolean {
  return pin.ran > 0;
}

function agree(old: StoredPending, fresh: Pending): boolean {
  const known = Object.entries(fresh.scenarios).every(([id, digest]) => old.scenarios[id] === digest);
  return old.text === fresh.text && old.base === fresh.base && old.file === fresh.file && known;
}
