import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SessionState } from '../session/state.ts';
import { balanceFaults, fateFaults, requestFaults, statusFaults } from './fixtures/invariants.ts';
import { Stage, tick, type Move } from './fixtures/stage.ts';

type Plain =
  | 'followup'
  | 'steer'
  | 'inject'
  | 'say'
  | 'tool'
  | 'hold'
  | 'release'
  | 'reject'
  | 'maintenance'
  | 'maintained'
  | 'tick'
  | 'block'
  | 'stop'
  | 'discard'
  | 'throw'
  | 'restart';

const simple = (...names: Plain[]) => fc.constantFrom(...names).map((name): Move => ({ do: name }));

const input = simple('followup', 'steer', 'inject');
const ordinaryMoves = fc.oneof(
  { weight: 6, arbitrary: input },
  { weight: 6, arbitrary: simple('tick') },
  {
    weight: 5,
    arbitrary: fc
      .constantFrom('text', 'nothing', 'call', 'calls', 'length', 'filter')
      .map((kind): Move => ({ do: 'reply', with: kind as 'text' })),
  },
  { weight: 2, arbitrary: simple('say', 'tool') },
  { weight: 2, arbitrary: fc.boolean().map((keepInbox): Move => ({ do: 'cancel', keepInbox })) },
  { weight: 1, arbitrary: fc.boolean().map((retryable): Move => ({ do: 'fail', retryable })) },
  { weight: 2, arbitrary: simple('hold', 'release', 'reject', 'maintenance', 'maintained') },
  { weight: 2, arbitrary: simple('block', 'stop', 'discard', 'throw') },
);
const anyMove = fc.oneof(
  { weight: 25, arbitrary: ordinaryMoves },
  { weight: 1, arbitrary: simple('restart') },
  { weight: 1, arbitrary: fc.constant<Move>({ do: 'kill', power: false }) },
);

async function playAll(stage: Stage, program: readonly Move[]): Promise<void> {
  for (const move of program) await stage.play(move);
}

function faultsOf(stage: Stage): readonly string[] {
  return [
    ...balanceFaults(stage.events),
    ...fateFaults(
      stage.events,
      stage.accepted.map(({ message }) => message.id),
    ),
    ...requestFaults(stage.events, stage.sent),
    ...stage.statuses.flatMap(statusFaults),
  ];
}

describe(
  'random programs of followup, steer, inject, cancel, hold, release, fail, restart and kill',
  { timeout: 180_000 },
  () => {
    it('SEND-1, SEND-2, SEND-7, TURN-5, TURN-6, STATUS-2, LOG-1, LOG-3, LOG-5, REQ-3, REQ-5: keep every invariant', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyMove, { maxLength: 40, size: 'max' }), async (program) => {
          const stage = new Stage();
          await playAll(stage, program);
          await stage.settle();
          expect(faultsOf(stage)).toEqual([]);
          // Each accepted input was announced once.
          expect([...stage.queued].sort()).toEqual(stage.accepted.map(({ message }) => message.id).sort());
          // The log describes the inbox that the agent works on.
          const fold = new SessionState();
          for (const event of stage.events) fold.apply(event);
          for (const target of ['next-turn', 'next-step'] as const)
            expect(fold.list(target)).toEqual(stage.state.list(target));
          await stage.agent.dispose();
          expect(balanceFaults(stage.events)).toEqual([]);
        }),
        { numRuns: 1_000, timeout: 20_000 },
      );
    });

    it('LOG-2: nothing accepted is lost when the machine dies after its checkpoint', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(ordinaryMoves, { maxLength: 25, size: 'max' }),
          fc.array(ordinaryMoves, { maxLength: 10 }),
          async (before, after) => {
            const stage = new Stage();
            await playAll(stage, before);
            await stage.settle();
            // A checkpoint before may have been rejected; this turn's is not.
            await stage.play({ do: 'followup' });
            await stage.settle();
            const covered = stage.accepted.map(({ message }) => message.id);
            await playAll(stage, after);
            await stage.play({ do: 'kill', power: true });
            await stage.settle();
            expect(balanceFaults(stage.events)).toEqual([]);
            expect(fateFaults(stage.events, covered)).toEqual([]);
          },
        ),
        { numRuns: 300, timeout: 20_000 },
      );
    });

    it('LOG-4: a killed agent that is resumed keeps what was pending and starts no turn by itself', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(ordinaryMoves, { maxLength: 25, size: 'max' }), async (program) => {
          const stage = new Stage();
          await playAll(stage, program);
          await stage.play({ do: 'kill', power: false });
          const turns = stage.state.turns;
          await tick();
          expect(stage.agent.status).toBe('idle');
          expect(stage.state.turns).toBe(turns);
          const length = stage.events.length;
          await stage.play({ do: 'kill', power: false });
          expect(stage.events).toHaveLength(length);
          // The next input wakes everything, in order.
          await stage.play({ do: 'followup' });
          await stage.settle();
          expect(stage.state.list('next-turn')).toEqual([]);
          expect(faultsOf(stage)).toEqual([]);
        }),
        { numRuns: 300, timeout: 20_000 },
      );
    });
  },
);
