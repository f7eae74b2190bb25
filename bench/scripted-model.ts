/**
 * What the scripted model costs: a 20-chunk reply over loopback beside a bare `node:http` server that writes the same bytes
 * in the same pieces, and a request in process beside a stub. Both sides are measured in turns in one run, so that the ratios
 * hold on any machine, and both are warm: a rate is what a server keeps up, not what its first requests cost.
 */
import { Agent, createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Reply } from '../harness/scenario/scenario.ts';
import type { Action, WireRequest } from '../harness/model/exchange.ts';
import { bytesOf } from '../harness/model/bytes.ts';
import { serveLoopback } from '../harness/model/loopback.ts';
import { inProcessFetch } from '../harness/model/msw.ts';
import { sampleConversation, sampleScript } from '../harness/model/sample-script.ts';
import type { ScriptedModel } from '../harness/model/scripted-model.ts';
import { createScriptedModel } from '../harness/model/scripted-run.ts';
import { median, timed } from './measure.ts';

export interface ScriptedModelFigures {
  /** Requests a second of clients that read with `fetch`, as agents do: scripted model through bare server; 1 is as fast. Goal: 0.8 or more. */
  readonly rateRatio: Rates;
  /** The same of clients that throw away what they get, which shows the server's own share larger than any agent sees it. */
  readonly unreadRateRatio: Rates;
  /** Time until the server listens, scripted model through bare server. Goal: 1.3 or less. */
  readonly startRatio: number;
  /** Microseconds that a request in process costs beyond a stub that streams the same bytes. Goal: 250 or less. */
  readonly inProcessMicros: number;
}

export interface Rates {
  readonly oneClient: number;
  readonly thirtyTwoClients: number;
}

/** Rounds that are measured, after as many that are not. */
const ROUNDS = 20;
/** Sessions of a round, whatever the number of clients that share them. */
const SESSIONS = 32;
/** Steps of each session; the history grows with them, as an agent's does. */
const TURNS = 6;

/** Four pieces of reasoning, four of text, two calls of five frames each, the first delta and the end: twenty chunks. */
const REPLY: Partial<Reply> = {
  reasoning: 'The user wants something that takes a thought or two before it can be answered.',
  tools: [0, 1].map((index) => ({
    name: 'bash',
    arguments: { command: `grep -rn "what is asked for" src/part-${index} | sort | head -20` },
    id: null,
  })),
};

function replyText(turn: number): string {
  return `${turn}: I look for it in both parts of the source, and then we know more about it.`;
}

