/** Every encoder is read back by the vendor's own client, against the loopback server. */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI, type GenerateContentResponse } from '@google/genai';
import OpenAI from 'openai';
import { ContentFilterFinishReasonError, LengthFinishReasonError } from 'openai/core/error';
import { afterEach, describe, expect, it } from 'vitest';
import type { Reply } from '../../scenario/scenario.ts';
import { serveLoopback } from '../loopback.ts';
import { sampleScript } from '../sample-script.ts';
import type { ScriptedModel } from '../scripted-model.ts';
import { createScriptedModel } from '../scripted-run.ts';
import type { WireName } from './wire.ts';

/** What any client makes of a reply. */
interface Read {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[];
  readonly finish: string;
  readonly usage: { readonly input: number; readonly output: number; readonly cached: number };
}

interface Client {
  readonly wire: WireName;
  readonly ask: (url: string, stream: boolean) => Promise<Read>;
  readonly finish: Readonly<Record<Reply['finish'], string>>;
  readonly readsReasoning: boolean;
  /** What it makes of the arguments `MALFORMED`, in a stream and in a whole body. */
  readonly malformed: { readonly stream: unknown; readonly whole: unknown };
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(
  wire: WireName,
  replies: readonly Partial<Reply>[],
): Promise<{ url: string; model: ScriptedModel }> {
  const model = createScriptedModel(sampleScript(replies), { wire, apiKey: 'handed-out' });
  const server = await serveLoopback(model, { apartMs: 0 });
  closing.push(() => server.close());
  return { url: server.url, model };
}

const MALFORMED = '{"command": "ls';
const asWritten = { stream: MALFORMED, whole: MALFORMED };
/** Arguments as a value; as they stand where they are no JSON. */
function valueOf(written: string): unknown {
  return written === MALFORMED ? written : (JSON.parse(written) as unknown);
}

const PROMPT = 'What is in the file?';
const text = 'Grüße aus dem Verzeichnis: 😀 vier Zeilen,\nund "noch" eine.';
const USAGE = { input: 120, output: 30, cached: 64 };
const bash = {
  name: 'bash',
  arguments: { command: 'echo "ä\\n" && ls -la | head -3', quiet: true },
  id: null,
};
const list = { name: 'list', arguments: {}, id: 'call_of_mine' };

const REPLIES: Readonly<Record<string, Partial<Reply>>> = {
  text: { text },
  'reasoning and text': { text, reasoning: 'Erst denken wir nach, dann antworten wir.' },
  'one call': { tools: [bash] },
  'text, reasoning and two calls': { text, reasoning: 'Hm, ein Werkzeug hilft.', tools: [bash, list] },
  'empty completion': {},
  'length limit': { text, finish: 'length' },
  'content filter': { text: 'I would', finish: 'content_filter' },
  'pieces by hand': { text, pieces: [text.slice(0, 1), text.slice(1, 30), text.slice(30)] },
  'cut anywhere': { text, tools: [bash], pieces: 150 },
  'byte for byte': { text: 'né😀', pieces: 100_000 },
  'carriage returns': { text, tools: [bash], bytes: { crlf: true, merge: false, keepAlive: false } },
  'one write': { text, tools: [bash], bytes: { crlf: false, merge: true, keepAlive: false } },
  'keep-alives': { text, tools: [bash], bytes: { crlf: false, merge: false, keepAlive: true } },
};

function chatClient(wire: 'chat-completions' | 'openai-chat-completions'): Client {
  const ask: Client['ask'] = async (url, stream) => {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'handed-out', maxRetries: 0 });
    const messages = [{ role: 'user', content: PROMPT } as const];
    if (!stream) return readCompletion(await client.chat.completions.create({ model: 'm', messages }));
    const runner = client.chat.completions.stream({
      model: 'm',
      messages,
      stream_options: { include_usage: true },
    });
    let reasoning = '';
    runner.on('chunk', (chunk) => {
      const delta = chunk.choices[0]?.delta as { reasoning_content?: string | null } | undefined;
      reasoning += delta?.reasoning_content ?? '';
    });
    const completion = await runner.finalChatCompletion().catch((error: unknown) => {
      // The client's stream helper throws for these two endings, after it has read all of the reply.
      const whole =
        error instanceof LengthFinishReasonError || error instanceof ContentFilterFinishReasonError;
      if (whole && runner.currentChatCompletionSnapshot !== undefined)
        return runner.currentChatCompletionSnapshot;
      throw error;
    });
    const read = readCompletion(completion);
    return { ...read, reasoning };
  };
  const finish = {
    stop: 'stop',
    tool_calls: 'tool_calls',
    length: 'length',
    content_filter: 'content_filter',
  };
  return { wire, ask, finish, readsReasoning: wire === 'chat-completions', malformed: asWritten };
}

