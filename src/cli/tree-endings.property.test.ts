/** Random trees of agents below the built `serve`, which ends in every way there is: nothing runs on, and every session can be resumed. */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { requireBuild, type Workspace } from '../sdk/fixtures/agent-process.ts';
import type { Answer, ChatRequest, ChatServer } from '../sdk/fixtures/chat-server.ts';
import { Places } from '../sdk/fixtures/places.ts';
import type { RawClient } from '../sdk/fixtures/raw-client.ts';
import type { SessionId } from '../session/events.ts';
import { reopen, repaired, type Reopened } from '../session/fixtures/reopen.ts';
import { announcedChildren } from '../subagent/announcements.ts';
import type { ChildFacts } from '../subagent/family.ts';
import { NOTHING, liveIn, reachOf, treeFaults, type Tree } from '../subagent/fixtures/tree-faults.ts';
import { eventually } from '../tools/fixtures/processes.ts';

beforeAll(requireBuild);

vi.setConfig({ testTimeout: 600_000 });

/** Random trees for each way to end; when one fails, its seed is printed. */
const RUNS = 3;
const MAIN = 'main' as SessionId;
/** Answers of one agent that are not merely words. */
const LONGEST = 4;

/** What a model can answer. `name` is one that no other answer of the tree has. */
const ANSWERS = {
  text: (name: string) => ({ text: `said-${name}` }),
  cut: (name: string) => ({ text: `said-${name}`, finish: 'length' }),
  refusal: () => ({ status: 400, message: 'No.' }),
  report: (name: string) => calls(name, ['report', { text: `a-${name}` }], ['report', { text: `b-${name}` }]),
  background: (name: string) => calls(name, delegation(name, true)),
  foreground: (name: string) => calls(name, delegation(name, false)),
  both: (name: string) => calls(name, delegation(`${name}-a`, true), delegation(`${name}-b`, false)),
  brief: (name: string) => calls(name, bash('echo done')),
  /** Leaves a process behind that heeds no TERM. */
  littering: (name: string) => calls(name, bash("trap '' TERM; sleep 3600 > /dev/null 2>&1 & true")),
  waiting: (name: string) => calls(name, bash(`sleep 3600 & touch underway-${name}; wait`)),
  /** Heeds no TERM, and has a process below it. */
  heedless: (name: string) => calls(name, bash(`trap '' TERM; sleep 3600 & touch underway-${name}; wait`)),
  message: (name: string, child: string) => calls(name, ['send_message', { agent: child, message: name }]),
  interrupt: (name: string, child: string) => calls(name, ['interrupt_agent', { agent: child }]),
} as const satisfies Record<string, (name: string, child: string) => Answer>;

const DELEGATING = ['background', 'background', 'both', 'foreground'] as const;
const ALL = [
  ...(['text', 'cut', 'refusal', 'report', 'report', 'brief', 'littering'] as const),
  ...(['waiting', 'heedless', 'heedless', 'message', 'message', 'interrupt'] as const),
  ...DELEGATING,
  ...DELEGATING,
] as const;

type Call = readonly [name: string, args: object];

function calls(name: string, ...made: readonly Call[]): Answer {
  return { text: `private-${name}`, calls: made.map(([tool, args]) => ({ name: tool, arguments: args })) };
}

function delegation(label: string, inBackground: boolean): Call {
  return ['subagent', { description: label, prompt: `task-${label}`, run_in_background: inBackground }];
}

function bash(command: string): Call {
  return ['bash', { command }];
}

/** Answers by the seed, the agent that asks and how often it has asked, whatever order the requests come in. */
function answerOf(seed: number, { messages }: ChatRequest): Answer {
  const opening = messages.find(({ role }) => role === 'user')?.content ?? '';
  const answered = messages.filter(({ role }) => role === 'assistant').length;
  const name = `${opening.replace('task-', '')}.${String(answered)}`;
  if (answered >= LONGEST) return ANSWERS.text(name);
  const [what = 0, whom = 0] = createHash('sha256')
    .update(`${String(seed)} ${name}`)
    .digest();
  const offered = name === 'main.0' ? DELEGATING : ALL;
  const children = startedIn(messages);
  const child = children[whom % Math.max(1, children.length)] ?? 'nobody';
  return ANSWERS[offered[what % offered.length] ?? 'text'](name, child);
}

