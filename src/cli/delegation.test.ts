import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../sdk/client.ts';
import type { SubagentNews } from '../sdk/client.ts';
import { AGENT, requireBuild } from '../sdk/fixtures/agent-process.ts';
import type { Workspace } from '../sdk/fixtures/agent-process.ts';
import type { Answer, ChatRequest } from '../sdk/fixtures/chat-server.ts';
import { Places, gate } from '../sdk/fixtures/places.ts';

beforeAll(requireBuild);

const places = new Places();
afterEach(() => places.close());

const SUBAGENT = { name: 'subagent', arguments: { description: 'survey', prompt: 'Survey the coast.' } };

/** The texts of the users, which tell a child's request from its parent's. */
function users({ messages }: ChatRequest): readonly string[] {
  return messages.flatMap(({ role, content }) => (role === 'user' ? [content ?? ''] : []));
}

/** The main agent delegates, rests and answers the settlement; the child answers once it may. */
function delegating(child: Promise<void>): (request: ChatRequest) => Answer {
  return (request) => {
    const said = users(request);
    if (said[0] === 'Survey the coast.') return { text: 'The port is closed.', hold: child };
    if (said.some((text) => text.includes('has finished'))) return { text: 'So we stay at sea.' };
    return request.messages.some(({ role }) => role === 'tool')
      ? { text: 'The survey has begun.' }
      : { calls: [SUBAGENT] };
  };
}

function clientOf({ dir, env }: Workspace): Promise<Client> {
  return Client.start({ command: [process.execPath, AGENT, 'serve'], cwd: dir, env });
}

describe('exec with children (CLI-1)', () => {
  it('lasts while a continuable child lives, and prints what the agent makes of its end', async () => {
    const child = gate();
    const { server, workspace } = await places.open(delegating(child.opened));
    await workspace.write('agent.yaml', 'subagents: true\n');
    const process = workspace.start(['exec', 'May we land?']);
    await server.received(3);
    child.open();
    expect(await process.ended).toMatchObject({ code: 0, stdout: 'So we stay at sea.\n', stderr: '' });
    expect(server.requests).toHaveLength(4);
    expect(await workspace.sessions()).toHaveLength(2);
  });

  it('prints lines of the main session alone with --json', async () => {
    const { workspace } = await places.open(delegating(Promise.resolve()));
    await workspace.write('agent.yaml', 'subagents: true\n');
    const { stdout } = await workspace.start(['exec', '--json', 'May we land?']).ended;
    const types = stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { event?: { type: string; seq: number } }).event)
      .filter((event) => event !== undefined);
    expect(types.map(({ seq }) => seq)).toEqual(types.map((_, index) => index));
    expect(types.some(({ type }) => type === 'subagent/descriptor')).toBe(false);
  });

  it('a child that fails is told on standard error, and the command goes by the last turn of its own', async () => {
    const { workspace } = await places.open((request) =>
      users(request)[0] === 'Survey the coast.'
        ? { status: 400, message: 'no coast' }
        : delegating(Promise.resolve())(request),
    );
    await workspace.write('agent.yaml', 'subagents: true\n');
    const ended = await workspace.start(['exec', 'May we land?']).ended;
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain('agent survey: The model endpoint answered 400: no coast');
  });
});

describe('exec with a goal (CLI-1)', () => {
  it('ends at the first idle and says that the goal stays active', async () => {
    const create = { name: 'create_goal', arguments: { objective: 'Three poems' } };
    const { server, workspace } = await places.open([{ calls: [create] }, { text: 'I begin.' }]);
    await workspace.write('agent.yaml', 'goal: true\n');
    const ended = await workspace.start(['exec', 'Write three poems.']).ended;
    const [session] = await workspace.sessions();
    expect(ended).toMatchObject({ code: 0, stdout: 'I begin.\n' });
    expect(ended.stderr).toBe(
      `turnpin-agent: the goal stays active. Continue with --session ${session ?? ''}\n`,
    );
    expect(server.requests).toHaveLength(2);
  });
});

describe('serve with children', () => {
  it('tells that a child starts before its first event, and that it has finished after its last', async () => {
    const { workspace } = await places.open(delegating(Promise.resolve()));
    await workspace.write('agent.yaml', 'subagents: true\n');
    const client = await places.serve(workspace);
    client.prompt(1, 'main', 'May we land?');
    await client.until((frames) => frames.some(({ method }) => method === 'subagent.finished'));
    const started = client.frames.find(({ method }) => method === 'subagent.started');
    const child = started?.params?.sessionId ?? '';
    expect(started?.params).toMatchObject({
      parentSessionId: 'main',
      mode: 'continuable',
      label: 'survey',
      resumed: false,
    });
    const own = client.frames.filter(({ params }) => params?.sessionId === child).map(({ method }) => method);
    expect([own[0], own.at(-1)]).toEqual(['subagent.started', 'subagent.finished']);
    expect(client.events(child)[0]).toMatchObject({ type: 'subagent/descriptor', seq: 0 });
    expect(client.events(child).map(({ seq }) => seq)).toEqual(client.events(child).map((_, index) => index));
  });

  it('subagents() tells of a child in one order, all that it records included; other sessions are not in it', async () => {
    const { workspace } = await places.open(delegating(Promise.resolve()));
    await workspace.write('agent.yaml', 'subagents: true\n');
    const client = await clientOf(workspace);
    try {
      const [news, others] = [client.subagents('main'), client.subagents('other')];
      await client.prompt('main', 'May we land?');
      const told: SubagentNews[] = [];
      for await (const one of news) {
        told.push(one);
        if (one.kind === 'finished') break;
      }
      const [first] = told;
      expect(first).toMatchObject({
        kind: 'started',
        resumed: false,
        child: { parentSessionId: 'main', mode: 'continuable', label: 'survey' },
      });
      expect(told.map(({ child }) => child)).toEqual(told.map(() => first?.child));
      expect(told.at(-1)).toMatchObject({ kind: 'finished', outcome: 'completed' });
      const id = first?.child.sessionId ?? '';
      expect(told.flatMap((one) => (one.kind === 'event' ? [one.event] : []))).toEqual(
        await workspace.events(id),
      );
      await client.close();
      expect(await others.next()).toEqual({ done: true, value: undefined });
    } finally {
      await client.close();
    }
  });

  it('RUN-6: events of a child never enter a run of its root, nor its final response', async () => {
    const child = gate();
    const { workspace } = await places.open(delegating(child.opened));
    await workspace.write('agent.yaml', 'subagents: true\n');
    const client = await clientOf(workspace);
    try {
      const first = await client.run('main', 'May we land?');
      expect(first.finalResponse).toBe('The survey has begun.');
      const events = client.events('main');
      child.open();
      for await (const event of events) if (event.type === 'turn/end') break;
      const text = JSON.stringify(first.events);
      expect(text).not.toContain('subagent/descriptor');
      expect(first.events.map(({ seq }) => seq)).toEqual(first.events.map(({ seq: _ }, index) => index));
    } finally {
      await client.close();
    }
  });
});
