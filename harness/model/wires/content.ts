/** Message content as vendors write it: a string, nothing, or a list of parts. */
import { z } from 'zod';
import type { JsonValue } from '../../scenario/scenario.ts';

export const jsonValue: z.ZodType<JsonValue> = z.custom<JsonValue>((value) => value !== undefined);

export const contentParts = z.array(z.looseObject({ type: z.string(), text: z.string().optional() }));
export const content = z.union([z.string(), z.null(), contentParts]);

/** Content as text; parts by line, and `[type]` for a part that is no text. */
export function contentText(value: z.infer<typeof content> | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return value.map((part) => part.text ?? `[${part.type}]`).join('\n');
}

/** The members of a body that are none of `without`. */
export function parametersOf(
  body: object,
  without: readonly string[],
): { readonly [key: string]: JsonValue } {
  const parameters: { [key: string]: JsonValue } = {};
  for (const [key, value] of Object.entries(body)) if (!without.includes(key)) parameters[key] = value;
  return parameters;
}