interface Target {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Measures; takes a few seconds. */
export async function benchScriptedModel(): Promise<ScriptedModelFigures> {
  return {
    rateRatio: await rates(fetching),
    unreadRateRatio: await rates(throwingAway),
    startRatio: await startRatio(),
    inProcessMicros: await inProcessMicros(),
  };
}

function newModel(clients: number, turns: number): ScriptedModel {
  const replies = Array.from({ length: turns }, (_, turn) => ({ ...REPLY, text: replyText(turn) }));
  const children = Array.from({ length: clients - 1 }, (_, index) =>
    sampleConversation(`child-${index + 1}`, opening(index + 1), replies),
  );
  return createScriptedModel(sampleScript(replies, { conversations: children }), {
    wire: 'chat-completions',
    apiKey: null,
  });
}

function opening(client: number): string {
  return `<client ${client}> works on its own`;
}

/** The body of a client's request in a turn: its history, as an agent sends it. */
function body(client: number, turn: number): string {
  const steps = Array.from({ length: turn }, (_, before) => step(client, before)).flat();
  const messages = [
    { role: 'system', content: 'You are measured.' },
    { role: 'user', content: opening(client) },
    ...steps,
  ];
  return JSON.stringify({
    model: 'scripted',
    stream: true,
    stream_options: { include_usage: true },
    messages,
  });
}

function step(client: number, turn: number): unknown[] {
  const calls = (REPLY.tools ?? []).map((call, index) => ({
    id: `call_${client}_${turn}_${index}`,
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
  const said = {
    role: 'assistant',
    content: replyText(turn),
    reasoning_content: REPLY.reasoning,
    tool_calls: calls,
  };
  return [said, ...calls.map((call) => ({ role: 'tool', tool_call_id: call.id, content: 'nothing found' }))];
}

async function rates(client: () => Client): Promise<Rates> {
  return { oneClient: await rateRatio(client, 1), thirtyTwoClients: await rateRatio(client, 32) };
}

/** Median over the rounds, each of which measures both servers. */
async function rateRatio(client: () => Client, clients: number): Promise<number> {
  const bodies = Array.from({ length: clients }, (_, client) =>
    Array.from({ length: TURNS }, (_unused, turn) => body(client, turn)),
  );
  const actions = sameActions();
  const ratios: number[] = [];
  for (let round = 0; round < 2 * ROUNDS; round += 1) {
    const scripted = await timeOf(() => serveLoopback(newModel(clients, TURNS)), client, bodies);
    const bare = await timeOf(() => bareServer(actions), client, bodies);
    if (round >= ROUNDS) ratios.push(bare / scripted);
  }
  return median(ratios);
}

/** Milliseconds of a round; a script serves each client for one session. */
async function timeOf(
  serve: () => Promise<Target>,
  newClient: () => Client,
  bodies: readonly (readonly string[])[],
): Promise<number> {
  let time = 0;
  for (let sessions = 0; sessions < SESSIONS; sessions += bodies.length) {
    const target = await serve();
    const client = newClient();
    time += await timed(() =>
      Promise.all(
        bodies.map(async (turns) => {
          for (const text of turns) await client.ask(`${target.url}/chat/completions`, text);
        }),
      ),
    );
    client.close();
    await target.close();
  }
  return time;
}

interface Client {
  readonly ask: (url: string, body: string) => Promise<void>;
  readonly close: () => void;
}

const HEADERS = { 'content-type': 'application/json' };

/** Takes the pieces as they come, as text, as the core and the vendors' packages do. */
function fetching(): Client {
  const ask = async (url: string, body: string): Promise<void> => {
    const response = await fetch(url, { method: 'POST', headers: HEADERS, body });
    if (response.status !== 200 || response.body === null) throw failed(response.status);
    const decoder = new TextDecoder();
    for await (const piece of response.body) decoder.decode(piece as Uint8Array, { stream: true });
  };
  return { ask, close: () => {} };
}

function throwingAway(): Client {
  const agent = new Agent({ keepAlive: true });
  const ask = (url: string, body: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const headers = { ...HEADERS, 'content-length': Buffer.byteLength(body) };
      const sent = httpRequest(url, { method: 'POST', agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(failed(response.statusCode ?? 0));
        response.on('error', reject);
        response.on('end', () => resolve());
        response.resume();
      });
      sent.on('error', reject);
      sent.end(body);
    });
  return { ask, close: () => agent.destroy() };
}

function failed(status: number): Error {
  return new Error(`Status ${String(status)} in the bench.`);
}

/** What the scripted model writes for one reply. */
function sameActions(): readonly Action[] {
  const request: WireRequest = {
    method: 'POST',
    path: '/chat/completions',
    headers: [],
    body: new TextEncoder().encode(body(0, 0)),
  };
  return newModel(1, TURNS).begin(request).actions;
}

async function bareServer(actions: readonly Action[]): Promise<Target> {
  const server = createServer((request, response) => {
    request.on('end', () => {
      for (const action of actions) {
        if (action.do === 'head')
          response.writeHead(
            action.status,
            action.headers.flatMap((header) => [...header]),
          );
        if (action.do === 'write') response.write(action.what);
        if (action.do === 'end') response.end();
      }
    });
    request.resume();
  });
  server.on('connection', (socket) => socket.setNoDelay(true));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => closed(server) };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function startRatio(): Promise<number> {
  const actions = sameActions();
  const scripted: number[] = [];
  const bare: number[] = [];
  const model = newModel(1, TURNS);
  for (let round = 0; round < 30; round += 1) {
    scripted.push(await startTime(() => serveLoopback(model)));
    bare.push(await startTime(() => bareServer(actions)));
  }
  return median(scripted) / median(bare);
}

async function startTime(start: () => Promise<Target>): Promise<number> {
  const before = performance.now();
  const target = await start();
  const took = performance.now() - before;
  await target.close();
  return took;
}

async function inProcessMicros(): Promise<number> {
  const bodies = Array.from({ length: TURNS }, (_, turn) => body(0, turn));
  const chunks = sameActions().flatMap((action) => (action.do === 'write' ? [bytesOf(action.what)] : []));
  const stub: typeof globalThis.fetch = (input, init) => {
    void new Request(input, init);
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    return Promise.resolve(new Response(stream, { status: 200 }));
  };
  const costs: number[] = [];
  for (let round = 0; round < 2 * ROUNDS * SESSIONS; round += 1) {
    const scripted = await session(inProcessFetch(newModel(1, TURNS), 'http://model.test'), bodies);
    const bare = await session(stub, bodies);
    if (round >= ROUNDS * SESSIONS) costs.push(scripted - bare);
  }
  return Math.round(median(costs));
}

/** Microseconds a request. */
async function session(fetchOne: typeof globalThis.fetch, bodies: readonly string[]): Promise<number> {
  const started = performance.now();
  for (const text of bodies) {
    const response = await fetchOne('http://model.test/chat/completions', { method: 'POST', body: text });
    if (response.status !== 200) throw failed(response.status);
    await response.arrayBuffer();
  }
  return ((performance.now() - started) * 1000) / bodies.length;
}
