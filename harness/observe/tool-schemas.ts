/** The tool schemas file of pins.md. */
import type { NeutralRequest } from '../model/exchange.ts';
import type { Normaliser } from './placeholders.ts';
import { canonicalJson } from './canonical.ts';

/** A JSON array of the schemas as sent: order of tools and of keys included. */
export function toolSchemasText(tools: NeutralRequest['tools'], normaliser: Normaliser): string {
  return canonicalJson(tools.map(({ schema }) => normaliser.value(schema)));
}
