import { describe, expect, it } from 'vitest';
import type { SessionId } from '../session/events.ts';
import { call, outline, rehearse, say, seen } from './fixtures/rehearsal.ts';
import { tick } from './fixtures/stage.ts';

const report = (text: string) =>
  say(text, { kind: 'subagent-report', senderSessionId: 'child' as SessionId });
const none = { systemPrompt: '', tools: [], history: [] };

describe('steering', () => {
  it('STEER-2, STEER-7: steering during a stream or a tool body waits for that step to end, then forces another', async () => {
    const { agent, model, tools } = rehearse();
    tools.bodies['work'] = () => {
      agent.steer(say('in the tool'));
      return 'out';
    };
    agent.followup(say('go'));
    const first = await model.next();
    first.say('work');
    agent.steer(say('in the stream'));
    first.reply({ calls: [call('c', 'work')] });
    const second = await model.next();
    expect(seen(second.request)).toEqual(['u:go', 'a:', 't:out', 'u:in the stream', 'u:in the tool']);
    agent.steer(say('at the end'));
    second.reply('two');
    const third = await model.next();
    expect(seen(third.request).slice(-2)).toEqual(['a:two', 'u:at the end']);
    third.reply('three');
    await agent.whenIdle();
    expect(outline(agent.events()).at(-1)).toBe('turn/end 1 completed');
  });

  it('STEER-2: steering in the stack of the followup is recorded before the first request', async () => {
    const { agent, model } = rehearse();
    agent.followup(say('go'));
    agent.steer(say('steered'));
    const first = await model.next();
    expect(seen(first.request)).toEqual(['u:go', 'u:steered']);
    first.reply('ok');
    await agent.whenIdle();
    expect(model.attempts).toHaveLength(1);
  });

  it('STEER-3: a continuation policy stops before the step; what was recorded stays and is not queued again', async () => {
    const asked: { turn: number; step: number }[] = [];
    const { agent, model } = rehearse({ policies: { continueTurn: (facts) => (asked.push(facts), 'stop') } });
    agent.followup(say('go'));
    const first = await model.next();
    agent.steer(say('steered'));
    first.reply('one');
    await agent.whenIdle();
    expect(outline(agent.events()).slice(-3)).toEqual([
      'splice next-step -1',
      'user/message steered',
      'turn/end 1 completed',
    ]);
    expect(asked).toEqual([{ turn: 1, step: 1 }]);
    agent.followup(say('next'));
    const second = await model.next();
    expect(seen(second.request)).toEqual(['u:go', 'a:one', 'u:steered', 'u:next']);
    second.reply('two');
    await agent.whenIdle();
  });

  it('STEER-4: steering left after turn and checkpoint becomes ordinary input, each on its own, in order', async () => {
    const { agent, model, store } = rehearse();
    model.script = (request) => `re ${seen(request).at(-1)}`;
    store.hold();
    agent.followup(say('go'));
    await tick();
    agent.steer(say('s1'));
    agent.followup(say('queued'));
    agent.steer(say('s2'));
    store.release();
    await agent.whenIdle();
    expect(outline(agent.events()).filter((line) => /moved|^turn|user/.test(line))).toEqual([
      'turn/start 1',
      'user/message go',
      'turn/end 1 completed',
      'splice next-step -1 moved',
      'splice next-step -1 moved',
      'turn/start 2',
      'user/message queued',
      'turn/end 2 completed',
      'turn/start 3',
      'user/message s1',
      'turn/end 3 completed',
      'turn/start 4',
      'user/message s2',
      'turn/end 4 completed',
    ]);
  });

  it('STEER-5: the terminal policy discards steering that is left, and keeps reports', async () => {
    let decide: (what: 'discard') => void = () => {};
    const { agent, model, live } = rehearse({
      policies: {
        onTurnStop: ({ turn }) => (turn === 1 ? new Promise((resolve) => (decide = resolve)) : 'keep'),
      },
    });
    agent.followup(say('go'));
    (await model.next()).reply('one');
    await tick();
    agent.steer(say('left'));
    agent.steer(report('report'));
    decide('discard');
    const second = await model.next();
    expect(seen(second.request)).toEqual(['u:go', 'a:one', 'u:report']);
    second.reply('two');
    await agent.whenIdle();
    expect(live.filter((one) => one.type === 'agent/inbox/discarded').map((one) => one.cause)).toEqual([
      'turn-stop',
    ]);
  });

  it('STEER-6: steer on an idle agent is an ordinary send', async () => {
    const { agent, model } = rehearse();
    model.script = () => 'ok';
    agent.steer(say('a'));
    await agent.whenIdle();
    expect(outline(agent.events()).slice(0, 3)).toEqual([
      'splice next-turn +1',
      'turn/start 1',
      'splice next-turn -1',
    ]);
  });

  it('REPORT-6 in the loop: reports left over stay in next-step; together they open one turn where nothing is queued', async () => {
    const asked: string[] = [];
    const { agent, model, store } = rehearse({
      policies: { admitPrompt: (message) => (asked.push(message.id), { allow: true }) },
    });
    model.script = (request) => `re ${seen(request).at(-1)}`;
    store.hold();
    agent.followup(say('go'));
    await tick();
    agent.steer(report('r1'));
    agent.inject(say('context'));
    agent.steer(report('r2'));
    store.release();
    await agent.whenIdle();
    expect(
      outline(agent.events())
        .filter((line) => /^turn|user/.test(line))
        .slice(3),
    ).toEqual([
      'turn/start 2',
      'user/message r1',
      'user/message context',
      'user/message r2',
      'turn/end 2 completed',
    ]);
    expect(asked).toHaveLength(1);
  });

  it('a turn that reports opened and that fails before its first step is not tried for ever', async () => {
    const { agent, store, live, session } = rehearse({
      newSession: {
        check: ({ type, data }) =>
          type === 'step/start' && (data as { turn: number }).turn > 1 ? 'no' : undefined,
      },
    });
    store.hold();
    agent.followup(say('go'));
    agent.cancel('user', { keepInbox: true });
    await tick();
    agent.steer(report('r1'));
    store.release();
    await agent.whenIdle();
    expect(session.log.state.turns).toBe(2);
    expect(session.log.state.list('next-step')).toHaveLength(1);
    expect(live.filter((one) => one.type === 'agent/error')).toHaveLength(1);
  });

  it('TURN-9: a turn that steering continues after a cut answer still ends as max-tokens; the next does not', async () => {
    const { agent, model } = rehearse();
    agent.followup(say('go'));
    const first = await model.next();
    agent.steer(say('more'));
    first.reply({ text: 'cut', calls: [call('c', 'write')], finish: 'length' });
    (await model.next()).reply('whole');
    await agent.whenIdle();
    agent.followup(say('next'));
    (await model.next()).reply('fine');
    await agent.whenIdle();
    expect(outline(agent.events()).filter((line) => /turn\/end|tool/.test(line))).toEqual([
      'turn/end 1 max-tokens',
      'turn/end 2 completed',
    ]);
    expect(seen(model.attempts[1]?.request ?? none)).toEqual(['u:go', 'a:cut', 'u:more']);
  });
});

