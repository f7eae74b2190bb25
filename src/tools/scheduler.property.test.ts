import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { call, text, tool, type Body } from './fixtures/probe-tool.ts';
import { ToolRegistry } from './registry.ts';
import { createToolRunner } from './scheduler.ts';
import type { Tool, ToolOutcome } from './tool.ts';

describe('for any calls, tools and moment of the abort', () => {
  const kinds = ['exclusive', 'parallel', 'throws', 'slow', 'deaf', 'unknown'] as const;
  const tools = (onStart: () => void): Tool[] => {
    const late = () => new Promise<void>((resolve) => setImmediate(resolve));
    const bodies: Record<Exclude<(typeof kinds)[number], 'unknown'>, readonly [Body, boolean]> = {
      exclusive: [() => Promise.resolve(text('ok')), false],
      parallel: [() => late().then(() => text('ok')), true],
      throws: [
        () =>
          late().then(() => {
            throw new Error('bang');
          }),
        true,
      ],
      slow: [
        (_, { signal }) =>
          late()
            .then(late)
            .then(() => text(signal.aborted ? 'stopped' : 'ok')),
        false,
      ],
      deaf: [
        () =>
          late()
            .then(late)
            .then(() => text('ok')),
        true,
      ],
    };
    return Object.entries(bodies).map(([name, [body, safe]]) =>
      tool(
        name,
        (args, context) => {
          onStart();
          return body(args, context);
        },
        safe,
      ),
    );
  };

  it('every call has exactly one result, in call order, and nothing starts after the abort', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...kinds), { maxLength: 25, size: 'max' }),
        fc.option(fc.record({ on: fc.constantFrom('start', 'result'), count: fc.nat(12) })),
        async (names, abortAt) => {
          const controller = new AbortController();
          const seen = { start: 0, result: 0 };
          let startedAfter = 0;
          const count = (what: 'start' | 'result'): void => {
            if (abortAt?.on === what && abortAt.count === seen[what]) controller.abort('user');
            seen[what] += 1;
          };
          const registry = new ToolRegistry();
          for (const one of tools(() => {
            if (controller.signal.aborted) startedAfter += 1;
            count('start');
          }))
            registry.add(one);
          const results: (readonly [number, ToolOutcome])[] = [];
          await createToolRunner(registry).run(
            names.map((name) => call(name)),
            { cwd: '/w', env: {}, signal: controller.signal },
            (index, outcome) => {
              results.push([index, outcome]);
              count('result');
            },
          );
          expect(results.map(([index]) => index)).toEqual(names.map((_, index) => index));
          expect(startedAfter).toBe(0);
          const undone = results.filter(([, { code }]) => code === 'ABORTED_BEFORE_DISPATCH').length;
          const unknown = results.filter(([, { code }]) => code === 'UNKNOWN_TOOL').length;
          expect(undone + unknown + seen.start).toBe(names.length);
          if (!controller.signal.aborted) expect(undone).toBe(0);
        },
      ),
      { numRuns: 300 },
    );
  });
});
