/**
 * The journal of a run as `--keep` writes it: for each exchange the raw bytes, header names in
 * order, the split between what the application set and what its transport added, and what was really sent. Secrets go out
 * here, on the way to the disk, and never before.
 */
import type { Attribution, Exchange, Outcome } from './exchange.ts';
import { CREDENTIAL_HEADERS, credentialOf, headerValues, splitHeaders } from './headers.ts';

type Pairs = readonly (readonly [name: string, value: string])[];

/** Bytes as text where they are UTF-8, in base64 where they are not. */
export type Raw = { readonly text: string } | { readonly base64: string };

export interface JournalEntry {
  readonly number: number;
  readonly attribution: Attribution;
  readonly outcome: Outcome;
  readonly agentsOwn: readonly number[];
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: { readonly application: Pairs; readonly transport: Pairs };
    readonly body: Raw;
  };
  /** What was really sent, and the length of each write in bytes. */
  readonly sent: { readonly body: Raw; readonly writes: readonly number[] };
}

/** One entry. `secrets` (a value, and what stands for it) are removed, and so is every credential of the request. */
export function journalEntry(exchange: Exchange, secrets: ReadonlyMap<string, string>): JournalEntry {
  const { request } = exchange;
  const hidden = new Map(
    [...foreignCredentials(request.headers), ...secrets].filter(([value]) => value !== ''),
  );
  const hide = (text: string): string =>
    [...hidden].reduce((rest, [value, name]) => rest.replaceAll(value, name), text);
  const pairs = (headers: Pairs): Pairs => headers.map(([name, value]) => [name, hide(value)]);
  const { application, transport } = splitHeaders(request.headers);
  return {
    number: exchange.number,
    attribution: exchange.attribution,
    outcome: exchange.outcome,
    agentsOwn: exchange.agentsOwn,
    request: {
      method: request.method,
      path: hide(request.path),
      headers: { application: pairs(application), transport: pairs(transport) },
      body: raw(request.body, hide),
    },
    sent: { body: raw(exchange.sent.bytes(), hide), writes: exchange.sent.lengths() },
  };
}

function foreignCredentials(headers: Pairs): [string, string][] {
  return CREDENTIAL_HEADERS.flatMap((name) => headerValues(headers, name)).map((value) => [
    credentialOf(value),
    '{{credential}}',
  ]);
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Secrets are ASCII, so they are found byte by byte in what is no text. */
function raw(bytes: Uint8Array, hide: (text: string) => string): Raw {
  try {
    return { text: hide(strict.decode(bytes)) };
  } catch {
    const loose = Buffer.from(bytes).toString('latin1');
    const shown = hide(loose);
    return { base64: Buffer.from(shown, 'latin1').toString('base64') };
  }
}
