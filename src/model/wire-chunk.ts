/** The shape of one streamed chunk, as tolerant as the field demands: null and absent mean the same. */
import * as z from 'zod/mini';
import type { Usage } from '../session/events.ts';

const toolCallDelta = z.object({
  index: z.nullish(z.int().check(z.gte(0))),
  id: z.nullish(z.string()),
  function: z.nullish(z.object({ name: z.nullish(z.string()), arguments: z.nullish(z.string()) })),
});

const delta = z.object({
  content: z.nullish(z.string()),
  refusal: z.nullish(z.string()),
  reasoning_content: z.nullish(z.string()),
  /** What several servers call DeepSeek's `reasoning_content`. */
  reasoning: z.nullish(z.string()),
  tool_calls: z.nullish(z.array(toolCallDelta)),
});

const choice = z.object({
  index: z.nullish(z.number()),
  delta: z.nullish(delta),
  finish_reason: z.nullish(z.string()),
});

const count = z.number().check(z.gte(0));

const usage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  prompt_cache_hit_tokens: z.nullish(count),
  prompt_tokens_details: z.nullish(z.object({ cached_tokens: z.nullish(count) })),
  completion_tokens_details: z.nullish(z.object({ reasoning_tokens: z.nullish(count) })),
});

const wireChunk = z.object({
  choices: z.nullish(z.array(choice)),
  /** Counts that make no sense are as good as none: they must not cost the answer. */
  usage: z.catch(z.nullish(usage), null),
  error: z.optional(z.unknown()),
});

export type WireChunk = z.infer<typeof wireChunk>;
export type WireDelta = z.infer<typeof delta>;
export type WireToolCallDelta = z.infer<typeof toolCallDelta>;

/** Reads the data of one SSE event; undefined where it is no chunk at all. */
export function readWireChunk(data: string): WireChunk | undefined {
  try {
    const parsed = wireChunk.safeParse(JSON.parse(data));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Token counts in the core's words, as the wire gave them (REQ-7). */
export function readUsage(wire: NonNullable<WireChunk['usage']>): Usage {
  const cached = wire.prompt_cache_hit_tokens ?? wire.prompt_tokens_details?.cached_tokens;
  const reasoning = wire.completion_tokens_details?.reasoning_tokens;
  return {
    input: wire.prompt_tokens,
    output: wire.completion_tokens,
    ...(cached === null || cached === undefined ? {} : { cached }),
    ...(reasoning === null || reasoning === undefined ? {} : { reasoning }),
  };
}
