/** What the stdio servers cost: boot to first answer from the build, and a prompt's receipt. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client } from '../src/sdk/client.ts';
import { Workspace } from '../src/sdk/fixtures/agent-process.ts';
import { ChatServer } from '../src/sdk/fixtures/chat-server.ts';
import { ROOT, median, paired, timed } from './measure.ts';

const AGENT = `${ROOT}/dist/bin/turnpin-agent.js`;

export interface WaysInFigures {
  readonly serve: BootFigures;
  readonly acp: BootFigures;
  /** Milliseconds from a prompt to its receipt, on an open session. Goal: under 2 in the median. */
  readonly receiptMs: number;
  /** The same, through one line to a process that echoes it. */
  readonly receiptRatio: number;
}

export interface BootFigures {
  /** Milliseconds from the start of the process to the answer to `initialize`. Goal: under 150. */
  readonly ms: number;
  /** Milliseconds of `node -e 0` in the same minute. */
  readonly bareMs: number;
  /** The first through the second. */
  readonly ratio: number;
}

export async function benchWaysIn(): Promise<WaysInFigures> {
  const [serve, acp] = [await boot('serve'), await boot('acp')];
  return { serve, acp, ...(await receipts()) };
}

async function boot(command: 'serve' | 'acp'): Promise<BootFigures> {
  const bare = async (): Promise<void> => {
    await once(spawn(process.execPath, ['-e', '0'], { cwd: ROOT, stdio: 'ignore' }), 'exit');
  };
  const { a, b, ratio } = await paired(11, () => firstAnswer(command), bare);
  return { ms: a, bareMs: b, ratio };
}

async function firstAnswer(command: 'serve' | 'acp'): Promise<void> {
  const child = spawn(process.execPath, [AGENT, command], { cwd: ROOT, stdio: ['pipe', 'pipe', 'inherit'] });
  const params = { cwd: ROOT, protocolVersion: 1 };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  await once(child.stdout, 'data');
  // Its end is nobody's time, and it is waited for by nobody's clock.
  child.stdin.end();
  child.stdout.resume();
}

const PROMPTS = 300;

async function receipts(): Promise<Pick<WaysInFigures, 'receiptMs' | 'receiptRatio'>> {
  const endpoint = await ChatServer.start([{ text: 'Answer.' }]);
  const workspace = await Workspace.create(endpoint.baseUrl);
  const client = await Client.start({
    command: [process.execPath, AGENT, 'serve'],
    cwd: workspace.dir,
    env: workspace.env,
  });
  const echo = spawn(process.execPath, ['-e', 'process.stdin.pipe(process.stdout)'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const statuses = client.statuses('s');
    const [prompts, echoes]: [number[], number[]] = [[], []];
    for (let round = 0; round < PROMPTS; round += 1) {
      prompts.push(await timed(() => client.prompt('s', 'hello')));
      while ((await statuses.next()).value !== 'idle');
      echoes.push(
        await timed(() => {
          echo.stdin.write('{"jsonrpc":"2.0"}\n');
          return once(echo.stdout, 'data');
        }),
      );
    }
    // The first ones load and compile.
    const [receiptMs, echoMs] = [median(prompts.slice(20)), median(echoes.slice(20))];
    return { receiptMs, receiptRatio: receiptMs / echoMs };
  } finally {
    echo.stdin.end();
    await client.close();
    await endpoint.close();
  }
}
