/** A client that does not read: what is made for it is held up at its source, and nothing is lost. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AcpClient } from '../acp/fixtures/acp-client.ts';
import { Workspace, requireBuild } from '../sdk/fixtures/agent-process.ts';
import type { AgentProcess } from '../sdk/fixtures/agent-process.ts';
import { RawClient } from '../sdk/fixtures/raw-client.ts';

beforeAll(requireBuild);

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** One piece of an answer, and more of them than any queue may take in: 256 MiB. */
const PIECE = 'w'.repeat(16 * 1024);
const PIECES = 16 * 1024;
/** A process that takes all of it in grows by more than this. */
const ANSWER_MIB = (PIECES * PIECE.length) / 1024 / 1024;

/** Streams an answer without end, as fast as it is read, until it is told to stop. */
class Endless {
  /** The agent does not read what has been written. */
  blocked = false;
  sent = 0;
  #stopped = false;
  readonly #server = createServer((request, response) => {
    request.resume();
    request.once('end', () => void this.#answer(response));
  });

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    cleanups.push(async () => {
      this.#server.closeAllConnections();
      await new Promise((resolve) => this.#server.close(resolve));
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  stop(): void {
    this.#stopped = true;
  }

  async #answer(response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const chunk = (delta: object, finish: string | null): string =>
      `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    while (!this.#stopped && this.sent < PIECES) {
      this.sent += 1;
      if (response.write(chunk({ content: PIECE }, null))) continue;
      this.blocked = true;
      await once(response, 'drain');
      this.blocked = false;
    }
    response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  }
}

async function place(): Promise<{ readonly endpoint: Endless; readonly workspace: Workspace }> {
  const endpoint = new Endless();
  return { endpoint, workspace: await Workspace.create(await endpoint.listen()) };
}

/**
 * Resolves once the process sleeps though there is something for it to read, again and again: it does not want it. Or once
 * it is `over`.
 * A process that reads on is never seen so, since it is awake or has nothing to read.
 */
async function heldUp(
  { child }: AgentProcess,
  blocked: () => boolean,
  over = (): boolean => false,
): Promise<void> {
  for (let seen = 0; seen < 100 && !over();) {
    const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8');
    const asleep = stat.slice(stat.lastIndexOf(')') + 2).startsWith('S');
    seen = asleep && blocked() ? seen + 1 : 0;
    // Lets this process's own streams go on.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a client that does not read', () => {
  it('holds up the model in serve; all of it comes once the client reads', async () => {
    const { endpoint, workspace } = await place();
    const client = await RawClient.start(workspace);
    cleanups.push(() => client.process.finish());
    const { stdout } = client.process.child;
    const before = client.process.peakMiB();
    stdout.pause();
    client.prompt(1, 's', 'go');
    await heldUp(client.process, () => endpoint.blocked || endpoint.sent === PIECES);
    expect(endpoint.sent).toBeLessThan(PIECES / 2);
    expect(client.process.peakMiB() - before).toBeLessThan(ANSWER_MIB);
    endpoint.stop();
    stdout.resume();
    await client.idle('s');
    expect(client.events('s')).toEqual(await workspace.events('s'));
    expect(client.events('s').find(({ type }) => type === 'assistant/message')?.data).toMatchObject({
      message: { text: PIECE.repeat(endpoint.sent) },
    });
  }, 180_000);

  it('holds up the model in acp; all of it comes once the client reads', async () => {
    const { endpoint, workspace } = await place();
    const client = await AcpClient.start(workspace);
    cleanups.push(() => client.process.finish());
    const { stdout } = client.process.child;
    const session = await client.session(workspace.dir);
    const before = client.process.peakMiB();
    const prompt = client.prompt(session, 'go');
    stdout.pause();
    await heldUp(client.process, () => endpoint.blocked || endpoint.sent === PIECES);
    expect(endpoint.sent).toBeLessThan(PIECES / 2);
    expect(client.process.peakMiB() - before).toBeLessThan(ANSWER_MIB);
    endpoint.stop();
    stdout.resume();
    expect(await prompt).toEqual({ stopReason: 'end_turn' });
    expect(client.text(session)).toBe(PIECE.repeat(endpoint.sent));
  }, 180_000);

  it('holds up the model in exec --json', async () => {
    const { endpoint, workspace } = await place();
    const process = workspace.start(['exec', '--json', 'go']);
    process.child.stdout.pause();
    await heldUp(process, () => endpoint.blocked || endpoint.sent === PIECES);
    expect(endpoint.sent).toBeLessThan(PIECES / 2);
    endpoint.stop();
    process.child.stdout.resume();
    const { code, stdout } = await process.ended;
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    expect(lines.flatMap((line) => (JSON.parse(line) as { event?: object }).event ?? [])).toEqual(
      await workspace.events(),
    );
  }, 180_000);

  it.each(['serve', 'acp'])(
    'is not read on in %s while answers wait for it; each is there in the end',
    async (command) => {
      const { workspace } = await place();
      const client = new RawClient(workspace.start([command]));
      cleanups.push(() => client.process.finish());
      const { stdin, stdout } = client.process.child;
      stdout.pause();
      const method = 'session/nope'.repeat(40);
      let asked = 0;
      while (asked < 40_000) {
        for (let some = 0; some < 500; some += 1) client.request((asked += 1), method);
        if (!stdin.writableNeedDrain) continue;
        let drained = false;
        stdin.once('drain', () => (drained = true));
        await heldUp(
          client.process,
          () => !drained,
          () => drained,
        );
        if (!drained) break;
      }
      expect(asked).toBeLessThan(40_000);
      stdout.resume();
      await client.until((frames) => frames.length === asked);
      expect(client.frames.map(({ id }) => id).sort((a, b) => Number(a) - Number(b))).toEqual(
        Array.from({ length: asked }, (_, index) => index + 1),
      );
      expect(client.frames.every(({ error }) => error !== undefined)).toBe(true);
    },
    180_000,
  );

  it('and is told to end by a signal: the turn ends, the log is whole, and what waits still leaves', async () => {
    const { endpoint, workspace } = await place();
    const client = await RawClient.start(workspace);
    const { child } = client.process;
    child.stdout.pause();
    client.prompt(1, 's', 'go');
    await heldUp(client.process, () => endpoint.blocked || endpoint.sent === PIECES);
    child.kill('SIGTERM');
    endpoint.stop();
    child.stdout.resume();
    expect((await client.process.ended).code).toBe(130);
    expect(await workspace.endings('s')).toEqual(['aborted']);
    expect(client.events('s')).toEqual(await workspace.events('s'));
  }, 180_000);
});
