/** The shape of one streamed chunk, as tolerant as the field demands: null and absent mean the same. */
import { z } from 'zod';
import type { Usage } from '../session/events.ts';

const toolCallDelta = z.object({
  index: z.number().int().nonnegative().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});

const delta = z.object({
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  /** What several servers call DeepSeek's `reasoning_content`. */
  reasoning: z.string().nullish(),
  tool_calls: z.array(toolCallDelta).nullish(),
});

const choice = z.object({
  index: z.number().nullish(),
  delta: delta.nullish(),
  finish_reason: z.string().nullish(),
});

const count = z.number().nonnegative();

const usage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  prompt_cache_hit_tokens: count.nullish(),
  prompt_tokens_details: z.object({ cached_tokens: count.nullish() }).nullish(),
  completion_tokens_details: z.object({ reasoning_tokens: count.nullish() }).nullish(),
});

const wireChunk = z.object({
  choices: z.array(choice).nullish(),
  /** Counts that make no sense are as good as none: they must not cost the answer. */
  usage: usage.nullish().catch(null),
  error: z.unknown().optional(),
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