describe('injected context', () => {
  it('INJECT-1, INJECT-2: idle, it is recorded and flushed at once, wakes nothing, and stands before the next prompt', async () => {
    const { agent, model, store, live } = rehearse();
    agent.inject(say('context'));
    expect(store.flushes).toBe(1);
    await tick();
    expect(agent.status).toBe('idle');
    expect(live.map((one) => one.type)).toEqual(['agent/queued']);
    agent.followup(say('prompt'));
    const first = await model.next();
    expect(seen(first.request)).toEqual(['u:context', 'u:prompt']);
    first.reply('ok');
    await agent.whenIdle();
  });

  it('INJECT-2: a flush of idle context that is rejected is reported', async () => {
    const { agent, store, live } = rehearse();
    store.failure = new Error('disk full');
    agent.inject(say('context'));
    await tick();
    expect(live.at(-1)).toMatchObject({ type: 'agent/error', error: { code: 'CHECKPOINT_FAILED' } });
  });

  it('INJECT-3: during a step it enters after the tool results; alone it forces no step', async () => {
    const { agent, model, tools } = rehearse();
    tools.bodies['work'] = () => {
      agent.inject(say('context'));
      return 'out';
    };
    agent.followup(say('go'));
    (await model.next()).reply({ calls: [call('c', 'work')] });
    const second = await model.next();
    expect(seen(second.request)).toEqual(['u:go', 'a:', 't:out', 'u:context']);
    agent.inject(say('last'));
    second.reply('done');
    await agent.whenIdle();
    expect(model.attempts).toHaveLength(2);
    expect(outline(agent.events()).slice(-2)).toEqual(['user/message last', 'turn/end 1 completed']);
  });

  it('context left after the checkpoint stays for the next request and wakes nothing', async () => {
    const { agent, model, store, session } = rehearse();
    model.script = () => 'ok';
    store.hold();
    agent.followup(say('go'));
    await tick();
    agent.inject(say('context'));
    store.release();
    await agent.whenIdle();
    expect(session.log.state.turns).toBe(1);
    expect(session.log.state.list('next-step')).toHaveLength(1);
  });
});