function readCompletion(
  completion: Pick<OpenAI.ChatCompletion, 'choices' | 'usage'> | { choices: unknown; usage?: unknown },
): Read {
  const { choices, usage } = completion as OpenAI.ChatCompletion;
  const message = choices[0]?.message as OpenAI.ChatCompletionMessage & { reasoning_content?: string };
  return {
    text: message.content ?? '',
    reasoning: message.reasoning_content ?? '',
    calls: (message.tool_calls ?? []).flatMap((call) =>
      call.type === 'function'
        ? [{ name: call.function.name, arguments: valueOf(call.function.arguments) }]
        : [],
    ),
    finish: choices[0]?.finish_reason ?? '',
    usage: {
      input: usage?.prompt_tokens ?? -1,
      output: usage?.completion_tokens ?? -1,
      cached: usage?.prompt_tokens_details?.cached_tokens ?? -1,
    },
  };
}

const responsesClient: Client = {
  wire: 'responses',
  readsReasoning: true,
  malformed: asWritten,
  finish: {
    stop: 'completed',
    tool_calls: 'completed',
    length: 'max_output_tokens',
    content_filter: 'content_filter',
  },
  ask: async (url, stream) => {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'handed-out', maxRetries: 0 });
    const response = stream
      ? await client.responses.stream({ model: 'm', input: PROMPT }).finalResponse()
      : await client.responses.create({ model: 'm', input: PROMPT });
    return {
      text: response.output_text,
      reasoning: response.output
        .flatMap((item) => (item.type === 'reasoning' ? item.summary.map((part) => part.text) : []))
        .join(''),
      calls: response.output.flatMap((item) =>
        item.type === 'function_call' ? [{ name: item.name, arguments: valueOf(item.arguments) }] : [],
      ),
      finish: response.incomplete_details?.reason ?? response.status ?? '',
      usage: {
        input: response.usage?.input_tokens ?? -1,
        output: response.usage?.output_tokens ?? -1,
        cached: response.usage?.input_tokens_details.cached_tokens ?? -1,
      },
    };
  },
};

const anthropicClient: Client = {
  wire: 'anthropic-messages',
  readsReasoning: true,
  malformed: { stream: {}, whole: MALFORMED },
  finish: { stop: 'end_turn', tool_calls: 'tool_use', length: 'max_tokens', content_filter: 'refusal' },
  ask: async (url, stream) => {
    const client = new Anthropic({ baseURL: url, apiKey: 'handed-out', maxRetries: 0 });
    const body = { model: 'm', max_tokens: 100, messages: [{ role: 'user' as const, content: PROMPT }] };
    const message = stream
      ? await client.messages.stream(body).finalMessage()
      : await client.messages.create(body);
    return {
      text: message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      reasoning: message.content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
      calls: message.content.flatMap((block) =>
        block.type === 'tool_use' ? [{ name: block.name, arguments: block.input }] : [],
      ),
      finish: message.stop_reason ?? '',
      usage: {
        input: message.usage.input_tokens + (message.usage.cache_read_input_tokens ?? 0),
        output: message.usage.output_tokens,
        cached: message.usage.cache_read_input_tokens ?? -1,
      },
    };
  },
};

