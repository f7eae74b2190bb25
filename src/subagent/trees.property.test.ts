import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Attempt } from '../agent/fixtures/rehearsal.ts';
import type { SessionId } from '../session/events.ts';
import { eventually } from '../tools/fixtures/processes.ts';
import { COMMANDS, RealTree } from './fixtures/real-tree.ts';
import { NOTHING, liveIn, reachOf, treeFaults, treeOf } from './fixtures/tree-faults.ts';
import { Troupe, opening, settle } from './fixtures/troupe.ts';

type Move =
  | { readonly do: 'answer'; readonly who: number; readonly how: Answer; readonly whom: number }
  | { readonly do: 'let-go'; readonly which?: number }
  | { readonly do: 'prompt' | 'cancel' | 'maintain' | 'maintained' | 'wait' | 'underway' };
type Answer = (typeof TALK)[number] | keyof typeof COMMANDS;

const SPAWNING = ['spawn', 'spawn', 'foreground'] as const;
const TALK = [
  ...SPAWNING,
  ...(['text', 'text', 'nothing', 'report', 'reports', 'message', 'message', 'interrupt'] as const),
  ...(['length', 'filter', 'fail'] as const),
] as const;

function answer(answers: readonly Answer[]): fc.WeightedArbitrary<Move> {
  const arbitrary = fc.record({
    do: fc.constant('answer' as const),
    who: fc.nat(),
    how: fc.constantFrom(...answers),
    whom: fc.nat(),
  });
  return { weight: 12, arbitrary };
}

const wait: fc.WeightedArbitrary<Move> = { weight: 4, arbitrary: fc.constant({ do: 'wait' }) };
const turns: fc.WeightedArbitrary<Move> = {
  weight: 2,
  arbitrary: fc.constantFrom('prompt', 'cancel', 'maintain', 'maintained').map((what) => ({ do: what })),
};
const commands: fc.WeightedArbitrary<Move> = {
  weight: 8,
  arbitrary: fc.oneof(
    fc.constantFrom<Move>({ do: 'underway' }, { do: 'let-go' }),
    fc.record({ do: fc.constant('let-go' as const), which: fc.nat() }),
  ),
};

const LENGTH = { minLength: 10, maxLength: 40, size: 'max' } as const;

const delivery = fc.constantFrom('next-step' as const, 'quiet' as const);

/** Plays moves on whatever is open, then lets everything come to an end. */
class Play {
  readonly #troupe: Troupe;
  /** Null where everything is in memory. */
  readonly #real: RealTree | null;
  /** What was wrong on the way. */
  readonly faults: string[] = [];
  #texts = 0;
  #maintained: (() => void) | null = null;

  constructor(troupe: Troupe, real: RealTree | null = null) {
    this.#troupe = troupe;
    this.#real = real;
    troupe.prompt('main');
  }