/** Gives every agent that was started more to do, then answers in words. */
function resumingAnswer({ messages }: ChatRequest): Answer {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const children = startedIn(messages);
  if (!messages.slice(last + 1).some(({ content }) => content === 'And now?') || children.length === 0)
    return { text: 'Rest.' };
  const sent = children.map((child): Call => ['send_message', { agent: child, message: 'Go on.' }]);
  return calls('resumed', ...sent);
}

function startedIn(messages: ChatRequest['messages']): readonly string[] {
  return messages.flatMap(({ role, content }) => {
    const found = role === 'tool' ? /^Started agent (\S+)/.exec(content ?? '')?.[1] : undefined;
    return found === undefined ? [] : [found];
  });
}

interface Running {
  readonly server: ChatServer;
  readonly workspace: Workspace;
  readonly client: RawClient;
}

interface Ending {
  readonly end: (running: Running) => unknown;
  readonly code: number | null;
  /** False where the process has no time to close anything. */
  readonly orderly: boolean;
}

const ENDINGS: Readonly<Record<string, Ending>> = {
  SIGINT: { end: ({ client }) => client.process.child.kill('SIGINT'), code: 130, orderly: true },
  SIGTERM: { end: ({ client }) => client.process.child.kill('SIGTERM'), code: 130, orderly: true },
  SIGKILL: { end: ({ client }) => client.process.child.kill('SIGKILL'), code: null, orderly: false },
  'the end of input': { end: ({ client }) => client.process.finish(), code: 0, orderly: true },
  shutdown: { end: ({ client }) => client.request('end', 'shutdown'), code: 0, orderly: true },
  'session/close': {
    end: async ({ client, workspace }) => {
      client.request('end', 'session/close', { sessionId: MAIN });
      expect(await client.response('end')).toMatchObject({ result: {} });
      expect(await workspace.locks()).toEqual([]);
      expect(await workspace.survivors([client.process.child.pid])).toEqual([]);
      return client.process.finish();
    },
    code: 0,
    orderly: true,
  },
};

/**
 * Until so many requests have come, or nothing moves any more: commands wait, or the main agent is idle. Whatever moment
 * that is, everything has to hold then.
 */
async function untilRequest(count: number, { server, client, workspace }: Running): Promise<void> {
  let seen = -1;
  await eventually(async () => {
    const before = seen;
    seen = client.frames.length;
    if (server.requests.length >= count) return true;
    return seen === before && (client.statuses(MAIN).at(-1) === 'idle' || (await hasCommand(workspace)));
  });
}

async function hasCommand({ dir }: Workspace): Promise<boolean> {
  return (await readdir(dir)).some((name) => name.startsWith('underway-'));
}

/** Resolves once main agent and children that run hold their locks, and nobody else does. */
async function untilLocked({ client, workspace }: Running): Promise<void> {
  await eventually(async () => {
    const running = {
      started: told(client, 'subagent.started'),
      finished: told(client, 'subagent.finished'),
    };
    const expected = [MAIN, ...liveIn(running)].map((id) => `${id}.lock`);
    return expected.sort().join() === [...(await workspace.locks())].sort().join();
  });
}

/** Children of which the client was told in this way, one entry an epoch. */
function told(client: RawClient, method: 'subagent.started' | 'subagent.finished'): readonly ChildFacts[] {
  return client.frames.flatMap((frame) => {
    if (frame.method !== method) return [];
    const { sessionId, parentSessionId, mode, label } = frame.params as unknown as {
      readonly sessionId: SessionId;
      readonly parentSessionId: SessionId;
      readonly mode: ChildFacts['mode'];
      readonly label: string;
    };
    return [{ id: sessionId, parent: parentSessionId, mode, label }];
  });
}

