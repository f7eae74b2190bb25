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

/** Placeholders are numbered anew in each value, so that a value does not depend on what came before it. */
export function headersOf(
  exchanges: readonly Exchange[],
  scenario: Scenario,
  facts: { readonly table: VolatileTable; readonly varying: ReadonlySet<string> },
): HeadersSeen {
  const values: HeaderValue[] = [];
  const credentials: string[] = [];
  for (const [child, { name }] of scenario.model.conversations.entries()) {
    const seen = new Set<string>();
    for (const [index, exchange] of exchangesOf(exchanges, 'conversation', name).entries()) {
      const normaliser = (): Normaliser => new Normaliser(facts.table);
      const header = requestHeader(exchange, { normaliser: normaliser(), varying: facts.varying });
      credentials.push(...header.credentials.map((place) => `${name}.${index + 1} ${place}`));
      const texts: Readonly<Record<HeaderPart, string>> = {
        'request-header': canonicalJson(header.value),
        'system-prompt': systemPromptText(
          (exchange.neutral?.system ?? []).map((text) => normaliser().text(text)),
        ),
        'tool-schemas': toolSchemasText(exchange.neutral?.tools ?? [], normaliser()),
      };
      for (const part of HEADER_PARTS) {
        const text = texts[part];
        if (seen.has(`${part} ${text}`)) continue;
        seen.add(`${part} ${text}`);
        values.push({ part, text, conversation: name, child, request: index + 1 });
      }
    }
  }
  return { values, credentials };
}
