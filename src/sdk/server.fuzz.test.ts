import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assemble } from '../assembly/assemble.ts';
import type { Assembled } from '../assembly/assemble.ts';
import { anyId, balanced, endpoint, frameBytes } from './fixtures/frame-fuzz.ts';
import { Server } from './server.ts';

/** When a run fails, its seed is printed. */
const RUNS = 100;
const FRAMES_A_RUN = 100;

const sessionId = fc.constantFrom('a', 'b', '../x', '', '.hidden');
const blocks = fc.oneof(
  fc.array(fc.record({ type: fc.constant('text'), text: fc.string({ maxLength: 8 }) }), { maxLength: 2 }),
  fc.jsonValue({ maxDepth: 1 }),
);
const request = fc.record(
  {
    jsonrpc: fc.constantFrom('2.0', '2.0', '2.0', '1.0'),
    id: anyId,
    method: fc.constantFrom(
      'session/prompt',
      'session/prompt',
      'session/steer',
      'session/inject',
      'session/cancel',
      'initialize',
      'session/nope',
      'toString',
    ),
    params: fc.oneof(
      { weight: 4, arbitrary: fc.record({ sessionId, contentBlocks: blocks }) },
      { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
    ),
  },
  { requiredKeys: [] },
);
const good = fc
  .record({
    id: fc.nat(),
    session: fc.constantFrom('a', 'b'),
    text: fc.string({ minLength: 1, maxLength: 8 }),
    way: fc.constantFrom('prompt', 'steer', 'inject', 'cancel'),
  })
  .map(({ id: number, session, text, way }) => ({
    jsonrpc: '2.0',
    id: number,
    method: `session/${way}`,
    params: { sessionId: session, contentBlocks: [{ type: 'text', text }] },
  }));
it(`${RUNS * FRAMES_A_RUN} random and mutated frames end with a live server and balanced logs (SDK-6)`, async () => {
  const cwd = await mkdtemp(path.join(tmpdir(), 'turnpin-fuzz-'));
  let turns = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(frameBytes(good, request), { minLength: FRAMES_A_RUN, maxLength: FRAMES_A_RUN }),
      async (frames) => {
        const opened: Assembled[] = [];
        const lines: string[] = [];
        const internal: string[] = [];
        const server = new Server({
          open: async (session, client, { listener }) => {
            const assembled = await assemble(
              { model: { apiKey: 'k' } },
              {
                cwd: client.cwd,
                env: {},
                session: { mode: 'memory', id: session },
                fetch: endpoint,
                listener,
              },
            );
            opened.push(assembled);
            return assembled;
          },
          send: (text) => lines.push(text),
          report: (message) => {
            if (message.startsWith('internal')) internal.push(message);
          },
          version: '0',
        });
        server.receive(
          Buffer.from(
            `${JSON.stringify({ jsonrpc: '2.0', id: 'first', method: 'initialize', params: { cwd } })}\n`,
          ),
        );
        for (const frame of frames) server.receive(frame);
        server.receive(
          Buffer.from(
            `\n${JSON.stringify({ jsonrpc: '2.0', id: 'last', method: 'session/prompt', params: { sessionId: 'a', contentBlocks: [{ type: 'text', text: 'x' }] } })}\n`,
          ),
        );
        await server.close();
        const answers = lines.map(
          (text) => JSON.parse(text) as { id?: unknown; result?: { messageId?: string } },
        );
        expect(answers.find(({ id: of }) => of === 'last')?.result?.messageId).toBeTypeOf('string');
        expect(internal).toEqual([]);
        for (const { agent } of opened) turns += balanced(agent.events());
      },
    ),
    { numRuns: RUNS },
  );
  // The frames do reach the agents behind the protocol.
  expect(turns).toBeGreaterThan(RUNS);
}, 180_000);
