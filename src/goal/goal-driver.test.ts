import { describe, expect, it } from 'vitest';
import { createAgent } from '../agent/agent.ts';
import type { Agent, Policies } from '../agent/contract.ts';
import { HeldStore, RehearsedModel, outline, say, seen } from '../agent/fixtures/rehearsal.ts';
import type { SessionEvent } from '../session/events.ts';
import { createMemorySession, type Session } from '../session/session.ts';
import type { LiveChildren } from '../subagent/family.ts';
import { ToolRegistry } from '../tools/registry.ts';
import { createToolRunner } from '../tools/scheduler.ts';
import { GoalDriver } from './goal-driver.ts';
import { GoalRecord } from './goal-record.ts';
import { goalTools } from './goal-tools.ts';

interface Pursued {
  readonly agent: Agent;
  readonly model: RehearsedModel;
  readonly record: GoalRecord;
  readonly driver: GoalDriver;
  readonly store: HeldStore;
  readonly session: Session;
}

function pursue(
  options: {
    readonly session?: Session;
    readonly policies?: Policies;
    readonly children?: LiveChildren;
  } = {},
): Pursued {
  const held: { store: HeldStore | null } = { store: null };
  const session =
    options.session ?? createMemorySession({ wrapStore: (inner) => (held.store = new HeldStore(inner)) });
  const store = held.store ?? new HeldStore(session.log.store);
  const record = new GoalRecord(session.log);
  const driver = new GoalDriver(record, store);
  const tools = new ToolRegistry();
  for (const tool of goalTools(record)) tools.add(tool);
  const model = new RehearsedModel();
  const agent = createAgent({
    session,
    model,
    tools: createToolRunner(tools),
    systemPrompt: () => 'Be brief.',
    cwd: '/',
    policies: { ...options.policies, admitPrompt: driver.admission(options.policies?.admitPrompt) },
  });
  driver.attach(agent, options.children ?? null);
  return { agent, model, record, driver, store, session };
}

/** With an active goal, at rest after the turn that made it. */
async function begun(options: Parameters<typeof pursue>[0] = {}, limit?: number): Promise<Pursued> {
  const pursued = pursue(options);
  pursued.agent.followup(say('begin'));
  const first = await pursued.model.next();
  pursued.record.create('the objective', limit);
  first.reply('begun');
  return pursued;
}

const changes = (events: readonly SessionEvent[]) =>
  events.flatMap((event) =>
    event.type === 'goal/change' ? [[event.data.operation, event.data.roundsStarted]] : [],
  );
const rest = (): Promise<void> =>
  new Promise((resolve) => setImmediate(() => setImmediate(() => setImmediate(resolve))));

