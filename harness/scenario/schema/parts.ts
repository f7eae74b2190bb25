/** Small shapes that several parts of a scenario share. Every description is shown by editors (scenarios.md). */
import { z } from 'zod';
import type { JsonValue } from '../../document/position.ts';

export const CONVERSATION_NAME = /^[a-z][a-z0-9-]*$/u;

export const text = z.string();

/** Anything that YAML can say. */
export const json = z.json().meta({ id: 'anything' }) as z.ZodType<JsonValue>;

export const jsonMap = z.record(z.string(), json);

export const textMatch = z.union([text, z.strictObject({ is: text.describe('The whole text, exactly.') })], {
  error: 'a text (that must be contained), or {is: text} for the whole of it',
});

export const conversationName = z
  .string()
  .regex(
    CONVERSATION_NAME,
    'a name is written in small letters, digits and hyphens, and begins with a letter',
  );

export const count = z.int().min(0);

export const holdName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]*$/u,
    'a name is written in letters, digits, hyphens, dots and underscores',
  );
