import { describe, expect, it } from 'vitest';
import { rebuildRequests } from './fixtures/rebuilt-requests.ts';
import { SessionLog } from '../session/log.ts';
import { createMemorySession } from '../session/session.ts';
import { createMemoryStore } from '../session/store.ts';
import { strictFaults } from './fixtures/invariants.ts';
import { call, outline, rehearse, say, seen } from './fixtures/rehearsal.ts';

describe('what the model is asked', () => {
  it('LOG-5: every request of a step is rebuilt byte for byte from the log alone', async () => {
    const { agent, model, tools } = rehearse();
    tools.bodies['work'] = () => 'out';
    agent.inject(say('context'));
    agent.followup(say('a'));
    (await model.next()).reply({
      reasoning: 'hm',
      text: 'calling',
      calls: [call('c', 'work'), call('c', 'work')],
    });
    (await model.next()).fail({ status: 503, retryable: true });
    (await model.next()).reply('');
    await agent.whenIdle();
    agent.followup(say('b'));
    (await model.next()).say('half');
    agent.cancel();
    await agent.whenIdle();
    agent.followup(say('c'));
    (await model.next()).reply('ok');
    await agent.whenIdle();
    const read = JSON.parse(JSON.stringify(agent.events())) as ReturnType<typeof agent.events>;
    const rebuilt = rebuildRequests(read).map(({ header, history }) =>
      JSON.stringify({ systemPrompt: header.systemPrompt, tools: header.tools, history }),
    );
    const sent = model.attempts.map(({ request }) => JSON.stringify(request));
    // The second attempt repeats the first of its step.
    expect(sent[1]).toBe(sent[2]);
    expect(rebuilt).toEqual([sent[0], sent[1], sent[3], sent[4]]);
  });

  it('REQ-4: a header is recorded when first used, when it changes and when a resumed agent first asks; never otherwise', async () => {
    let prompt = 'One.';
    const session = createMemorySession();
    const first = rehearse({ session, systemPrompt: () => prompt });
    first.model.script = () => 'ok';
    for (const next of ['One.', 'One.', 'Two.', 'Two.']) {
      prompt = next;
      first.agent.followup(say('go'));
      await first.agent.whenIdle();
    }
    const log = new SessionLog({
      header: session.header,
      store: createMemoryStore(),
      events: session.log.events,
      state: session.log.state,
    });
    const second = rehearse({ session: { ...session, log }, systemPrompt: () => prompt });
    second.model.script = () => 'ok';
    for (let turn = 0; turn < 2; turn += 1) {
      second.agent.followup(say('go'));
      await second.agent.whenIdle();
    }
    const headers = log.events.flatMap((event) =>
      event.type === 'request/header' ? [[event.data.reason, event.data.header.systemPrompt]] : [],
    );
    expect(headers).toEqual([
      ['initial', 'One.'],
      ['change', 'Two.'],
      ['resume', 'Two.'],
    ]);
  });

  it('REQ-3: each request extends the one before', async () => {
    const { agent, model, tools } = rehearse();
    tools.bodies['work'] = () => 'out';
    model.script = (_, index) => (index % 2 === 0 ? { calls: [call('c', 'work')] } : 'ok');
    for (const text of ['a', 'b', 'c']) agent.followup(say(text));
    await agent.whenIdle();
    const histories = model.attempts.map(({ request }) => request.history);
    for (const [index, history] of histories.slice(1).entries()) {
      const before = histories[index] ?? [];
      expect(history.slice(0, before.length)).toEqual(before);
    }
  });

  it('REQ-6: an empty answer, also one of white space or reasoning alone, is recorded and left out of later requests', async () => {
    const { agent, model } = rehearse();
    for (const reply of ['', '  \n', { reasoning: 'only thought' }]) {
      agent.followup(say('go'));
      (await model.next()).reply(reply);
      await agent.whenIdle();
    }
    agent.followup(say('last'));
    const last = await model.next();
    expect(seen(last.request)).toEqual(['u:go', 'u:go', 'u:go', 'u:last']);
    expect(strictFaults(last.request)).toEqual([]);
    last.reply('ok');
    await agent.whenIdle();
    expect(outline(agent.events()).filter((line) => line.startsWith('assistant'))).toHaveLength(4);
  });

  it('REQ-7: usage is recorded once, as the model gave it', async () => {
    const { agent, model } = rehearse();
    agent.followup(say('go'));
    (await model.next()).reply({ text: 'ok', usage: { input: 7, output: 3, cached: 2 } });
    await agent.whenIdle();
    const usages = agent
      .events()
      .flatMap((event) => (event.type === 'assistant/message' ? [event.data.usage] : []));
    expect(usages).toEqual([{ input: 7, output: 3, cached: 2 }]);
  });

  it('TURN-8: an answer cut by the token ceiling keeps its text and runs none of its calls', async () => {
    const { agent, model, tools } = rehearse();
    tools.bodies['write'] = () => 'written';
    agent.followup(say('go'));
    (await model.next()).reply({ text: 'half', calls: [call('c', 'write', '{"pa')], finish: 'length' });
    await agent.whenIdle();
    expect(outline(agent.events()).slice(-3)).toEqual([
      'assistant/message half',
      'step/end 1.1',
      'turn/end 1 max-tokens',
    ]);
    expect(tools.started).toEqual([]);
  });

  it('a content filter fails its turn with CONTENT_FILTER; what was said stays, its calls are not run', async () => {
    const { agent, model, tools, live } = rehearse();
    tools.bodies['write'] = () => 'written';
    agent.followup(say('go'));
    (await model.next()).reply({ text: 'so far', calls: [call('c', 'write')], finish: 'content-filter' });
    await agent.whenIdle();
    expect(agent.events().at(-1)?.data).toMatchObject({ reason: { kind: 'error', code: 'CONTENT_FILTER' } });
    expect(live.filter((one) => one.type === 'agent/error')).toHaveLength(1);
    expect(tools.started).toEqual([]);
  });

  it('TURN-12: an id that a later turn uses again, or one step twice, is answered by place', async () => {
    const { agent, model, tools } = rehearse();
    let count = 0;
    tools.bodies['work'] = () => `out ${(count += 1)}`;
    for (let turn = 0; turn < 2; turn += 1) {
      agent.followup(say('go'));
      (await model.next()).reply({ calls: [call('same', 'work'), call('same', 'work')] });
      (await model.next()).reply('ok');
      await agent.whenIdle();
    }
    const last = model.attempts.at(-1)?.request;
    expect(last && seen(last).filter((line) => line.startsWith('t:'))).toEqual([
      't:out 1',
      't:out 2',
      't:out 3',
      't:out 4',
    ]);
    expect(last && strictFaults(last)).toEqual([]);
  });

  it('REQ-5: a scheduler that breaks its contract leaves no call without a result', async () => {
    const { agent, model, live } = rehearse({
      tools: { schemas: () => [], run: () => Promise.reject(new Error('scheduler broke')) },
    });
    agent.followup(say('go'));
    (await model.next()).reply({ calls: [call('a', 'x'), call('b', 'x')] });
    await agent.whenIdle();
    expect(outline(agent.events()).slice(-4)).toEqual([
      'tool/result a ABORTED',
      'tool/result b ABORTED',
      'step/end 1.1',
      'turn/end 1 error',
    ]);
    expect(live.filter((one) => one.type === 'agent/error')).toHaveLength(1);
  });
});

