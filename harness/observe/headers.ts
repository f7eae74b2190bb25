/** The request header's three parts of every step request, each distinct value once a conversation. */
import { createHash } from 'node:crypto';
import type { Exchange } from '../model/exchange.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { canonicalJson } from './canonical.ts';
import { exchangesOf } from './conversations.ts';
import { HEADER_PARTS, type HeaderPart, type HeaderValue } from './observations.ts';
import { Normaliser, type VolatileTable } from './placeholders.ts';
import { pinnedHeaders, requestHeader } from './request-header.ts';
import { systemPromptText } from './system-prompt.ts';
import { toolSchemasText } from './tool-schemas.ts';

export interface HeadersSeen {
  readonly values: readonly HeaderValue[];
  /** Where a foreign credential was seen, such as `main.2 headers.authorization`. */
  readonly credentials: readonly string[];
  /** By name: a digest for each request that carries the header, since the value may be a secret. */
  readonly varying: ReadonlyMap<string, readonly string[]>;
}

interface HeaderFacts {
  readonly table: VolatileTable;
  readonly varying: ReadonlySet<string>;
}

/** Placeholders are numbered anew in each value, so that a value does not depend on what came before it. */
export function headersOf(
  exchanges: readonly Exchange[],
  scenario: Scenario,
  facts: HeaderFacts,
): HeadersSeen {
  const values: HeaderValue[] = [];
  const credentials: string[] = [];
  const varying = new Map<string, string[]>();
  for (const [child, { name }] of scenario.model.conversations.entries()) {
    const raw = new Set<string>();
    const seen = new Set<string>();
    for (const [index, exchange] of exchangesOf(exchanges, 'conversation', name).entries()) {
      const foreign = credentialsIn(exchange, `${name}.${index + 1}`, facts);
      credentials.push(...foreign);
      noteVarying(exchange, facts, varying);
      for (const part of HEADER_PARTS) {
        // A header with a foreign credential is a problem of its own, and no value to pin.
        if (part === 'request-header' && foreign.length > 0) continue;
        // Most requests repeat the last one's header byte for byte; that is told before anything is replaced.
        const source = `${part} ${JSON.stringify(rawPart(part, exchange))}`;
        if (raw.has(source)) continue;
        raw.add(source);
        const text = partText(part, exchange, facts);
        if (seen.has(`${part} ${text}`)) continue;
        seen.add(`${part} ${text}`);
        values.push({ part, text, conversation: name, child, request: index + 1 });
      }
    }
  }
  for (const { name } of scenario.model.asides) {
    for (const [index, exchange] of exchangesOf(exchanges, 'aside', name).entries())
      credentials.push(...credentialsIn(exchange, `aside.${name}.${index + 1}`, facts));
  }
  return { values, credentials, varying };
}

function noteVarying(
  { request }: Exchange,
  { table, varying }: HeaderFacts,
  noted: Map<string, string[]>,
): void {
  if (varying.size === 0) return;
  for (const [name, value] of Object.entries(pinnedHeaders(request))) {
    if (!varying.has(name)) continue;
    const digest = createHash('sha256').update(new Normaliser(table).text(value)).digest('hex');
    noted.set(name, [...(noted.get(name) ?? []), digest]);
  }
}

function rawPart(part: HeaderPart, { request, neutral }: Exchange): unknown {
  switch (part) {
    case 'request-header':
      return [request.method, request.path, request.headers, neutral?.parameters];
    case 'system-prompt':
      return neutral?.system;
    case 'tool-schemas':
      return neutral?.tools.map(({ schema }) => schema);
  }
}

function partText(part: HeaderPart, exchange: Exchange, { table, varying }: HeaderFacts): string {
  const normaliser = new Normaliser(table);
  switch (part) {
    case 'request-header':
      return canonicalJson(requestHeader(exchange, { normaliser, varying }).value);
    case 'system-prompt':
      return systemPromptText((exchange.neutral?.system ?? []).map((text) => normaliser.text(text)));
    case 'tool-schemas':
      return toolSchemasText(exchange.neutral?.tools ?? [], normaliser);
  }
}

function credentialsIn(
  exchange: Exchange,
  request: string,
  { table, varying }: HeaderFacts,
): readonly string[] {
  const { credentials } = requestHeader(exchange, { normaliser: new Normaliser(table), varying });
  return credentials.map((place) => `${request} ${place}`);
}
