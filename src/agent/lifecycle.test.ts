import { describe, expect, it } from 'vitest';
import { balanceFaults } from './fixtures/invariants.ts';
import { call, HeldStore, outline, rehearse, say, seen } from './fixtures/rehearsal.ts';
import { tick } from './fixtures/stage.ts';
import type { SessionId } from '../session/events.ts';
import { createMemorySession } from '../session/session.ts';

describe('status and whenIdle', () => {
  it('STATUS-1, STATUS-2: several turns share one interval; running and idle come as one pair', async () => {
    const { agent, model, live } = rehearse();
    model.script = () => 'ok';
    agent.followup(say('a'));
    agent.followup(say('b'));
    expect(agent.status).toBe('running');
    await agent.whenIdle();
    expect(live.flatMap((one) => (one.type === 'agent/status' ? [one.status] : []))).toEqual([
      'running',
      'idle',
    ]);
  });

  it('STATUS-3: whenIdle resolves at once when idle, after a failed run, and not while a listener has woken the agent again', async () => {
    const { agent, model } = rehearse();
    await agent.whenIdle();
    agent.followup(say('a'));
    (await model.next()).fail({ status: 400 });
    await agent.whenIdle();
    let again = false;
    agent.subscribe((published) => {
      if (
        again ||
        published.kind !== 'live' ||
        published.live.type !== 'agent/status' ||
        published.live.status !== 'idle'
      )
        return;
      again = true;
      agent.followup(say('again'));
    });
    agent.followup(say('b'));
    (await model.next()).reply('ok');
    const idle = agent
      .whenIdle()
      .then(() => agent.events().filter((event) => event.type === 'turn/end').length);
    (await model.next()).reply('ok');
    expect(await idle).toBe(3);
  });

  it('STATUS-5: listeners that throw, at once or later, on every event, change no outcome and stop no other listener', async () => {
    const run = async (broken: boolean): Promise<[string[], number]> => {
      const { agent, model, tools } = rehearse();
      let told = 0;
      if (broken) {
        agent.subscribe(() => {
          throw new Error('broken');
        });
        agent.subscribe(() => Promise.reject(new Error('broken later')));
      }
      agent.subscribe((published) => {
        if (published.kind === 'event') told += 1;
      });
      tools.bodies['work'] = () => 'out';
      agent.inject(say('context'));
      agent.followup(say('go'));
      (await model.next()).reply({ calls: [call('c', 'work')] });
      (await model.next()).reply('ok');
      await agent.whenIdle();
      agent.followup(say('cancelled'));
      (await model.next()).say('x');
      agent.cancel();
      await agent.whenIdle();
      await agent.dispose();
      return [outline(agent.events()), told];
    };
    expect(await run(true)).toEqual(await run(false));
  });
});

describe('disposal', () => {
  it('STATUS-4: aborts the running turn, discards what has not started, leaves balance, and is idempotent', async () => {
    const { agent, model, store } = rehearse();
    agent.followup(say('running'));
    (await model.next()).say('half');
    agent.followup(say('unstarted'));
    agent.steer(say('steering'));
    await Promise.all([agent.dispose(), agent.dispose()]);
    await agent.dispose();
    expect(agent.events().at(-1)?.data).toEqual({ turn: 1, reason: { kind: 'aborted', cause: 'disposed' } });
    expect(balanceFaults(agent.events())).toEqual([]);
    expect(outline(agent.events()).filter((line) => line.endsWith('cancelled'))).toHaveLength(2);
    expect(store.flushes).toBe(2);
    expect([agent.status, agent.phase]).toEqual(['idle', 'closed']);
    agent.cancel();
    await agent.whenIdle();
  });

  it('STATUS-4: from a listener, a policy and a tool body it comes to its end', async () => {
    const ends: string[] = [];
    const listener = rehearse();
    listener.agent.subscribe((published) => {
      if (published.kind === 'event' && published.event.type === 'step/start') void listener.agent.dispose();
    });
    listener.agent.followup(say('go'));
    await listener.agent.dispose();
    ends.push(outline(listener.agent.events()).at(-1) ?? '');
    const policy = rehearse({
      policies: { admitPrompt: async () => (await policy.agent.dispose(), { allow: true }) },
    });
    policy.agent.followup(say('go'));
    await policy.agent.whenIdle();
    ends.push(outline(policy.agent.events()).at(-1) ?? '');
    const tool = rehearse();
    tool.tools.bodies['work'] = async () => (await tool.agent.dispose(), 'never');
    tool.agent.followup(say('go'));
    (await tool.model.next()).reply({ calls: [call('c', 'work')] });
    await tool.agent.whenIdle();
    ends.push(outline(tool.agent.events()).at(-1) ?? '');
    expect(ends).toEqual(['turn/end 1 aborted', 'turn/end 1 aborted', 'turn/end 1 aborted']);
  });

  it('while it closes inject is kept, followup is refused; the drain comes before the log is closed', async () => {
    let phase = '';
    const { agent } = rehearse({
      drain: () => {
        phase = agent.phase;
        agent.inject(say('settlement', { kind: 'subagent-settled', senderSessionId: 'child' as SessionId }));
        expect(() => agent.followup(say('late'))).toThrow(/disposed/);
        return Promise.resolve();
      },
    });
    await agent.dispose();
    expect(phase).toBe('closing');
    expect(outline(agent.events())).toEqual(['splice next-step +1 quiet']);
    expect(() => agent.inject(say('gone'))).toThrow(/disposed/);
  });

  it('a last flush that fails is reported, and the session is closed all the same', async () => {
    let closed = false;
    class Watched extends HeldStore {
      override close(): void {
        closed = true;
      }
    }
    const session = createMemorySession({
      wrapStore: (inner) => Object.assign(new Watched(inner), { failure: new Error('disk full') }),
    });
    const { agent, live } = rehearse({ session });
    await agent.dispose();
    expect(live.map((one) => one.type)).toEqual(['agent/error']);
    expect(closed).toBe(true);
  });
});