const geminiClient: Client = {
  wire: 'gemini',
  readsReasoning: true,
  malformed: { stream: { malformed: MALFORMED }, whole: { malformed: MALFORMED } },
  finish: { stop: 'STOP', tool_calls: 'STOP', length: 'MAX_TOKENS', content_filter: 'SAFETY' },
  ask: async (url, stream) => {
    const client = new GoogleGenAI({ apiKey: 'handed-out', httpOptions: { baseUrl: url } });
    const body = { model: 'm', contents: PROMPT };
    const chunks: GenerateContentResponse[] = [];
    if (stream) for await (const chunk of await client.models.generateContentStream(body)) chunks.push(chunk);
    else chunks.push(await client.models.generateContent(body));
    const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
    const last = chunks.at(-1);
    return {
      text: parts.map((part) => (part.thought === true ? '' : (part.text ?? ''))).join(''),
      reasoning: parts.map((part) => (part.thought === true ? (part.text ?? '') : '')).join(''),
      calls: parts.flatMap(({ functionCall }) =>
        functionCall === undefined ? [] : [{ name: functionCall.name ?? '', arguments: functionCall.args }],
      ),
      finish: last?.candidates?.[0]?.finishReason ?? '',
      usage: {
        input: last?.usageMetadata?.promptTokenCount ?? -1,
        output: last?.usageMetadata?.candidatesTokenCount ?? -1,
        cached: last?.usageMetadata?.cachedContentTokenCount ?? -1,
      },
    };
  },
};

const CLIENTS = [
  chatClient('chat-completions'),
  chatClient('openai-chat-completions'),
  responsesClient,
  anthropicClient,
  geminiClient,
];

describe.each(CLIENTS)('the official client of $wire', (client) => {
  for (const stream of [true, false]) {
    it.each(Object.entries(REPLIES))(
      `reads ${stream ? 'a stream' : 'a whole body'}: %s`,
      async (_name, reply) => {
        const { url, model } = await serve(client.wire, [{ ...reply, usage: USAGE }]);
        const read = await client.ask(url, stream);
        const finish = reply.finish ?? (reply.tools === undefined ? 'stop' : 'tool_calls');
        expect(read).toEqual({
          text: reply.text ?? '',
          reasoning: client.readsReasoning ? (reply.reasoning ?? '') : '',
          calls: (reply.tools ?? []).map((call) => ({ name: call.name, arguments: call.arguments })),
          finish: client.finish[finish],
          usage: USAGE,
        });
        expect(model.finish()).toEqual([]);
      },
    );
  }

  it.each(['stream', 'whole'] as const)('reads arguments that are no JSON: %s', async (how) => {
    const reply = { tools: [{ name: 'bash', arguments: MALFORMED, id: null }] };
    const { url, model } = await serve(client.wire, [reply]);
    const { calls } = await client.ask(url, how === 'stream');
    expect(calls).toEqual([{ name: 'bash', arguments: client.malformed[how] }]);
    expect(model.finish()).toEqual([]);
  });

  it.each([400, 401, 402, 413, 422, 429, 500, 503, 529])(
    'takes status %d for an error with that status',
    async (status) => {
      const { url } = await serve(client.wire, [
        { fail: { kind: 'status', status, retryAfter: null, body: null } },
      ]);
      await expect(client.ask(url, true)).rejects.toMatchObject({ status });
    },
  );

  it.each(['disconnect', 'reset', 'error-event'] as const)(
    'fails on a stream with a fault: %s',
    async (kind) => {
      const { url } = await serve(client.wire, [{ text, fail: { kind, at: { piece: 2 } } }]);
      const read = await client.ask(url, true).catch((error: unknown) => error);
      const whole = !(read instanceof Error) && Object.values(client.finish).includes((read as Read).finish);
      expect(whole).toBe(false);
    },
  );

  it('takes the answer to a request that nobody expected for a bad request', async () => {
    const { url, model } = await serve(client.wire, []);
    await expect(client.ask(url, true)).rejects.toMatchObject({ status: 400 });
    expect(model.finish()).toMatchObject([{ kind: 'UNEXPECTED_REQUEST' }]);
  });
});
