import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createUserMessage } from '../agent/message.ts';
import type { ChildNews } from '../subagent/family.ts';
import { assemble } from './assemble.ts';
import type { Assembled, AssembleOptions } from './assemble.ts';

const assembled: Assembled[] = [];
afterEach(async () => {
  for (const each of assembled.splice(0)) await each.dispose().catch(() => {});
});

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
}

const answer = (delta: object, finish: string): Response =>
  new Response(
    `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\ndata: [DONE]\n\n`,
    { headers: { 'content-type': 'text/event-stream' } },
  );
const says = (content: string): Response => answer({ role: 'assistant', content }, 'stop');
const delegates = (): Response => {
  const call = { name: 'subagent', arguments: JSON.stringify({ description: 'part', prompt: 'the part' }) };
  return answer({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: call }] }, 'tool_calls');
};

/** The main agent delegates one part and waits; the child answers at once. */
async function delegating(config: object, options: Partial<AssembleOptions> = {}) {
  const bodies: Body[] = [];
  const made = await assemble(
    { model: { apiKey: 'k', baseUrl: 'http://127.0.0.1:9/v1' }, ...config },
    {
      cwd: tmpdir(),
      env: {},
      session: { mode: 'memory' },
      fetch: async (_, init) => {
        const body = JSON.parse(String(init.body)) as Body;
        bodies.push(body);
        const first = body.messages.find(({ role }) => role === 'user')?.content;
        if (first === 'the part') return says('The part is done.');
        return body.messages.some(({ role }) => role === 'tool') ? says('Noted.') : delegates();
      },
      ...options,
    },
  );
  assembled.push(made);
  return { ...made, bodies };
}

const names = ({ tools }: Body): readonly string[] => tools.map((tool) => tool.function.name);

describe('subagents in an assembled agent', () => {
  it('are off unless the configuration has the key: no tool, no section', async () => {
    const { agent, bodies } = await delegating({});
    agent.followup(createUserMessage('go'));
    await agent.whenIdle();
    expect(names(bodies[0] as Body)).toEqual(['bash', 'edit', 'read', 'write']);
    expect(bodies[0]?.messages[0]?.content).not.toContain('subagent');
  });

  it('on, the interval of an owner lasts until no child lives, and each news of the child comes in order', async () => {
    const news: ChildNews[] = [];
    const { agent, whenQuiescent, bodies } = await delegating(
      { subagents: true },
      { onChild: (each) => void news.push(each) },
    );
    agent.followup(createUserMessage('go'));
    await whenQuiescent();
    expect(names(bodies[0] as Body)).toEqual(
      expect.arrayContaining(['subagent', 'send_message', 'list_agents']),
    );
    expect(names(bodies[0] as Body)).not.toContain('report');
    expect(news.at(0)?.kind).toBe('started');
    expect(news.at(-1)).toMatchObject({ kind: 'finished', outcome: { kind: 'completed' } });
    const turns = agent.events().filter((event) => event.type === 'turn/end');
    expect(turns.length).toBeGreaterThan(0);
    expect(JSON.stringify(agent.events())).toContain('The part is done.');
  });

  it('a watcher that throws is reported and changes nothing', async () => {
    const { agent, whenQuiescent } = await delegating(
      { subagents: true },
      {
        onChild: () => {
          throw new Error('broken watcher');
        },
      },
    );
    const errors: string[] = [];
    agent.subscribe((published) => {
      if (published.kind === 'live' && published.live.type === 'agent/error')
        errors.push(published.live.error.message);
    });
    agent.followup(createUserMessage('go'));
    await whenQuiescent();
    expect(errors[0]).toContain('broken watcher');
    expect(JSON.stringify(agent.events())).toContain('The part is done.');
  });

  it('the sessions of children lie beside that of their parent, and no lock is left', async () => {
    const dir = path.join(await mkdtemp(path.join(tmpdir(), 'turnpin-delegation-')), 'sessions');
    const { agent, whenQuiescent, dispose } = await delegating(
      { subagents: { reportDelivery: 'quiet' }, sessions: { dir } },
      { session: { mode: 'new', id: 'root' } },
    );
    agent.followup(createUserMessage('go'));
    await whenQuiescent();
    await dispose();
    const files = await readdir(dir);
    expect(files.filter((name) => name.endsWith('.jsonl'))).toHaveLength(2);
    expect(files.filter((name) => name.includes('.lock'))).toEqual([]);
  });

  it('an agent that works alone is quiescent when it is idle', async () => {
    const { agent, whenQuiescent, goal } = await delegating({});
    agent.followup(createUserMessage('go'));
    await whenQuiescent();
    expect(agent.status).toBe('idle');
    expect(goal).toBeNull();
  });
});