describe('maintenance', () => {
  it('MAINT-1: input waits until it ends, then waking input starts the driver once, in the same interval', async () => {
    const { agent, model, live, session } = rehearse();
    model.script = (request) => `re ${seen(request).at(-1)}`;
    let finish: (value: string) => void = () => {};
    const kept = agent.runMaintenance(() => new Promise<string>((resolve) => (finish = resolve)));
    expect([agent.status, agent.phase]).toEqual(['running', 'maintenance']);
    agent.steer(say('report', { kind: 'subagent-report', senderSessionId: 'child' as SessionId }));
    agent.followup(say('settlement', { kind: 'subagent-settled', senderSessionId: 'child' as SessionId }));
    agent.inject(say('context'));
    await tick();
    expect(session.log.state.turns).toBe(0);
    finish('kept');
    expect(await kept).toBe('kept');
    await agent.whenIdle();
    expect(outline(agent.events()).filter((line) => /^turn|user/.test(line))).toEqual([
      'turn/start 1',
      'user/message report',
      'user/message context',
      'user/message settlement',
      'turn/end 1 completed',
    ]);
    expect(live.flatMap((one) => (one.type === 'agent/status' ? [one.status] : []))).toEqual([
      'running',
      'idle',
    ]);
  });

  it('MAINT-1, STEER-4: steering that came during it becomes ordinary input after its checkpoint, each on its own', async () => {
    const { agent, model } = rehearse();
    model.script = () => 'ok';
    let finish = (): void => {};
    const kept = agent.runMaintenance(() => new Promise<void>((resolve) => (finish = resolve)));
    agent.steer(say('s1'));
    agent.followup(say('ordinary'));
    agent.steer(say('s2'));
    finish();
    await kept;
    await agent.whenIdle();
    const prompts = outline(agent.events()).filter((line) => /^turn\/start|user/.test(line));
    expect(prompts).toEqual([
      'turn/start 1',
      'user/message ordinary',
      'turn/start 2',
      'user/message s1',
      'turn/start 3',
      'user/message s2',
    ]);
  });

  it('MAINT-1: context alone, and input that was cancelled meanwhile, start nothing; cancel aborts the task', async () => {
    const { agent, session, store } = rehearse();
    let aborted = false;
    const kept = agent.runMaintenance(
      (signal) =>
        new Promise<void>((resolve) => signal.addEventListener('abort', () => ((aborted = true), resolve()))),
    );
    agent.inject(say('context'));
    agent.followup(say('cancelled'));
    agent.steer(say('cancelled too'));
    const flushes = store.flushes;
    agent.cancel('user');
    await expect(kept).rejects.toMatchObject({ code: 'CANCELLED', by: 'user' });
    await agent.whenIdle();
    expect([aborted, session.log.state.turns, store.flushes - flushes]).toEqual([true, 0, 1]);
  });

  it('MAINT-1: it is refused unless the agent is idle', async () => {
    const { agent, model } = rehearse();
    agent.followup(say('go'));
    await expect(agent.runMaintenance(() => Promise.resolve())).rejects.toMatchObject({ code: 'NOT_IDLE' });
    (await model.next()).reply('ok');
    await agent.whenIdle();
    await expect(agent.runMaintenance(() => Promise.reject(new Error('mine')))).rejects.toThrow('mine');
    expect(agent.status).toBe('idle');
    await agent.dispose();
    await expect(agent.runMaintenance(() => Promise.resolve())).rejects.toMatchObject({ code: 'DISPOSED' });
  });

  it('LOG-4: maintenance on a resumed agent wakes nothing that was pending', async () => {
    const session = createMemorySession();
    session.log.append('agent/inbox/spliced', { target: 'next-turn', start: 0, inserted: [say('pending')] });
    const { agent } = rehearse({ session });
    await agent.runMaintenance(() => Promise.resolve());
    await agent.whenIdle();
    expect(session.log.state.turns).toBe(0);
    expect(session.log.state.list('next-turn')).toHaveLength(1);
  });

  it('the driver does its own due work before it publishes idle, once an interval, and reports its failure', async () => {
    const done: string[] = [];
    const job = {
      name: 'title',
      due: () => true,
      run: () => {
        done.push(`${agent.status} ${agent.phase}`);
        return Promise.reject(new Error('no title'));
      },
    };
    const { agent, model, live } = rehearse({ maintenance: [job] });
    model.script = () => 'ok';
    agent.followup(say('a'));
    await agent.whenIdle();
    expect(done).toEqual(['running maintenance']);
    expect(live.filter((one) => one.type === 'agent/error').map((one) => one.error.message)).toEqual([
      'Maintenance "title" failed: no title',
    ]);
    expect(live.flatMap((one) => (one.type === 'agent/status' ? [one.status] : []))).toEqual([
      'running',
      'idle',
    ]);
  });
});
