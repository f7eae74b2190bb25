/** The request header file of pins.md: `{method, path, headers, parameters}`, the same for both carriers. */
import type { Exchange, NeutralRequest, WireRequest } from '../model/exchange.ts';
import type { JsonValue } from '../scenario/scenario.ts';
import { isList, isObject } from '../subject/event-view.ts';
import { sortedKeys } from './canonical.ts';
import type { Normaliser } from './placeholders.ts';

/** Headers of the transport, dropped by name. */
const TRANSPORT = new Set(
  'host connection keep-alive content-length transfer-encoding accept-encoding te trailer upgrade expect'.split(
    ' ',
  ),
);
/** Headers that `fetch` itself sets, dropped with exactly this value. */
const FETCH: ReadonlyMap<string, string> = new Map([
  ['accept', '*/*'],
  ['accept-language', '*'],
  ['sec-fetch-mode', 'cors'],
  ['user-agent', 'node'],
]);

const SECRET_NAME =
  /^(?:proxy-authorization|authorization|cookie|.*(?:api-?key|goog-api-key|access-?token|auth-?token|secret|password).*)$/i;
const SECRET_VALUE =
  /\b(?:sk-[\w-]{12,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|AKIA[A-Z0-9]{16}|AIza[\w-]{30,}|xox[abpr]-[\w-]{10,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*)/;
const SCHEME = /^(?:Bearer|Basic|Token|Digest|Negotiate)\s+/i;
/** What stands in the file where a credential was seen. */
const REDACTED = '{{credential}}';

export interface HeaderSight {
  readonly value: JsonValue;
  /** Where something looks like a credential, such as `headers.x-api-key`. */
  readonly credentials: readonly string[];
}

export interface HeaderWays {
  readonly normaliser: Normaliser;
  /** Lower-case names of headers whose presence alone is pinned. */
  readonly varying: ReadonlySet<string>;
}

/** Builds the header of a request as it stands in the file, keys sorted. */
export function requestHeader(exchange: Exchange, ways: HeaderWays): HeaderSight {
  const { request, neutral } = exchange;
  const seen = new Credentials();
  const headers = Object.entries(pinnedHeaders(request)).map(([name, raw]): [string, JsonValue] => {
    if (ways.varying.has(name)) return [name, '{{varying}}'];
    const value = ways.normaliser.text(raw);
    return [name, seen.checked(value, `headers.${name}`, SECRET_NAME.test(name))];
  });
  const path = seen.query(ways.normaliser.text(request.path));
  const parameters = seen.parameters(ways.normaliser.value(parametersOf(neutral)), 'parameters');
  const value = sortedKeys({
    method: request.method,
    path,
    headers: Object.fromEntries(headers),
    parameters,
  });
  return { value, credentials: seen.places };
}

function parametersOf(neutral: NeutralRequest | null): JsonValue {
  return neutral?.parameters ?? null;
}

/** Lower case, equal names joined with `, `; what the transport and `fetch` add is left out. */
export function pinnedHeaders(request: WireRequest): Readonly<Record<string, string>> {
  const joined = new Map<string, string>();
  for (const [given, value] of request.headers) {
    const name = given.toLowerCase();
    if (TRANSPORT.has(name) || name.startsWith('proxy-')) continue;
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  for (const [name, value] of FETCH) if (joined.get(name) === value) joined.delete(name);
  return Object.fromEntries(joined);
}

/** Finds credentials other than the key handed out, which shows as `{{apiKey}}` by then, and keeps none of them. */
class Credentials {
  readonly places: string[] = [];

  checked(value: string, place: string, secretName: boolean): string {
    const rest = value.replaceAll('{{apiKey}}', '');
    const suspicious =
      SECRET_VALUE.test(rest) ||
      (secretName &&
        rest.replace(SCHEME, '').trim() !== '' &&
        !/^(?:Bearer|Basic|Token)$/i.test(rest.trim()));
    if (!suspicious) return value;
    this.places.push(place);
    return REDACTED;
  }

  query(path: string): string {
    const mark = path.indexOf('?');
    if (mark < 0) return path;
    const fields = path
      .slice(mark + 1)
      .split('&')
      .map((pair) => {
        const equals = pair.indexOf('=');
        if (equals < 0) return this.checked(pair, 'path', false);
        const name = pair.slice(0, equals);
        return `${name}=${this.checked(pair.slice(equals + 1), `path.${name}`, name === 'key' || SECRET_NAME.test(name))}`;
      });
    return `${path.slice(0, mark)}?${fields.join('&')}`;
  }

  parameters(value: JsonValue, place: string): JsonValue {
    if (typeof value === 'string') return this.checked(value, place, false);
    if (isList(value)) return value.map((item, index) => this.parameters(item, `${place}.${index}`));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.parameters(item, `${place}.${key}`)]),
    );
  }
}