  async play(move: Move): Promise<void> {
    await this.#move(move);
    this.faults.push(...((await this.#real?.lockFaults()) ?? []));
  }

  /** Answers everything in words until nothing is open any more. */
  async finish(): Promise<void> {
    for (let rounds = 0; rounds < 200; rounds += 1) {
      this.#endMaintenance();
      await this.#real?.letGo();
      await this.#settle();
      if (this.#troupe.open.length === 0 && this.#atRest) return;
      this.#answer(0, 'text', 0);
    }
    throw new Error('the tree does not come to rest');
  }

  async #move(move: Move): Promise<void> {
    const { agent } = this.#troupe;
    switch (move.do) {
      case 'answer':
        // An answer that nobody has asked for yet would be wasted.
        if (this.#troupe.open.length === 0) await this.#settle();
        if (this.#troupe.open.length === 0 && this.#atRest) {
          this.#troupe.prompt('more');
          await this.#settle();
        }
        return this.#answer(move.who, move.how, move.whom);
      case 'prompt':
        return this.#troupe.prompt('more');
      case 'cancel':
        return agent.cancel();
      case 'maintain':
        if (agent.phase !== 'idle' || agent.status !== 'idle') return;
        void agent
          .runMaintenance(() => new Promise<void>((resolve) => (this.#maintained = resolve)))
          .catch(() => {});
        return;
      case 'maintained':
        return this.#endMaintenance();
      case 'wait':
        return this.#settle();
      case 'let-go':
        return this.#real?.letGo(move.which);
      case 'underway':
        await this.#settle();
        this.faults.push(...((await this.#real?.underway()) ?? []));
    }
  }

  /** Lets happen what happens by itself. Disk and processes take longer than some turns of the event loop. */
  async #settle(): Promise<void> {
    await settle();
    const real = this.#real;
    if (real === null) return;
    await eventually(
      () => this.#troupe.open.length > 0 || real.runsCommands || this.#maintained !== null || this.#atRest,
    );
  }

  get #atRest(): boolean {
    return this.#troupe.children.live === 0 && this.#troupe.agent.status === 'idle';
  }

  #endMaintenance(): void {
    this.#maintained?.();
    this.#maintained = null;
  }

  #answer(who: number, how: Answer, whom: number): void {
    const troupe = this.#troupe;
    const attempt = troupe.takeOpen(who);
    if (attempt === undefined || attempt.signal.aborted) return;
    this.#texts += 1;
    const text = `said-${String(this.#texts)}`;
    const call = (name: string, args: object): void =>
      attempt.reply({ text: `private-${text}`, calls: [troupe.call(name, args)] });
    switch (how) {
      case 'text':
        return attempt.reply(text);
      case 'nothing':
        return attempt.reply('');
      case 'report':
        return call('report', { text });
      case 'reports':
        return attempt.reply({
          calls: ['a', 'b'].map((part) => troupe.call('report', { text: `${text}-${part}` })),
        });
      case 'spawn':
      case 'foreground':
        return call('subagent', {
          description: text,
          prompt: `task ${text}`,
          run_in_background: how === 'spawn',
        });
      case 'message':
        return call('send_message', { agent: this.#someone(attempt, whom), message: text });
      case 'interrupt':
        return call('interrupt_agent', { agent: this.#someone(attempt, whom) });
      case 'length':
      case 'filter':
        return attempt.reply({ text, finish: how === 'length' ? 'length' : 'content-filter' });
      case 'fail':
        return attempt.fail();
      case 'brief':
      case 'littering':
      case 'waiting':
      case 'heedless':
        // What is cancelled in the middle of its first call never comes to its second one.
        return attempt.reply({
          text: `private-${text}`,
          calls: [
            troupe.call('bash', { command: this.#real?.command(how) }),
            troupe.call('report', { text: `${text}-after` }),
          ].slice(0, 1 + (whom % 2)),
        });
    }
  }

  /** Mostly a child of whoever asks, and then rather one that has settled. */
  #someone({ request }: Attempt, whom: number): SessionId {
    const tree = treeOf(this.#troupe);
    const { root, started } = tree;
    const live = liveIn(tree);
    const asking = started.find(({ label }) => opening(request) === `task ${label}`)?.id ?? root;
    const own = started.filter(({ parent }) => parent === asking);
    const settled = own.filter(({ id }) => !live.includes(id));
    const all = [...settled, ...settled, ...settled, ...own, ...own, ...started];
    return all[whom % Math.max(1, all.length)]?.id ?? root;
  }
}

// The first check of arguments loads its library from the disk, which no number of turns of the event loop waits for.
beforeAll(async () => {
  const troupe = new Troupe();
  troupe.prompt('main');
  await troupe.spawn(await troupe.next('main'), 'warm up');
  await troupe.agent.dispose();
});

describe('random trees: reports arrive once and in order, every epoch settles once, nothing else passes, nothing is left', () => {
  it('in memory', async () => {
    let reach = NOTHING;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(answer(TALK), wait, turns), LENGTH),
        delivery,
        fc.boolean(),
        async (program, reportDelivery, disposed) => {
          const troupe = new Troupe({ settings: { reportDelivery } });
          const play = new Play(troupe);
          for (const move of program) await play.play(move);
          if (!disposed) await play.finish();
          await troupe.agent.dispose();
          reach = reachOf(treeOf(troupe), reach);
          expect(treeFaults(treeOf(troupe))).toEqual([]);
        },
      ),
      { numRuns: 80, timeout: 20_000, endOnFailure: true },
    );
    expect(reach.children).toBeGreaterThan(80);
    expect(Math.min(...Object.values(reach))).toBeGreaterThan(0);
  }, 600_000);

  it('with sessions on disk and commands in processes', async () => {
    let reach = NOTHING;
    const commanding = Object.keys(COMMANDS) as (keyof typeof COMMANDS)[];
    const answers = [...TALK, ...TALK, ...SPAWNING, ...SPAWNING, ...commanding, ...commanding];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(answer(answers), wait, turns, commands), LENGTH),
        delivery,
        fc.boolean(),
        async (program, reportDelivery, disposed) => {
          const real = new RealTree({ reportDelivery });
          const play = new Play(real.troupe, real);
          for (const move of program) await play.play(move);
          if (!disposed) await play.finish();
          await real.troupe.agent.dispose();
          reach = reachOf(treeOf(real.troupe), reach);
          const faults = [...play.faults, ...treeFaults(treeOf(real.troupe))];
          expect([...faults, ...(await real.remains())]).toEqual([]);
        },
      ),
      { numRuns: 30, timeout: 120_000, endOnFailure: true },
    );
    expect(reach.children).toBeGreaterThan(15);
    expect(Math.min(reach.grandchildren, reach.reports, reach.stopped)).toBeGreaterThan(0);
  }, 600_000);
});
