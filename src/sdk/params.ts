/** Checks of what a client sends as parameters. Unknown keys are left aside, as JSON-RPC peers of another version expect. */
import path from 'node:path';
import * as z from 'zod/mini';

const sessionId = z.string().check(z.minLength(1));
const textBlock = z.object({ type: z.literal('text'), text: z.string() });

const content = z.object({
  sessionId,
  contentBlocks: z.array(textBlock).check(z.minLength(1)),
});

/** What each method takes. */
export const PARAMS = {
  initialize: z.object({
    cwd: z.string().check(z.refine((value) => path.isAbsolute(value))),
    provider: z.optional(z.enum(['deepseek', 'openai'])),
    model: z.optional(z.string().check(z.minLength(1))),
    maxTokens: z.optional(z.int().check(z.gte(1))),
  }),
  'session/prompt': content,
  'session/steer': content,
  'session/inject': content,
  'session/cancel': z.object({ sessionId }),
  'session/close': z.object({ sessionId }),
  shutdown: z.object({}),
} as const;

/** What is expected, in the words of an error message. */
const EXPECTED: Readonly<Record<string, string>> = {
  cwd: 'the absolute path of a directory',
  provider: '"deepseek" or "openai"',
  model: 'the name of a model',
  maxTokens: 'a whole number of 1 or more',
  sessionId: 'text',
  contentBlocks: 'one or more blocks {"type": "text", "text": …}',
};

/** The checked parameters, or what is wrong with them. */
export function checkParams<M extends keyof typeof PARAMS>(
  method: M,
  params: unknown,
):
  | { readonly ok: true; readonly params: z.output<(typeof PARAMS)[M]> }
  | { readonly ok: false; readonly message: string } {
  const schema: z.ZodMiniType<z.output<(typeof PARAMS)[M]>> = PARAMS[method] as never;
  const result = schema.safeParse(params ?? {});
  if (result.success) return { ok: true, params: result.data };
  const [issue] = result.error.issues;
  const [name] = issue?.path ?? [];
  if (name === undefined) return { ok: false, message: `Invalid params: ${method} takes an object.` };
  return {
    ok: false,
    message: `Invalid params: "${issue?.path.join('.') ?? ''}" must be ${EXPECTED[String(name)] ?? 'valid'}.`,
  };
}
