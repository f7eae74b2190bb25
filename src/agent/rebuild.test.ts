import { expect, it } from 'vitest';
import { createChatCompletions } from '../model/chat-completions.ts';
import { encodeBody } from '../model/request.ts';
import type { SessionEvent } from '../session/events.ts';
import { rebuildRequests } from './fixtures/rebuilt-requests.ts';
import { rehearse, say } from './fixtures/rehearsal.ts';

function stream(delta: object, finish: string): Response {
  const chunk = (choice: object): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;
  const body = `${chunk({ delta })}${chunk({ delta: {}, finish_reason: finish })}data: [DONE]\n\n`;
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

const call = (id: string, args: string): object => ({
  index: 0,
  id,
  type: 'function',
  function: { name: 'work', arguments: args },
});

it.each(['enabled', 'disabled'] as const)(
  'LOG-5: the bytes that the real client sent are rebuilt from the log alone (thinking %s)',
  async (thinking) => {
    const sent: string[] = [];
    const replies = [
      stream(
        { reasoning_content: 'hm', content: 'let me see', tool_calls: [call('c1', '{"x": 1')] },
        'tool_calls',
      ),
      new Response('{"error":{"message":"busy"}}', { status: 503 }),
      stream({ content: 'Grüße 👋' }, 'stop'),
      stream({ content: '' }, 'stop'),
      stream({ content: 'fine' }, 'stop'),
    ];
    const model = createChatCompletions({
      baseUrl: 'http://127.0.0.1:1/v1',
      apiKey: 'sk-secret',
      model: 'm',
      thinking,
      version: '0',
      fetch: (_, init) => {
        sent.push(String(init.body));
        return Promise.resolve(replies.shift() ?? new Response('', { status: 400 }));
      },
    });
    const { agent, tools } = rehearse({ model });
    tools.bodies['work'] = () => 'out';
    for (const text of ['a', 'b', 'c']) {
      agent.followup(say(text));
      await agent.whenIdle();
    }
    const log = agent.events().map((event) => JSON.stringify(event));
    expect(log.join('\n')).not.toContain('sk-secret');
    const rebuilt = rebuildRequests(log.map((line) => JSON.parse(line) as SessionEvent)).map(
      ({ header, history }) =>
        encodeBody(
          header,
          { systemPrompt: header.systemPrompt, tools: header.tools, history },
          { path: header.path, model: 'm', thinking, version: '0' },
        ),
    );
    // The retry repeats its step's request.
    expect(sent[2]).toBe(sent[1]);
    expect(rebuilt).toEqual([sent[0], sent[1], sent[3], sent[4]]);
  },
);
