/** What is left of a background child and its command when its agent ends: no process, and no lock that anybody waits for. */
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { requireBuild, type Workspace } from '../sdk/fixtures/agent-process.ts';
import type { Answer, ChatRequest } from '../sdk/fixtures/chat-server.ts';
import { Places } from '../sdk/fixtures/places.ts';
import { eventually } from '../tools/fixtures/processes.ts';

beforeAll(requireBuild);

vi.setConfig({ testTimeout: 120_000 });

const places = new Places();
afterEach(() => places.close());

const TASK = 'Watch the harbour.';
/** It heeds no TERM, and has a process below it. */
const COMMAND = "trap '' TERM; sleep 3600 & touch underway; wait";

interface Told {
  /** The texts of the users; the first tells whose request it is. */
  readonly users: readonly string[];
  readonly tools: readonly string[];
}

function told({ messages }: ChatRequest): Told {
  const of = (wanted: string): readonly string[] =>
    messages.flatMap(({ role, content }) => (role === wanted ? [content ?? ''] : []));
  return { users: of('user'), tools: of('tool') };
}

/** The main agent delegates; its child runs the command. Asked again, the main agent gives its child more to do. */
function watching(inBackground: boolean): (request: ChatRequest) => Answer {
  return (request) => {
    const { users, tools } = told(request);
    if (users[0] === TASK)
      return users.includes('Go on.')
        ? { text: 'The harbour is quiet.' }
        : { calls: [{ name: 'bash', arguments: { command: COMMAND } }] };
    const child = /Started agent (\S+)/.exec(tools[0] ?? '')?.[1];
    if (users.includes('And now?') && !tools.some((text) => text.includes('Queued message')))
      return { calls: [{ name: 'send_message', arguments: { agent: child, message: 'Go on.' } }] };
    if (tools.length > 0) return { text: 'Somebody watches.' };
    const task = { description: 'watch', prompt: TASK, run_in_background: inBackground };
    return { calls: [{ name: 'subagent', arguments: task }] };
  };
}

/** Resolves once the command and the process below it run. */
const underway = (workspace: Workspace): Promise<void> =>
  eventually(async () => (await workspace.read('underway')) === '');

/** The session of the main agent: the one whose log does not begin with a descriptor. */
async function mainOf(workspace: Workspace): Promise<string> {
  for (const id of await workspace.sessions())
    if ((await workspace.events(id))[0]?.type !== 'subagent/descriptor') return id;
  throw new Error('There is no session of a main agent.');
}

/** The session can be resumed, and its child too: both locks are free, or those of a process that is gone. */
async function goesOn(workspace: Workspace): Promise<void> {
  const again = workspace.start(['exec', '--session', await mainOf(workspace), 'And now?']);
  expect(await again.ended).toMatchObject({ code: 0, stdout: 'Somebody watches.\n' });
  expect(JSON.stringify(await workspace.events(await mainOf(workspace)))).toContain('The harbour is quiet.');
  expect(await workspace.locks()).toEqual([]);
}

describe("a background child's command", () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 130],
    ['SIGKILL', null],
  ] as const)(
    'ends with its agent on %s, and the session and its child can be resumed',
    async (signal, code) => {
      const { server, workspace } = await places.open(watching(true));
      await workspace.write('agent.yaml', 'subagents: true\n');
      const agent = workspace.start(['exec', 'Is the harbour safe?']);
      await underway(workspace);
      await server.received(3);
      agent.child.kill(signal);
      expect((await agent.ended).code).toBe(code);
      expect(await workspace.survivors()).toEqual([]);
      // Only a process that was killed had no time to let go of its locks.
      if (signal !== 'SIGKILL') expect(await workspace.locks()).toEqual([]);
      await goesOn(workspace);
    },
  );

  it('ends with a server whose input ends, and the session and its child can be resumed', async () => {
    const { server, workspace } = await places.open(watching(true));
    await workspace.write('agent.yaml', 'subagents: true\n');
    const client = await places.serve(workspace);
    client.prompt(1, 'main', 'Is the harbour safe?');
    await underway(workspace);
    await server.received(3);
    expect(await client.process.finish()).toMatchObject({ code: 0 });
    expect(await workspace.survivors()).toEqual([]);
    expect(await workspace.locks()).toEqual([]);
    await goesOn(workspace);
  });
});

describe("a foreground child's command", () => {
  it('ends with the cancel of its caller, whose server goes on', async () => {
    const { workspace } = await places.open(watching(false));
    await workspace.write('agent.yaml', 'subagents: true\n');
    const client = await places.serve(workspace);
    client.prompt(1, 'main', 'Is the harbour safe?');
    await underway(workspace);
    client.request(2, 'session/cancel', { sessionId: 'main' });
    expect(await workspace.survivors([client.process.child.pid])).toEqual([]);
    await client.idle('main');
    expect(await workspace.locks()).toEqual(['main.lock']);
    expect(await client.process.finish()).toMatchObject({ code: 0 });
    expect(await workspace.locks()).toEqual([]);
  });
});
