import { describe, expect, it } from 'vitest';
import type { UserMessage } from '../session/events.ts';
import { createMemorySession } from '../session/session.ts';
import { call, outline, rehearse, say, seen, textOf } from './fixtures/rehearsal.ts';

describe('ordinary sends', () => {
  it('SEND-1: sends from stack, microtask, listener, model callback and tool body get a turn each, FIFO', async () => {
    const { agent, model, tools, session } = rehearse();
    let fromListener = false;
    agent.subscribe((published) => {
      if (fromListener || published.kind !== 'event' || published.event.type !== 'turn/start') return;
      fromListener = true;
      agent.followup(say('listener'));
    });
    tools.bodies['work'] = () => {
      agent.followup(say('tool body'));
      return 'ok';
    };
    agent.followup(say('stack 1'));
    agent.followup(say('stack 2'));
    await Promise.resolve().then(() => agent.followup(say('microtask')));
    const first = await model.next();
    model.script = (request) => `re ${seen(request).at(-1)}`;
    const chunk = first.onChunk.bind(first);
    chunk({ kind: 'text-delta', index: 0, text: 'x' });
    agent.followup(say('model callback'));
    first.reply({ calls: [call('c', 'work')] });
    await agent.whenIdle();
    const prompts = session.log.events
      .filter((event) => event.type === 'user/message')
      .map((event) => textOf(event.data));
    expect(prompts).toEqual(['stack 1', 'listener', 'stack 2', 'microtask', 'model callback', 'tool body']);
    expect(session.log.state.turns).toBe(6);
  });

  it("SEND-4: the message is a detached frozen snapshot; changing the caller's object changes nothing", async () => {
    const { agent, model } = rehearse();
    const mine = structuredClone(say('before')) as { -readonly [K in keyof UserMessage]: UserMessage[K] };
    agent.followup(mine);
    mine.content = [{ type: 'text', text: 'after' }];
    const attempt = await model.next();
    expect(seen(attempt.request)).toEqual(['u:before']);
    const recorded = agent.events().find((event) => event.type === 'user/message');
    expect(
      Object.isFrozen(recorded?.data) &&
        recorded?.type === 'user/message' &&
        Object.isFrozen(recorded.data.source),
    ).toBe(true);
    attempt.reply('ok');
    await agent.whenIdle();
  });

  it('SEND-5: agent/queued comes once for each accepted input, with its list, and not again when steering moves', async () => {
    const { agent, model, live } = rehearse();
    model.script = () => 'ok';
    agent.inject(say('context'));
    agent.followup(say('prompt'));
    agent.steer(say('steering'));
    await agent.whenIdle();
    const queued = live
      .filter((one) => one.type === 'agent/queued')
      .map((one) => `${textOf(one.message)} ${one.target}`);
    expect(queued).toEqual(['context next-step', 'prompt next-turn', 'steering next-step']);
  });

  it('SEND-6: followup, steer, inject and cancel return nothing', () => {
    const { agent } = rehearse();
    const answers: unknown[] = [
      agent.followup(say('a')),
      agent.steer(say('b')),
      agent.inject(say('c')),
      agent.cancel(),
    ];
    expect(answers).toEqual([undefined, undefined, undefined, undefined]);
  });

  const broken: [string, unknown][] = [
    ['content that is no JSON', { ...say('x'), content: [{ type: 'text', text: 'x', extra: Number.NaN }] }],
    ['a class instance', { ...say('x'), source: new Map() }],
    ['a missing id', { role: 'user', content: [], source: { kind: 'user' } }],
    ['an unknown source', { ...say('x'), source: { kind: 'nobody' } }],
    ['text that is no text', { ...say('x'), content: [{ type: 'text', text: 7 }] }],
  ];
  it.each(broken)('SEND-8: %s is rejected before anything is enqueued or logged', (_, message) => {
    const { agent, live } = rehearse();
    for (const send of [agent.followup, agent.steer, agent.inject]) {
      expect(() => send.call(agent, message as UserMessage)).toThrow(
        expect.objectContaining({ code: 'INVALID_MESSAGE' }),
      );
    }
    expect(agent.events()).toEqual([]);
    expect(live).toEqual([]);
  });

  it('SEND-8: a pending id is rejected in either list, and free again once its message is recorded', async () => {
    const { agent, model } = rehearse();
    model.script = () => 'ok';
    const message = say('again');
    agent.inject(message);
    for (const send of [agent.followup, agent.steer, agent.inject]) {
      expect(() => send.call(agent, message)).toThrow(expect.objectContaining({ code: 'DUPLICATE_MESSAGE' }));
    }
    agent.followup(say('go'));
    await agent.whenIdle();
    agent.followup(message);
    await agent.whenIdle();
    expect(agent.events().filter((event) => event.type === 'user/message')).toHaveLength(3);
  });

  it('SEND-8: a disposed agent takes nothing', async () => {
    const { agent } = rehearse();
    await agent.dispose();
    for (const send of [agent.followup, agent.steer, agent.inject]) {
      expect(() => send.call(agent, say('late'))).toThrow(expect.objectContaining({ code: 'DISPOSED' }));
    }
    expect(agent.events()).toEqual([]);
  });

  it('SEND-3, TURN-6: a refused turn/start drops the head as cancelled, reports, and the driver goes on', async () => {
    let refuse = true;
    const session = createMemorySession({
      check: ({ type }) => (type === 'turn/start' && refuse ? 'not yet' : undefined),
    });
    const { agent, model, live } = rehearse({ session });
    model.script = () => 'ok';
    agent.subscribe((published) => {
      if (published.kind === 'live' && published.live.type === 'agent/error') refuse = false;
    });
    agent.followup(say('dropped'));
    agent.followup(say('run'));
    await agent.whenIdle();
    expect(outline(agent.events())).toEqual([
      'splice next-turn +1',
      'splice next-turn -1 cancelled',
      'splice next-turn +1',
      'turn/start 1',
      'splice next-turn -1',
      'step/start 1.1',
      'user/message run',
      'request/header initial',
      'assistant/message ok',
      'step/end 1.1',
      'turn/end 1 completed',
    ]);
    expect(live.filter((one) => one.type === 'agent/error')).toHaveLength(1);
  });

  it('SEND-5: from a listener, followup only enqueues; the turn opens once queued and running are published', async () => {
    const { agent, model, live } = rehearse();
    model.script = () => 'ok';
    let turnsInside = -1;
    let sent = false;
    agent.subscribe((published) => {
      if (sent || published.kind !== 'event') return;
      sent = true;
      agent.followup(say('from a listener'));
      turnsInside = agent.events().filter((event) => event.type === 'turn/start').length;
    });
    agent.inject(say('context'));
    expect(turnsInside).toBe(0);
    await agent.whenIdle();
    expect(live.map((one) => (one.type === 'agent/status' ? one.status : one.type)).slice(0, 4)).toEqual([
      'agent/queued',
      'agent/queued',
      'running',
      'agent/inbox/claimed',
    ]);
  });
});
