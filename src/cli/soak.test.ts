/** One server that opens, serves and closes many sessions keeps nothing of them. */
import net from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AcpClient } from '../acp/fixtures/acp-client.ts';
import { Client } from '../sdk/client.ts';
import { AGENT, requireBuild } from '../sdk/fixtures/agent-process.ts';
import type { Workspace } from '../sdk/fixtures/agent-process.ts';
import type { Answer, ChatRequest } from '../sdk/fixtures/chat-server.ts';
import { Places } from '../sdk/fixtures/places.ts';

beforeAll(requireBuild);

const places = new Places();
afterEach(() => places.close());

const AT_ONCE = 8;
/** Every so many sessions one runs a command, so that there is a child process to leave behind. */
const RUNS_A_COMMAND = 25;

/**
 * Bytes of heap that a session may leave behind in the second half, in the mean. Code that is still being compiled makes
 * up 1500 of them; a session that is kept is 23,000.
 */
const LEFT_BY_A_SESSION = 8000;

interface Held {
  readonly heapUsed: number;
  readonly descriptors: readonly string[];
  readonly children: readonly string[];
}

/** What the server's process holds after a collection of garbage. */
async function held(socket: string): Promise<Held> {
  return JSON.parse(await text(net.connect(socket))) as Held;
}

function environment(workspace: Workspace): Record<string, string> {
  const probe = fileURLToPath(new URL('../sdk/fixtures/memory-probe.mjs', import.meta.url));
  return { NODE_OPTIONS: `--import ${probe}`, TURNPIN_PROBE: socketOf(workspace) };
}

function socketOf(workspace: Workspace): string {
  return path.join(workspace.dir, 'probe');
}

function answer({ messages }: ChatRequest): Answer {
  const last = messages.at(-1);
  return last?.role === 'user' && last.content === 'run'
    ? { calls: [{ name: 'bash', arguments: { command: 'echo run' } }] }
    : { text: 'Answer.' };
}

/** Takes the numbers of one run of sessions, some at a time, each by `one`. */
async function sessions(from: number, to: number, one: (number: number) => Promise<void>): Promise<void> {
  let next = from;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < to) {
        next += 1;
        await one(next);
      }
    }),
  );
}

function words(number: number): string {
  return number % RUNS_A_COMMAND === 0 ? 'run' : 'hello';
}

async function soak(
  count: number,
  workspace: Workspace,
  one: (number: number) => Promise<void>,
): Promise<void> {
  await sessions(0, count / 2, one);
  const first = await held(socketOf(workspace));
  await sessions(count / 2, count, one);
  const second = await held(socketOf(workspace));
  expect((second.heapUsed - first.heapUsed) / (count / 2)).toBeLessThan(LEFT_BY_A_SESSION);
  expect(second.descriptors.filter((name) => name.startsWith(workspace.sessionsDir))).toEqual([]);
  // Connections to the endpoint are kept alive, as many as there were requests at once.
  expect(second.descriptors.length).toBeLessThanOrEqual(first.descriptors.length + AT_ONCE);
  expect(second.children).toEqual([]);
  expect(await workspace.locks()).toEqual([]);
  expect(await workspace.sessions()).toHaveLength(count);
}

describe('sessions in one process, opened, prompted and closed, leave nothing behind', () => {
  it('1000 in serve', async () => {
    const { workspace } = await places.open(answer);
    const client = await Client.start({
      command: [process.execPath, AGENT, 'serve'],
      cwd: workspace.dir,
      env: { ...workspace.env, ...environment(workspace) },
    });
    try {
      await soak(1000, workspace, async (number) => {
        const id = `s-${number}`;
        const { finalResponse } = await client.run(id, words(number));
        expect(finalResponse).toBe('Answer.');
        await client.closeSession(id);
      });
    } finally {
      await client.close();
    }
  }, 600_000);

  it('300 in acp', async () => {
    const { workspace } = await places.open(answer);
    const client = await AcpClient.start(workspace, { env: environment(workspace) });
    try {
      await soak(300, workspace, async (number) => {
        const sessionId = await client.session(workspace.dir);
        expect(await client.prompt(sessionId, words(number))).toEqual({ stopReason: 'end_turn' });
        await client.agent.request('session/close', { sessionId });
      });
    } finally {
      await client.process.finish();
    }
  }, 600_000);
});
