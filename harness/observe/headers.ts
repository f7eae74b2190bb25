/** The request header's three parts of every step request, each distinct value once a conversation. */
import type { Exchange } from '../model/exchange.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { canonicalJson } from './canonical.ts';
import { exchangesOf } from './conversations.ts';
import { HEADER_PARTS, type HeaderPart, type HeaderValue } from './observations.ts';
import { Normaliser, type VolatileTable } from './placeholders.ts';
import { requestHeader } from './request-header.ts';
import { systemPromptText } from './system-prompt.ts';
import { toolSchemasText } from './tool-schemas.ts';

export interface HeadersSeen {
  readonly values: readonly HeaderValue[];
  /** Where a foreign credential was seen, such as `main.2 headers.authorization`. */
  readonly credentials: readonly string[];
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
  for (const [child, { name }] of scenario.model.conversations.entries()) {
    const raw = new Set<string>();
    const seen = new Set<string>();
    for (const [index, exchange] of exchangesOf(exchanges, 'conversation', name).entries()) {
      credentials.push(...credentialsIn(exchange, `${name}.${index + 1}`, facts));
      for (const part of HEADER_PARTS) {
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
  return { values, credentials };
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