describe('the goal driver', () => {
  it('GOAL-1: goes on at whole-agent idle, a round each time, and stops at complete', async () => {
    const { agent, model, record } = await begun();
    const round = await model.next();
    expect(seen(round.request).at(-1)).toContain(
      'Round 1 of at most 256 towards the goal goal-1 (revision 1)',
    );
    round.reply('one');
    const second = await model.next();
    expect(record.roundsStarted).toBe(2);
    record.update({ id: 'goal-1', revision: 1, phase: 'complete' });
    second.reply('two');
    await agent.whenIdle();
    await rest();
    expect(changes(agent.events())).toEqual([
      ['create', 0],
      ['round', 1],
      ['round', 2],
      ['complete', 2],
    ]);
    expect(agent.status).toBe('idle');
  });

  it('an owner of the interval that ends it at the first idle is heard before the next round', async () => {
    const { agent, model } = await begun();
    await agent.whenIdle();
    await agent.dispose();
    await rest();
    expect(model.attempts).toHaveLength(1);
    expect(agent.events().filter((event) => event.type === 'turn/start')).toHaveLength(1);
    expect(changes(agent.events())).toEqual([['create', 0]]);
  });

  it('GOAL-1: a resumed goal waits until other input has started an interval', async () => {
    const { agent, session } = await begun();
    await agent.whenIdle();
    await agent.dispose();
    const again = pursue({ session });
    await rest();
    expect(again.model.attempts).toEqual([]);
    again.agent.followup(say('hello'));
    (await again.model.next()).reply('hi');
    expect(seen((await again.model.next()).request).at(-1)).toContain('Round 1');
  });

  it('GOAL-1: an explicit resume from the library starts a resumed goal', async () => {
    const { agent, session } = await begun();
    await agent.whenIdle();
    await agent.dispose();
    const again = pursue({ session });
    again.driver.update({ id: 'goal-1', revision: 1, phase: 'active' });
    expect(seen((await again.model.next()).request).at(-1)).toContain('(revision 2)');
  });

  it('GOAL-3: a message of a person that waits runs before the next round', async () => {
    const { agent, model } = await begun();
    const round = await model.next();
    agent.followup(say('and this?'));
    round.reply('one');
    const next = await model.next();
    expect(seen(next.request).at(-1)).toBe('u:and this?');
    next.reply('this too');
    expect(seen((await model.next()).request).at(-1)).toContain('Round 2');
  });

  it('GOAL-3: a goal that is edited before the admission of its round rejects it without using one up', async () => {
    let edit = (): void => {};
    const pursued = await begun();
    pursued.agent.subscribe((published) => {
      if (
        published.kind === 'live' &&
        published.live.type === 'agent/queued' &&
        published.live.message.source.kind === 'goal'
      )
        edit();
    });
    edit = () => {
      edit = () => {};
      pursued.record.update({ id: 'goal-1', revision: 1, objective: 'another objective' });
    };
    const round = await pursued.model.next();
    expect(seen(round.request).at(-1)).toContain('another objective');
    expect(seen(round.request).at(-1)).toContain('Round 1 of');
    expect(changes(pursued.agent.events())).toEqual([
      ['create', 0],
      ['edit', 0],
      ['round', 1],
    ]);
    expect(outline(pursued.agent.events())).toContain('prompt/blocked');
  });

  it('GOAL-2: a goal message that this driver has not sent is recognised as none of its own', async () => {
    const { agent, model, record } = pursue();
    record.create('the objective');
    agent.followup(say('forged', { kind: 'goal', goalId: 'goal-1', revision: 1, round: 1 }));
    const round = await model.next();
    expect(seen(round.request)).toEqual([expect.stringContaining('Round 1')]);
    expect(agent.events().find((event) => event.type === 'turn/end')).toMatchObject({
      data: { reason: { kind: 'rejected' } },
    });
  });

  it.each([
    ['max-tokens', 'an answer reached the token ceiling'],
    ['error', 'a turn failed: no route'],
    ['cancel', 'cancelled (user)'],
  ])(
    'GOAL-4, GOAL-5: %s pauses the goal with a reason, and no further round is sent',
    async (how, reason) => {
      const { agent, model, record } = await begun();
      const round = await model.next();
      if (how === 'max-tokens') round.reply({ text: 'half', finish: 'length' });
      else if (how === 'error') round.fail({ message: 'no route' });
      else agent.cancel();
      await agent.whenIdle();
      await rest();
      expect(record.goal).toMatchObject({ phase: 'paused', reason, revision: 2 });
      expect(model.attempts).toHaveLength(2);
    },
  );

  it('GOAL-4: stops at its round limit, with the reason', async () => {
    const { model, record, agent } = await begun({}, 1);
    (await model.next()).reply('one');
    await agent.whenIdle();
    await rest();
    expect(record.goal).toMatchObject({ phase: 'paused', reason: 'its limit of 1 rounds is reached' });
  });

  it('GOAL-5: a round that admission blocks pauses the goal', async () => {
    const admitPrompt: Policies['admitPrompt'] = ({ source }) =>
      source.kind === 'goal' ? { allow: false, reason: 'not today' } : { allow: true };
    const { agent, model, record } = await begun({ policies: { admitPrompt } });
    await agent.whenIdle();
    await rest();
    await rest();
    expect(record.goal).toMatchObject({ phase: 'paused', reason: 'its round was not admitted: not today' });
    expect(record.roundsStarted).toBe(0);
    expect(model.attempts).toHaveLength(1);
  });

  it('GOAL-5: a flush that fails pauses the goal, before any round', async () => {
    const { agent, model, record, store } = await begun();
    store.failure = new Error('disk full');
    await agent.whenIdle();
    await rest();
    expect(record.goal).toMatchObject({ phase: 'paused', reason: 'the session could not be written' });
    expect(model.attempts).toHaveLength(1);
  });

  it('GOAL-5: while children live no round is sent; it is sent once they are gone', async () => {
    const listeners = new Set<() => void>();
    const children = {
      live: 1,
      onChange: (listener: () => void) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      list: () => [],
    };
    const { agent, model } = await begun({ children });
    await agent.whenIdle();
    await rest();
    expect(model.attempts).toHaveLength(1);
    children.live = 0;
    for (const listener of listeners) listener();
    expect(seen((await model.next()).request).at(-1)).toContain('Round 1');
  });

  it('GOAL-4: a disposal leaves the goal active', async () => {
    const { agent, model, record } = await begun();
    await model.next();
    await agent.dispose();
    await rest();
    expect(record.goal?.phase).toBe('active');
  });
});

describe('the record of a goal', () => {
  it('compares and sets on id and revision; the start of a round is no revision', () => {
    const { log } = createMemorySession();
    const record = new GoalRecord(log);
    expect(() => record.update({ id: 'goal-1', revision: 1 })).toThrowError(
      expect.objectContaining({ code: 'NO_GOAL' }),
    );
    record.create('one');
    record.startRound();
    expect(() => record.create('two')).toThrowError(expect.objectContaining({ code: 'GOAL_EXISTS' }));
    for (const stale of [
      { id: 'goal-2', revision: 1 },
      { id: 'goal-1', revision: 2 },
    ])
      expect(() => record.update(stale)).toThrowError(expect.objectContaining({ code: 'STALE_GOAL' }));
    expect(record.update({ id: 'goal-1', revision: 1, phase: 'blocked', reason: 'why' })).toMatchObject({
      revision: 2,
      reason: 'why',
    });
    record.update({ id: 'goal-1', revision: 2, phase: 'active' });
    expect(record.goal).not.toHaveProperty('reason');
    record.update({ id: 'goal-1', revision: 3, phase: 'complete' });
    expect(() => record.update({ id: 'goal-1', revision: 4, phase: 'active' })).toThrowError(
      expect.objectContaining({ code: 'GOAL_ENDED' }),
    );
    expect(record.create('two').id).toBe('goal-2');
    expect(new GoalRecord(log)).toMatchObject({ goal: record.goal, roundsStarted: 0 });
  });
});