describe('retries', () => {
  it('TURN-10: stay in turn and step with the same request; nothing of a failed attempt enters the answer or later requests', async () => {
    const { agent, model, clock } = rehearse();
    agent.followup(say('go'));
    (await model.next()).fail({ status: 500, retryable: true });
    const second = await model.next();
    agent.steer(say('meanwhile'));
    second.fail({ status: 429, retryable: true, retryAfterMs: 0 });
    const third = await model.next();
    expect(JSON.stringify(third.request)).toBe(JSON.stringify(model.attempts[0]?.request));
    third.reply('ok');
    const next = await model.next();
    expect(seen(next.request)).toEqual(['u:go', 'a:ok', 'u:meanwhile']);
    next.reply('done');
    await agent.whenIdle();
    expect(clock.waits).toEqual([500, 0]);
    expect(
      agent
        .events()
        .flatMap((event) =>
          event.type === 'llm/retry'
            ? [[event.data.attempt, event.data.delayMs, event.data.failure.status]]
            : [],
        ),
    ).toEqual([
      [1, 500, 500],
      [2, 0, 429],
    ]);
  });

  it('TURN-10: three requests at most; then turn/end error, and the prompt stays in the history once', async () => {
    const { agent, model, clock, live } = rehearse();
    agent.followup(say('go'));
    for (let attempt = 0; attempt < 3; attempt += 1)
      (await model.next()).fail({ status: 503, retryable: true });
    await agent.whenIdle();
    expect(clock.waits).toEqual([500, 1000]);
    expect(agent.events().at(-1)?.data).toMatchObject({
      reason: { kind: 'error', code: 'HTTP_ERROR', status: 503 },
    });
    expect(live.filter((one) => one.type === 'agent/error')).toHaveLength(1);
    agent.followup(say('next'));
    const next = await model.next();
    expect(seen(next.request)).toEqual(['u:go', 'u:next']);
    next.reply('ok');
    await agent.whenIdle();
  });

  it('TURN-11: a connection that breaks after something visible is not tried again, and nothing of it is stored', async () => {
    const { agent, model } = rehearse();
    agent.followup(say('go'));
    const first = await model.next();
    first.say('half an ans');
    first.fail({ retryable: true, code: 'CONNECTION' });
    await agent.whenIdle();
    expect(model.attempts).toHaveLength(1);
    expect(outline(agent.events()).slice(-2)).toEqual(['step/end 1.1', 'turn/end 1 error']);
  });

  it('a wait beyond the bound fails the turn and states it', async () => {
    const { agent, model, clock } = rehearse();
    agent.followup(say('go'));
    (await model.next()).fail({
      status: 429,
      retryable: true,
      retryAfterMs: 3_600_000,
      message: 'Too many requests.',
    });
    await agent.whenIdle();
    expect(clock.waits).toEqual([]);
    expect(agent.events().at(-1)?.data).toMatchObject({
      reason: {
        status: 429,
        message: 'Too many requests. The endpoint asks to wait 3600 s; this agent waits 60 s at most.',
      },
    });
  });

  it('onRequestError gets each failure with the built-in decision and may replace it, both ways', async () => {
    const decisions: unknown[] = [];
    const { agent, model } = rehearse({
      policies: {
        onRequestError: (error, facts) => {
          decisions.push([error.status, facts.attempt, facts.decision.retry]);
          return error.status === 400 ? { retry: true, delayMs: 1 } : { retry: false };
        },
      },
    });
    agent.followup(say('go'));
    (await model.next()).fail({ status: 400 });
    (await model.next()).fail({ status: 503, retryable: true });
    await agent.whenIdle();
    expect(decisions).toEqual([
      [400, 1, false],
      [503, 2, true],
    ]);
    expect(model.attempts).toHaveLength(2);
  });

  it('a model that throws anything else fails the turn without a retry', async () => {
    const { agent, model } = rehearse();
    agent.followup(say('go'));
    (await model.next()).crash(new TypeError('a bug'));
    await agent.whenIdle();
    expect(agent.events().at(-1)?.data).toMatchObject({
      reason: { kind: 'error', code: 'MODEL_FAILED', message: 'a bug' },
    });
  });
});
