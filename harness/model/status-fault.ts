/** An answer with an error status, with the vendor's body and headers (facts of each vendor). */
import type { Fault } from '../scenario/scenario.ts';
import type { Action } from './exchange.ts';
import type { Wire } from './wires/wire.ts';

type StatusFault = Extract<Fault, { readonly kind: 'status' }>;

/** Head, body and end. A body that is a string is sent as it stands, as a proxy would. */
export function statusFault(fault: StatusFault, wire: Wire, now: () => number): Action[] {
  const plain = typeof fault.body === 'string' ? fault.body : null;
  const body = plain ?? JSON.stringify(fault.body ?? wire.errorBody(fault.status, null));
  const type = plain === null ? 'application/json' : 'text/plain; charset=utf-8';
  const retryAfter =
    fault.retryAfter === null ? [] : [['retry-after', retryAfterValue(fault.retryAfter, now)] as const];
  return [
    { do: 'head', status: fault.status, headers: [['content-type', type], ...wire.headers, ...retryAfter] },
    { do: 'write', what: body, apart: false },
    { do: 'end' },
  ];
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Seconds, or an HTTP date that lies `+1s` ahead. A date that is no such distance is sent as written. */
function retryAfterValue(value: number | { readonly date: string }, now: () => number): string {
  if (typeof value === 'number') return String(value);
  const distance = /^([+-]?\d+(?:\.\d+)?)\s*(ms|s|m|h)$/.exec(value.date.trim());
  const unit = UNITS[distance?.[2] ?? ''];
  if (distance === null || unit === undefined) return value.date;
  return new Date(now() + Number(distance[1]) * unit).toUTCString();
}
