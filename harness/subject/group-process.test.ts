import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { GroupProcess } from './group-process.ts';

interface Started {
  readonly process: GroupProcess;
  readonly output: { stdout: string; stderr: string };
  /** Resolves once standard output contains the text. */
  printed(text: string): Promise<void>;
}

function node(script: string, env: Record<string, string> = {}): Started {
  const output = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  const process_ = new GroupProcess(
    { program: process.execPath, args: ['-e', script], cwd: mkdtempSync(`${tmpdir()}/turnpin-group-`), env },
    {
      stdout: (text) => {
        output.stdout += text;
        for (const look of [...waiting]) look();
      },
      stderr: (text) => (output.stderr += text),
    },
  );
  const printed = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!output.stdout.includes(text)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return { process: process_, output, printed };
}

it('ends with its input, and nothing of its output is lost', async () => {
  const { process: started, output } = node(
    `process.stdin.on('end', () => process.stdout.write('ü'.repeat(100000) + 'end')).resume()`,
  );
  expect(await started.end(20_000)).toBe(true);
  expect(started.exit).toEqual({ code: 0, signal: null });
  expect(output.stdout).toHaveLength(100_003);
  expect(started.crashed).toBe(false);
});

it('sees the environment that is given, and no other', async () => {
  const { process: started, output } = node('process.stdout.write(JSON.stringify(process.env))', {
    ONLY: 'this',
  });
  await started.exited;
  expect(JSON.parse(output.stdout)).toEqual({ ONLY: 'this' });
});

it('one that ignores the end of its input gets TERM', async () => {
  const { process: started, printed } = node(
    `process.on('SIGTERM', () => process.exit(7)); setInterval(() => {}, 1e6); console.log('up')`,
  );
  await printed('up');
  expect(await started.end(1)).toBe(false);
  expect(started.exit).toEqual({ code: 7, signal: null });
});

it('death by a signal that was not sent is a crash; by one that was sent, none', async () => {
  const crashing = node(`process.kill(process.pid, 'SIGKILL')`).process;
  await crashing.exited;
  expect(crashing.crashed).toBe(true);
  const killed = node('setInterval(() => {}, 1e6)').process;
  expect(await killed.kill()).toEqual({ code: null, signal: 'SIGKILL' });
  expect(killed.crashed).toBe(false);
});

it('takes along what it started in its group', async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const grandchild = once(server, 'connection') as Promise<[Socket]>;
  const connect = `require('node:net').connect(${(server.address() as AddressInfo).port}, '127.0.0.1')`;
  const spawn = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(connect)}], {stdio: 'inherit'})`;
  const { process: started } = node(`${spawn}; setInterval(() => {}, 1e6)`);
  const [socket] = await grandchild;
  socket.on('error', () => {}).resume();
  const gone = once(socket, 'close');
  await started.kill();
  await gone;
  server.close();
});

it('a program that is not there is SETUP_FAILED', async () => {
  const missing = new GroupProcess(
    { program: '/no/such/program', args: [], cwd: tmpdir(), env: {} },
    { stdout: () => {}, stderr: () => {} },
  );
  await expect(missing.exited).rejects.toMatchObject({ code: 'SETUP_FAILED' });
});
