import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { balanceFaults } from '../agent/fixtures/invariants.ts';
import { textOf } from '../agent/fixtures/rehearsal.ts';
import type { SessionEvent, SessionId, UserMessage } from '../session/events.ts';
import { Troupe, received, settle } from './fixtures/troupe.ts';

type Move =
  | { readonly do: 'answer'; readonly who: number; readonly how: Answer; readonly whom: number }
  | { readonly do: 'prompt' | 'cancel' | 'maintain' | 'maintained' | 'wait' };
type Answer =
  | 'text'
  | 'nothing'
  | 'report'
  | 'reports'
  | 'spawn'
  | 'foreground'
  | 'message'
  | 'interrupt'
  | 'length'
  | 'filter'
  | 'fail';

const answers = fc.constantFrom<Answer>(
  ...(['text', 'nothing', 'report', 'reports', 'spawn', 'spawn', 'foreground', 'message'] as const),
  ...(['interrupt', 'length', 'filter', 'fail'] as const),
);
const moves = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ do: fc.constant('answer' as const), who: fc.nat(), how: answers, whom: fc.nat() }),
  },
  { weight: 4, arbitrary: fc.constant<Move>({ do: 'wait' }) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('prompt', 'cancel', 'maintain', 'maintained')
      .map((what): Move => ({ do: what as 'prompt' })),
  },
);

/** Plays moves on whatever is open, then lets everything come to an end. */
class Play {
  readonly troupe: Troupe;
  #texts = 0;
  #maintained: (() => void) | null = null;

  constructor(reportDelivery: 'next-step' | 'quiet') {
    this.troupe = new Troupe({ settings: { reportDelivery } });
    this.troupe.prompt('main');
  }

