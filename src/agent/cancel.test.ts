import { describe, expect, it } from 'vitest';
import { SessionState } from '../session/state.ts';
import type { Policies } from './contract.ts';
import { fateFaults } from './fixtures/invariants.ts';
import { call, outline, rehearse, say, seen, type Rehearsal } from './fixtures/rehearsal.ts';
import { tick } from './fixtures/stage.ts';

const after = (rehearsal: Rehearsal, count: number): string[] =>
  outline(rehearsal.agent.events()).slice(count);

describe('cancel', () => {
  it('CANCEL-1, CANCEL-2: clears unstarted ordinary and steering input durably; context stays', async () => {
    const rehearsal = rehearse();
    const { agent, model, live } = rehearsal;
    agent.followup(say('running'));
    await model.next();
    agent.followup(say('unstarted'));
    agent.steer(say('steering'));
    agent.inject(say('context'));
    agent.cancel('parent');
    await agent.whenIdle();
    expect(after(rehearsal, 9)).toEqual([
      'splice next-turn -1 cancelled',
      'splice next-step -1 cancelled',
      'step/end 1.1',
      'turn/end 1 aborted',
    ]);
    expect(agent.events().at(-1)?.data).toEqual({ turn: 1, reason: { kind: 'aborted', cause: 'parent' } });
    expect(live.find((one) => one.type === 'agent/inbox/discarded')).toMatchObject({
      cause: 'parent',
      messages: [{}, {}],
    });
    agent.followup(say('next'));
    const next = await model.next();
    expect(seen(next.request)).toEqual(['u:running', 'u:context', 'u:next']);
    next.reply('ok');
    await agent.whenIdle();
  });

  it('CANCEL-3: visible text is kept as interrupted, partial calls are dropped', async () => {
    const { agent, model } = rehearse();
    agent.followup(say('go'));
    const first = await model.next();
    first.think('hm');
    first.say('half an ans');
    first.onChunk({ kind: 'block-start', block: 'tool-call', index: 1, id: 'c', name: 'write' });
    first.onChunk({ kind: 'tool-call-delta', index: 1, arguments: '{"pa' });
    agent.cancel();
    first.say('late');
    await agent.whenIdle();
    const kept = agent.events().find((event) => event.type === 'assistant/message');
    expect(kept?.data).toEqual({
      turn: 1,
      step: 1,
      interrupted: true,
      message: { role: 'assistant', text: 'half an ans', reasoning: 'hm', toolCalls: [] },
    });
    agent.followup(say('next'));
    const next = await model.next();
    expect(seen(next.request)).toEqual(['u:go', 'a:half an ans', 'u:next']);
    next.reply('ok');
    await agent.whenIdle();
  });

  it('CANCEL-4: in a batch the running call ends as aborted, the others as not run', async () => {
    const rehearsal = rehearse();
    const { agent, model, tools } = rehearsal;
    tools.bodies['work'] = (made) => (made.id === 'a' ? 'done' : new Promise(() => {}));
    agent.followup(say('go'));
    (await model.next()).reply({ calls: [call('a', 'work'), call('b', 'work'), call('c', 'work')] });
    await tick();
    agent.cancel();
    await agent.whenIdle();
    expect(after(rehearsal, 6)).toEqual([
      'assistant/message ',
      'tool/call a',
      'tool/call b',
      'tool/call c',
      'tool/result a',
      'tool/result b ABORTED',
      'tool/result c ABORTED_BEFORE_DISPATCH',
      'step/end 1.1',
      'turn/end 1 aborted',
    ]);
  });

  it('CANCEL-5: idle with an empty inbox it changes nothing', async () => {
    const { agent, model, live, store } = rehearse();
    agent.cancel();
    expect([agent.events().length, live.length, store.flushes]).toEqual([0, 0, 0]);
    model.script = () => 'ok';
    agent.followup(say('go'));
    await agent.whenIdle();
    expect(outline(agent.events()).at(-1)).toBe('turn/end 1 completed');
  });

  it('CANCEL-2: what a resumed session holds pending is cancelled durably, without a turn', async () => {
    const { agent, session, store } = rehearse();
    session.log.append('agent/inbox/spliced', { target: 'next-turn', start: 0, inserted: [say('pending')] });
    agent.cancel();
    expect(outline(agent.events())).toEqual(['splice next-turn +1', 'splice next-turn -1 cancelled']);
    expect(store.flushes).toBe(1);
    await tick();
    expect(agent.status).toBe('idle');
  });

  it('CANCEL-6: during admission there is no step, no prompt/blocked, no request; the message is not revived', async () => {
    const { agent, model } = rehearse({ policies: { admitPrompt: () => new Promise(() => {}) } });
    agent.inject(say('context'));
    agent.followup(say('go'));
    await tick();
    agent.cancel();
    await agent.whenIdle();
    expect(outline(agent.events())).toEqual([
      'splice next-step +1 quiet',
      'splice next-turn +1',
      'turn/start 1',
      'splice next-step -1',
      'splice next-turn -1',
      'splice next-step +1 quiet',
      'turn/end 1 aborted',
    ]);
    expect(model.attempts).toEqual([]);
  });

  it('ADMIT-4: claimed steering that a broad cancel meets is cancelled durably; with keepInbox it runs, once', async () => {
    for (const keepInbox of [false, true]) {
      let decide = (): void => {};
      const { agent, model, session } = rehearse({
        policies: {
          admitPrompt: () =>
            new Promise((resolve) => (decide = () => resolve({ allow: false, reason: 'no' }))),
        },
      });
      // A blocked prompt gives its claim back; the next turn claims it again.
      const steering = say('steering');
      session.log.append('agent/inbox/spliced', { target: 'next-step', start: 0, inserted: [steering] });
      agent.followup(say('go'));
      await tick();
      expect(session.log.state.claimed.map((item) => item.from)).toEqual(['next-step', 'next-turn']);
      agent.cancel('user', { keepInbox });
      await tick();
      decide();
      await agent.whenIdle();
      const cancelled = outline(agent.events()).filter((line) => line.endsWith('cancelled')).length;
      expect(cancelled).toBe(keepInbox ? 0 : 1);
      expect(session.log.state.turns).toBe(keepInbox ? 2 : 1);
      expect(model.attempts).toEqual([]);
    }
  });

  it.each(['agent/queued', 'running'] as const)(
    'CANCEL-7: from a listener of %s it prevents turn/start; transitions pair',
    async (moment) => {
      const { agent, model, live } = rehearse();
      agent.subscribe((published) => {
        if (published.kind !== 'live') return;
        const name = published.live.type === 'agent/status' ? published.live.status : published.live.type;
        if (name === moment) agent.cancel();
      });
      agent.followup(say('go'));
      await agent.whenIdle();
      expect(outline(agent.events())).toEqual(['splice next-turn +1', 'splice next-turn -1 cancelled']);
      const statuses = live.flatMap((one) => (one.type === 'agent/status' ? [one.status] : []));
      expect(statuses).toEqual(moment === 'running' ? ['running', 'idle'] : []);
      expect(agent.status).toBe('idle');
      expect(model.attempts).toEqual([]);
    },
  );

  it('CANCEL-8: input after cancel and before idle runs after that turn, in the same interval; a second cancel clears it', async () => {
    const { agent, model, live, store } = rehearse();
    agent.followup(say('first'));
    await model.next();
    store.hold();
    agent.cancel();
    agent.followup(say('ordinary'));
    agent.steer(say('steering'));
    model.script = (request) => `re ${seen(request).at(-1)}`;
    await tick();
    store.release();
    await agent.whenIdle();
    expect(outline(agent.events()).filter((line) => /^turn|user/.test(line))).toEqual([
      'turn/start 1',
      'user/message first',
      'turn/end 1 aborted',
      'turn/start 2',
      'user/message ordinary',
      'turn/end 2 completed',
      'turn/start 3',
      'user/message steering',
      'turn/end 3 completed',
    ]);
    expect(live.filter((one) => one.type === 'agent/status')).toHaveLength(2);

    model.script = null;
    agent.followup(say('second'));
    await model.next();
    agent.cancel();
    agent.followup(say('x'));
    agent.steer(say('y'));
    agent.cancel();
    await agent.whenIdle();
    expect(agent.events().filter((event) => event.type === 'turn/start')).toHaveLength(4);
  });

  it.each(['step/start', 'request/header', 'assistant/message', 'step/end', 'agent/turn-stop'])(
    'CANCEL-8: what a listener sends after its own cancel at %s is no part of the aborted turn',
    async (moment) => {
      const { agent, model } = rehearse();
      model.script = (request) => `re ${seen(request).at(-1)}`;
      let done = false;
      agent.subscribe((published) => {
        const type = published.kind === 'event' ? published.event.type : published.live.type;
        if (done || type !== moment) return;
        done = true;
        agent.cancel();
        agent.steer(say('steered'));
        agent.inject(say('context'));
      });
      agent.followup(say('go'));
      await agent.whenIdle();
      expect(outline(agent.events()).filter((line) => /^turn|user|^step/.test(line))).toEqual([
        'turn/start 1',
        'step/start 1.1',
        'user/message go',
        'step/end 1.1',
        'turn/end 1 aborted',
        'turn/start 2',
        'step/start 2.1',
        'user/message context',
        'user/message steered',
        'step/end 2.1',
        'turn/end 2 completed',
      ]);
    },
  );

  it('CANCEL-9: the first cause wins over later cancels and disposal', async () => {
    const { agent, model } = rehearse();
    agent.followup(say('go'));
    await model.next();
    agent.cancel('hook');
    agent.cancel('parent');
    await agent.dispose();
    expect(agent.events().at(-1)?.data).toMatchObject({ reason: { kind: 'aborted', cause: 'hook' } });
  });

  it("CANCEL-9: cancelled in a retry's wait, no further attempt is made, and nothing of the failed one is kept", async () => {
    const { agent, model, clock } = rehearse();
    clock.stuck = true;
    agent.followup(say('go'));
    (await model.next()).fail({ status: 429, retryable: true, retryAfterMs: 30_000 });
    await tick();
    expect(clock.waits).toEqual([30_000]);
    agent.cancel();
    await agent.whenIdle();
    expect(model.attempts).toHaveLength(1);
    expect(outline(agent.events()).slice(-3)).toEqual(['llm/retry', 'step/end 1.1', 'turn/end 1 aborted']);
  });

  it('CANCEL-9: reasoning alone is visible; with nothing visible no message is recorded', async () => {
    const { agent, model } = rehearse();
    agent.followup(say('a'));
    (await model.next()).think('thinking');
    agent.cancel();
    await agent.whenIdle();
    agent.followup(say('b'));
    (await model.next()).onChunk({ kind: 'block-start', block: 'text', index: 0 });
    agent.cancel();
    await agent.whenIdle();
    expect(outline(agent.events()).filter((line) => line.startsWith('assistant'))).toEqual([
      'assistant/message  (interrupted)',
    ]);
    agent.followup(say('c'));
    const third = await model.next();
    // Reasoning alone is no content: a strict provider would refuse it.
    expect(seen(third.request)).toEqual(['u:a', 'u:b', 'u:c']);
    third.reply('ok');
    await agent.whenIdle();
  });

  it('with keepInbox the kept queue drains at once, one turn each', async () => {
    const { agent, model, live } = rehearse();
    agent.followup(say('a'));
    await model.next();
    agent.followup(say('b'));
    agent.followup(say('c'));
    model.script = () => 'ok';
    agent.cancel('parent', { keepInbox: true });
    await agent.whenIdle();
    expect(outline(agent.events()).filter((line) => /^turn\/end/.test(line))).toEqual([
      'turn/end 1 aborted',
      'turn/end 2 completed',
      'turn/end 3 completed',
    ]);
    expect(live.filter((one) => one.type === 'agent/status')).toHaveLength(2);
  });

  it.each(['tool/result', 'step/end', 'user/message S'] as const)(
    'a steer between tools has one durable fate, cancelled at %s',
    async (moment) => {
      for (const keepInbox of [false, true]) {
        const { agent, model, tools, session } = rehearse();
        tools.bodies['work'] = (made) => {
          if (made.id === 'a') agent.steer(say('S'));
          return 'ok';
        };
        let done = false;
        agent.subscribe((published) => {
          if (
            done ||
            published.kind !== 'event' ||
            outline([published.event])[0]?.startsWith(moment) !== true
          )
            return;
          done = true;
          agent.cancel('user', { keepInbox });
        });
        agent.followup(say('go'));
        (await model.next()).reply({ calls: [call('a', 'work'), call('b', 'work'), call('c', 'work')] });
        model.script = () => 'ok';
        await agent.whenIdle();
        agent.followup(say('N'));
        await agent.whenIdle();
        const lines = outline(agent.events());
        const recorded = lines.filter((line) => line === 'user/message S').length;
        const cancelled = lines.filter((line) => line === 'splice next-step -1 cancelled').length;
        expect([recorded, cancelled]).toEqual(keepInbox || moment === 'user/message S' ? [1, 0] : [0, 1]);
        const fold = new SessionState();
        for (const event of agent.events()) fold.apply(event);
        expect(fold.list('next-step')).toEqual(session.log.state.list('next-step'));
      }
    },
  );

  it('nothing waits for a model, a policy or maintenance that does not heed its signal', async () => {
    const deaf = new Promise<never>(() => {});
    const policy = rehearse({ policies: { continueTurn: () => deaf } });
    policy.tools.bodies['work'] = () => 'ok';
    policy.agent.followup(say('go'));
    (await policy.model.next()).reply({ calls: [call('c', 'work')] });
    await tick();
    policy.agent.cancel();
    await policy.agent.whenIdle();
    const model = rehearse({
      model: { header: policy.model.header.bind(policy.model), attempt: () => deaf },
    });
    model.agent.followup(say('go'));
    await tick();
    model.agent.cancel();
    await model.agent.whenIdle();
    const kept = model.agent.runMaintenance(() => deaf);
    model.agent.cancel();
    await expect(kept).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

describe('a cancel between a claim and its first step', () => {
  const policies: Record<string, Policies> = {
    none: {},
    'one that allows': { admitPrompt: () => ({ allow: true }) },
    'one that adds context': { admitPrompt: () => ({ allow: true, context: 'noted' }) },
    'one that blocks': { admitPrompt: () => ({ allow: false, reason: 'no' }) },
  };
  const inputs = ['followup', 'steer'] as const;

  it.each(Object.keys(policies).flatMap((policy) => inputs.map((input) => [policy, input] as const)))(
    'CANCEL-6: with the policy %s, of a %s: no step and no block, in whatever microtask it comes',
    async (policy, input) => {
      let between = 0;
      for (let microtasks = 0; microtasks < 20; microtasks += 1) {
        const { agent, model } = rehearse({ policies: policies[policy] ?? {} });
        const message = say('go');
        agent[input](message);
        for (let passed = 0; passed < microtasks; passed += 1) await Promise.resolve();
        const before = agent.events().map((event) => event.type);
        agent.cancel();
        await agent.whenIdle();
        const types = agent.events().map((event) => event.type);
        expect(fateFaults(agent.events(), [message.id])).toEqual([]);
        if (before.some((type) => ['step/start', 'prompt/blocked', 'turn/end'].includes(type))) continue;
        if (before.includes('turn/start')) between += 1;
        expect(types).not.toContain('step/start');
        expect(types).not.toContain('prompt/blocked');
        expect(model.attempts).toEqual([]);
      }
      expect(between).toBeGreaterThan(1);
    },
  );
});