function treeOf(client: RawClient, sessions: readonly Reopened[]): Tree {
  return {
    root: MAIN,
    started: told(client, 'subagent.started'),
    finished: told(client, 'subagent.finished'),
    events: (wanted) => sessions.find(({ id }) => id === wanted)?.events ?? [],
  };
}

interface Program {
  readonly seed: number;
  /** After how many requests the main agent is cancelled. */
  readonly cancelledAt: number | null;
  readonly endsAt: number;
}

const programs: fc.Arbitrary<Program> = fc.record({
  seed: fc.nat(),
  cancelledAt: fc.option(fc.integer({ min: 1, max: 8 }), { freq: 3 }),
  endsAt: fc.integer({ min: 1, max: 20 }),
});

/** The child reports and delegates, and its own child runs a command until the end: so far the test gets with any other programs. */
const FAR: Program = { seed: 13_737, cancelledAt: null, endsAt: 20 };

/** Has the tree end in the midst of its work. Resolves to what the client was told of it and what it has left on disk. */
async function play(places: Places, ending: Ending, { seed, cancelledAt, endsAt }: Program): Promise<Tree> {
  let resuming = false;
  const { server, workspace } = await places.open((request) =>
    resuming ? resumingAnswer(request) : answerOf(seed, request),
  );
  await workspace.write('agent.yaml', 'subagents: true\n');
  const client = await places.serve(workspace);
  const running = { server, workspace, client };
  client.prompt('first', MAIN, 'main');
  client.prompt('second', MAIN, 'more');
  if (cancelledAt !== null) {
    await untilRequest(cancelledAt, running);
    client.request('cancel', 'session/cancel', { sessionId: MAIN });
    await client.response('cancel');
  }
  await untilRequest(endsAt, running);
  if (server.requests.length < endsAt) await untilLocked(running);
  await ending.end(running);
  expect(await client.process.ended).toMatchObject({ code: ending.code });
  expect(await workspace.survivors()).toEqual([]);
  if (ending.orderly) {
    expect(await workspace.locks()).toEqual([]);
  } else {
    resuming = true;
    const again = workspace.start(['exec', '--session', MAIN, 'And now?']);
    expect(await again.ended).toMatchObject({ code: 0, stdout: 'Rest.\n' });
    expect(await workspace.survivors()).toEqual([]);
  }
  // Takes over the locks of what nobody else has resumed.
  const sessions = reopen(workspace.sessionsDir);
  const locks = await workspace.locks();
  expect(sessions.filter(({ id }) => locks.includes(`${id}.lock`))).toEqual([]);
  if (ending.orderly) expect(repaired(sessions)).toEqual([]);
  return treeOf(client, sessions);
}

let reach = NOTHING;
let passed = 0;

it.concurrent.each(Object.entries(ENDINGS))('ends with %s', async (_, ending) => {
  await fc.assert(
    fc.asyncProperty(programs, async (program) => {
      const places = new Places();
      try {
        const tree = await play(places, ending, program);
        reach = reachOf(tree, reach);
        if (ending.orderly) expect(treeFaults(tree)).toEqual([]);
        // Of what a killed process did not live to see, a resumed agent is told.
        else expect(announcedChildren(tree.events(MAIN)).filter(({ unsettled }) => unsettled)).toEqual([]);
      } finally {
        await places.close();
      }
    }),
    { examples: [[FAR]], numRuns: RUNS, timeout: 120_000, endOnFailure: true },
  );
  passed += 1;
});

afterAll(() => {
  if (passed < Object.keys(ENDINGS).length) return;
  // The programs get somewhere.
  expect(Math.min(reach.children, reach.grandchildren, reach.reports, reach.stopped)).toBeGreaterThan(0);
});
