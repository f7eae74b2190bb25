import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { assemble } from '../assembly/assemble.ts';
import type { Assembled } from '../assembly/assemble.ts';
import { anyId, balanced, endpoint, frameBytes } from '../sdk/fixtures/frame-fuzz.ts';
import { AcpBridge } from './bridge.ts';
import { listPage } from './session-list.ts';

// The protocol's SDK tells the console of every frame that it cannot use.
beforeAll(() => vi.spyOn(console, 'error').mockImplementation(() => {}));
afterAll(() => vi.restoreAllMocks());

/** When a run fails, its seed is printed. */
const RUNS = 100;
const FRAMES_A_RUN = 100;

/** Sessions that a run loads at its start, so that frames can name them. */
const KNOWN = ['a', 'b'];

const methods = fc.constantFrom(
  'session/prompt',
  'session/prompt',
  'session/cancel',
  'session/load',
  'session/new',
  'session/list',
  'session/close',
  'session/resume',
  'initialize',
  '$/cancel_request',
  'session/nope',
  'toString',
);
const bad = fc.record(
  {
    jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', '1.0'),
    id: anyId,
    method: methods,
    params: fc.oneof(
      fc.record(
        {
          sessionId: fc.constantFrom('a', 'b', '../x', ''),
          cwd: fc.constantFrom('/', 'relative', '/missing'),
          mcpServers: fc.constant([]),
          requestId: anyId,
          prompt: fc.jsonValue({ maxDepth: 1 }),
        },
        { requiredKeys: [] },
      ),
      fc.jsonValue({ maxDepth: 2 }),
    ),
    result: fc.jsonValue({ maxDepth: 1 }),
  },
  { requiredKeys: [] },
);
const good = fc
  .record({
    id: fc.nat(),
    session: fc.constantFrom(...KNOWN),
    text: fc.string({ minLength: 1, maxLength: 8 }),
    cancels: fc.boolean(),
  })
  .map(({ id, session, text, cancels }) =>
    cancels
      ? { jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: session } }
      : {
          jsonrpc: '2.0',
          id,
          method: 'session/prompt',
          params: { sessionId: session, prompt: [{ type: 'text', text }] },
        },
  );

function frame(id: unknown, method: string, params: object): Buffer {
  return Buffer.from(`\n${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
}

it(`${RUNS * FRAMES_A_RUN} random and mutated frames end with a live bridge, every request answered and balanced logs`, async () => {
  const cwd = await mkdtemp(path.join(tmpdir(), 'turnpin-fuzz-'));
  let turns = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(frameBytes(good, bad), { minLength: FRAMES_A_RUN, maxLength: FRAMES_A_RUN }),
      async (frames) => {
        const opened: Assembled[] = [];
        const lines: string[] = [];
        const bridge = new AcpBridge({
          open: async ({ choice, listener, askPermission }) => {
            const assembled = await assemble(
              { model: { apiKey: 'k' } },
              {
                cwd,
                env: {},
                session: {
                  mode: 'memory',
                  ...('id' in choice && choice.id !== undefined ? { id: choice.id } : {}),
                },
                fetch: endpoint,
                listener,
                askPermission,
              },
            );
            opened.push(assembled);
            return assembled;
          },
          list: (of, cursor) => listPage({ dir: cwd, cwd: of, cursor }),
          send: (text) => lines.push(text),
          report: () => {},
          version: '0',
        });
        bridge.receive(frame('first', 'initialize', { protocolVersion: 1 }));
        for (const sessionId of KNOWN)
          bridge.receive(frame(`load ${sessionId}`, 'session/load', { sessionId, cwd, mcpServers: [] }));
        for (const bytes of frames) bridge.receive(bytes);
        bridge.receive(frame('last', 'session/new', { cwd, mcpServers: [] }));
        await bridge.close();
        const answers = lines.map(
          (text) => JSON.parse(text) as { id?: unknown; method?: string; result?: { sessionId?: string } },
        );
        expect(
          answers.find(({ id, method }) => id === 'last' && method === undefined)?.result?.sessionId,
        ).toBeTypeOf('string');
        for (const { agent } of opened) turns += balanced(agent.events());
      },
    ),
    { numRuns: RUNS },
  );
  // The frames do reach the agents behind the protocol.
  expect(turns).toBeGreaterThan(RUNS);
}, 180_000);