  async play(move: Move): Promise<void> {
    const { agent } = this.troupe;
    switch (move.do) {
      case 'answer':
        // An answer that nobody has asked for yet would be wasted.
        if (this.troupe.open.length === 0) await settle();
        return this.#answer(move.who, move.how, move.whom);
      case 'prompt':
        return this.troupe.prompt('more');
      case 'cancel':
        return agent.cancel();
      case 'maintain':
        if (agent.phase !== 'idle' || agent.status !== 'idle') return;
        void agent
          .runMaintenance(() => new Promise<void>((resolve) => (this.#maintained = resolve)))
          .catch(() => {});
        return;
      case 'maintained':
        return this.#maintained?.();
      case 'wait':
        return settle();
    }
  }

  /** Answers everything in words until nothing is open any more. */
  async finish(): Promise<void> {
    for (let rounds = 0; rounds < 200; rounds += 1) {
      this.#maintained?.();
      await settle();
      if (
        this.troupe.open.length === 0 &&
        this.troupe.children.live === 0 &&
        this.troupe.agent.status === 'idle'
      )
        return;
      this.#answer(0, 'text', 0);
    }
    throw new Error('the tree does not come to rest');
  }

  #answer(who: number, how: Answer, whom: number): void {
    const attempt = this.troupe.takeOpen(who);
    if (attempt === undefined || attempt.signal.aborted) return;
    this.#texts += 1;
    const text = `said-${String(this.#texts)}`;
    const call = (name: string, args: object): void =>
      attempt.reply({ text: `private-${text}`, calls: [this.troupe.call(name, args)] });
    switch (how) {
      case 'text':
        return attempt.reply(text);
      case 'nothing':
        return attempt.reply('');
      case 'report':
        return call('report', { text });
      case 'reports':
        return attempt.reply({
          calls: ['a', 'b'].map((part) => this.troupe.call('report', { text: `${text}-${part}` })),
        });
      case 'spawn':
      case 'foreground':
        return call('subagent', {
          description: text,
          prompt: `task ${text}`,
          run_in_background: how === 'spawn',
        });
      case 'message':
        return call('send_message', { agent: this.#someone(whom), message: text });
      case 'interrupt':
        return call('interrupt_agent', { agent: this.#someone(whom) });
      case 'length':
      case 'filter':
        return attempt.reply({ text, finish: how === 'length' ? 'length' : 'content-filter' });
      case 'fail':
        return attempt.fail();
    }
  }

  #someone(whom: number): SessionId {
    const ids = this.troupe.news.flatMap((each) => (each.kind === 'started' ? [each.child.id] : []));
    return ids[whom % Math.max(1, ids.length)] ?? this.troupe.session.id;
  }
}

function events(troupe: Troupe, id: SessionId): readonly SessionEvent[] {
  return id === troupe.session.id ? troupe.agent.events() : (troupe.sessions.read(id)?.events ?? []);
}

/** What is wrong with a tree that has come to its end. */
function faults(troupe: Troupe): readonly string[] {
  const started = troupe.news.flatMap((each) => (each.kind === 'started' ? [each.child] : []));
  const finished = troupe.news.filter(({ kind }) => kind === 'finished').length;
  const children = [...new Map(started.map((child) => [child.id, child])).values()];
  const found: string[] = [];
  if (started.length !== finished)
    found.push(`${String(started.length)} epochs began, ${String(finished)} ended`);
  if (troupe.children.live !== 0) found.push('a child is left');
  for (const id of [troupe.session.id, ...children.map((child) => child.id)]) {
    found.push(...balanceFaults(events(troupe, id)).map((fault) => `${id}: ${fault}`));
  }
  for (const child of children) {
    const above = events(troupe, child.parent);
    const from = received(above).filter(
      ({ source }) => 'senderSessionId' in source && source.senderSessionId === child.id,
    );
    const settlements = from.filter(({ source }) => source.kind === 'subagent-settled').length;
    const epochs = started.filter(({ id }) => id === child.id).length;
    if (settlements !== (child.mode === 'continuable' ? epochs : 0))
      found.push(`${child.label}: ${String(epochs)} epochs, ${String(settlements)} settlements`);
    found.push(...reportFaults(child.label, events(troupe, child.id), above, reportsOf(from)));
    found.push(...leaks(child.label, events(troupe, child.id), above));
  }
  return found;
}

function reportsOf(messages: readonly UserMessage[]): readonly string[] {
  return messages.flatMap(({ id, source }) => (source.kind === 'subagent-report' ? [id] : []));
}

/** Every accepted report is delivered once and in order, or durably cancelled. */
function reportFaults(
  label: string,
  below: readonly SessionEvent[],
  above: readonly SessionEvent[],
  queued: readonly string[],
): readonly string[] {
  const accepted = below.flatMap((event) => {
    const id =
      event.type === 'tool/result'
        ? /^Delivered as message (\S+)\.$/.exec(event.data.content)?.[1]
        : undefined;
    return id === undefined ? [] : [id];
  });
  const recorded = above
    .flatMap((event) => (event.type === 'user/message' ? [event.data.id as string] : []))
    .filter((id) => queued.includes(id));
  // A call that was cancelled after its report went out has no receipt; the report stands.
  const found = isIn(accepted, queued)
    ? []
    : [`${label}: not all that was accepted was queued, or out of order`];
  if (!isIn(recorded, queued)) found.push(`${label}: recorded out of order or twice`);
  const missing = queued.filter((id) => !recorded.includes(id) && !isCancelledOrWaiting(id, above));
  if (missing.length > 0) found.push(`${label}: lost ${missing.join()}`);
  return found;
}

/** Is `part` what is left of `whole` when some are taken out? */
function isIn(part: readonly string[], whole: readonly string[]): boolean {
  return part.join() === whole.filter((each) => part.includes(each)).join();
}

/** Folds the inbox as far as one message goes. */
function isCancelledOrWaiting(id: string, above: readonly SessionEvent[]): boolean {
  const lists: Record<'next-turn' | 'next-step', string[]> = { 'next-turn': [], 'next-step': [] };
  let cancelled = false;
  for (const event of above) {
    if (event.type !== 'agent/inbox/spliced') continue;
    const { target, start, removedCount = 0, inserted, outcome } = event.data;
    const removed = lists[target].splice(
      start,
      removedCount,
      ...inserted.map((message) => message.id as string),
    );
    if (outcome === 'cancelled' && removed.includes(id)) cancelled = true;
    // An ordinary message that a turn has claimed is never revived, whatever becomes of that turn.
    if (outcome === undefined && target === 'next-turn' && removed.includes(id)) cancelled = true;
  }
  return cancelled || lists['next-turn'].includes(id) || lists['next-step'].includes(id);
}

/** What a child wrote beside its calls reaches its parent as its closing text at most. */
function leaks(
  label: string,
  below: readonly SessionEvent[],
  above: readonly SessionEvent[],
): readonly string[] {
  const own = below
    .flatMap((event) => (event.type === 'assistant/message' ? [event.data.message.text] : []))
    .filter((text) => text.startsWith('private-'));
  return above.flatMap((event) => {
    if (event.type !== 'user/message' || event.data.source.kind === 'subagent-settled') return [];
    const leaked = own.find((text) => textOf(event.data).includes(text));
    return leaked === undefined ? [] : [`${label}: ${leaked} reached its parent`];
  });
}

// The first check of arguments loads its library from the disk, which no number of turns of the event loop waits for.
beforeAll(async () => {
  const troupe = new Troupe();
  troupe.prompt('main');
  await troupe.spawn(await troupe.next('main'), 'warm up');
  await troupe.agent.dispose();
});

it('random trees: reports arrive once and in order, every epoch settles once, nothing else passes, nothing is left', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(moves, { maxLength: 40 }),
      fc.constantFrom('next-step' as const, 'quiet' as const),
      fc.boolean(),
      async (program, delivery, disposed) => {
        const play = new Play(delivery);
        for (const move of program) await play.play(move);
        if (!disposed) await play.finish();
        await play.troupe.agent.dispose();
        expect(faults(play.troupe)).toEqual([]);
      },
    ),
    { numRuns: 150, timeout: 20_000, endOnFailure: true },
  );
}, 120_000);
