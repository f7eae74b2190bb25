/** How the protocol server behaves as a process: large frames, its end, what it prints. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RPC_ERROR } from '../sdk/protocol.ts';
import { requireBuild } from '../sdk/fixtures/agent-process.ts';
import { Places, forever } from '../sdk/fixtures/places.ts';
import { RawClient } from '../sdk/fixtures/raw-client.ts';

beforeAll(requireBuild);

const places = new Places();
afterEach(() => places.close());

describe('large frames', () => {
  it('a prompt of 5 MiB goes in, and comes back in an event', async () => {
    const { server, workspace } = await places.open();
    const client = await places.serve(workspace);
    const text = 'ü'.repeat(2.5 * 1024 * 1024);
    client.prompt(1, 's', text);
    await client.idle('s');
    expect(server.userTexts()[0]?.[0]).toHaveLength(text.length);
    expect(JSON.stringify(client.events('s')[0]?.data)).toContain(text);
  });

  it('200 MiB without a line end give one error, memory stays bounded, and later frames are served', async () => {
    const { workspace } = await places.open();
    const client = await places.serve(workspace);
    const { stdin } = client.process.child;
    const before = client.process.peakMiB();
    const piece = Buffer.alloc(1024 * 1024, 'x');
    for (let sent = 0; sent < 200; sent += 1) {
      if (!stdin.write(piece)) await new Promise((resolve) => stdin.once('drain', resolve));
    }
    client.write('\n');
    client.prompt(1, 's', 'hello');
    await client.response(1);
    expect(client.frames.filter(({ id }) => id === null)).toMatchObject([
      { error: { code: RPC_ERROR.invalidRequest } },
    ]);
    expect(client.process.peakMiB() - before).toBeLessThan(200);
  });
});

describe('the end', () => {
  it('shutdown ends the running turn, flushes, and its response is the last frame; exit 0', async () => {
    const { server, workspace } = await places.open([
      { text: 'never', holdAfter: 'p'.repeat(1024 * 1024), hold: forever },
    ]);
    const client = await places.serve(workspace);
    client.prompt(1, 's', 'one');
    client.prompt(2, 's', 'two');
    await server.received(1);
    await client.until(() => client.events('s').some(({ type }) => type === 'assistant/chunk'));
    client.process.child.stdout.pause();
    client.request('end', 'shutdown');
    setTimeout(() => client.process.child.stdout.resume(), 200);
    const ended = await client.process.ended;
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(client.frames.at(-1)).toMatchObject({ id: 'end', result: {} });
    expect(client.events('s')).toEqual(await workspace.events('s'));
    expect(await workspace.endings('s')).toEqual(['aborted']);
  });

  it('end of input: what was read is answered, the turn ends aborted, all is flushed, exit 0', async () => {
    const { workspace } = await places.open([{ text: 'never', hold: forever }]);
    const client = new RawClient(workspace.start(['serve']));
    client.request(1, 'initialize', { cwd: workspace.dir });
    client.prompt(2, 's', 'one');
    expect(await client.process.finish()).toMatchObject({ code: 0, stderr: '' });
    expect((await client.response(2)).result).toHaveProperty('messageId');
    expect(await workspace.endings('s')).toEqual(['aborted']);
    expect(client.events('s')).toEqual(await workspace.events('s'));
  });

  it('shutdown with the end of input right behind it is answered', async () => {
    const { workspace } = await places.open();
    const client = new RawClient(workspace.start(['serve']));
    client.request(1, 'initialize', { cwd: workspace.dir });
    client.prompt(2, 's', 'one');
    client.request(3, 'shutdown');
    expect((await client.process.finish()).code).toBe(0);
    expect(client.frames.at(-1)).toMatchObject({ id: 3, result: {} });
  });

  it('a client that closes the pipe in mid-answer: quiet end, complete log', async () => {
    const { server, workspace } = await places.open([
      { text: 'w'.repeat(500_000), holdAfter: 'begin', hold: Promise.resolve() },
    ]);
    const client = await places.serve(workspace);
    client.prompt(1, 's', 'one');
    await server.received(1);
    client.process.child.stdout.destroy();
    const ended = await client.process.ended;
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(await workspace.endings('s')).toHaveLength(1);
  });

  it('SIGTERM disposes; exit 130', async () => {
    const { server, workspace } = await places.open([{ text: 'never', hold: forever }]);
    const client = await places.serve(workspace);
    client.prompt(1, 's', 'one');
    await server.received(1);
    client.process.child.kill('SIGTERM');
    expect((await client.process.ended).code).toBe(130);
    expect(await workspace.endings('s')).toEqual(['aborted']);
  });
});

describe('standard output carries frames alone', () => {
  it('whatever prints in the process goes to standard error', async () => {
    const { workspace } = await places.open();
    const noise = path.join(workspace.dir, 'noise.mjs');
    await writeFile(
      noise,
      `const fetch = globalThis.fetch;
       globalThis.fetch = (...args) => {
         console.log('noise by console'); process.stdout.write('noise by write\\n');
         console.info('noise by info'); process.emitWarning('noise by warning', 'DeprecationWarning');
         return fetch(...args);
       };`,
    );
    const client = await places.serve(
      workspace,
      {},
      { NODE_OPTIONS: `--import ${noise}`, NODE_DEBUG: 'net' },
    );
    client.prompt(1, 's', 'one');
    await client.idle('s');
    const ended = await client.process.finish();
    expect(client.frames.length).toBeGreaterThan(5);
    for (const how of ['console', 'write', 'info', 'warning'])
      expect(ended.stderr).toContain(`noise by ${how}`);
  });

  it('a start that fails leaves it empty and exits 2', async () => {
    const { workspace } = await places.open();
    await workspace.write('agent.yaml', 'modle: x\n');
    const ended = await workspace.start(['serve']).finish();
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('agent.yaml:1:1');
  });

  it('without a key a prompt is received, and its turn says what is missing', async () => {
    const { workspace } = await places.open();
    const client = await places.serve(workspace, {}, { DEEPSEEK_API_KEY: '' });
    client.prompt(1, 's', 'one');
    await client.idle('s');
    expect(client.events('s').find(({ type }) => type === 'turn/end')?.data).toMatchObject({
      reason: { kind: 'error', code: 'MISSING_API_KEY' },
    });
  });
});
