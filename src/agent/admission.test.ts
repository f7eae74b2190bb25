import { describe, expect, it } from 'vitest';
import { call, outline, rehearse, say, seen, textOf } from './fixtures/rehearsal.ts';
import { tick } from './fixtures/stage.ts';

describe('prompt admission', () => {
  it('ADMIT-1, ADMIT-3: decides one message at a time; a blocked one touches no neighbour', async () => {
    const asked: string[] = [];
    const { agent, model } = rehearse({
      policies: {
        admitPrompt: (message) => {
          asked.push(textOf(message));
          return textOf(message) === 'b' ? { allow: false, reason: 'no' } : { allow: true };
        },
      },
    });
    model.script = (request) => `re ${seen(request).at(-1)}`;
    for (const text of ['a', 'b', 'c']) agent.followup(say(text));
    await agent.whenIdle();
    expect(asked).toEqual(['a', 'b', 'c']);
    expect(outline(agent.events()).filter((line) => /turn\/|blocked|user/.test(line))).toEqual([
      'turn/start 1',
      'user/message a',
      'turn/end 1 completed',
      'turn/start 2',
      'prompt/blocked',
      'turn/end 2 rejected',
      'turn/start 3',
      'user/message c',
      'turn/end 3 completed',
    ]);
    expect(model.attempts).toHaveLength(2);
  });

  it('admission sees no steering and no context, whatever it sees of ordinary sources', async () => {
    const asked: string[] = [];
    const { agent, model, tools } = rehearse({
      policies: { admitPrompt: (message) => (asked.push(message.source.kind), { allow: true }) },
    });
    tools.bodies['work'] = () => {
      agent.steer(say('steering'));
      return 'ok';
    };
    agent.inject(say('context', { kind: 'plugin' }));
    agent.followup(say('prompt', { kind: 'goal', goalId: 'g', revision: 1, round: 1 }));
    (await model.next()).reply({ calls: [call('c', 'work')] });
    (await model.next()).reply('ok');
    await agent.whenIdle();
    expect(asked).toEqual(['goal']);
  });

  it('context that admission adds stands right before the prompt', async () => {
    const { agent, model } = rehearse({
      policies: { admitPrompt: () => ({ allow: true, context: 'from the hook' }) },
    });
    agent.inject(say('context'));
    agent.followup(say('prompt'));
    const attempt = await model.next();
    expect(seen(attempt.request)).toEqual(['u:context', 'u:from the hook', 'u:prompt']);
    attempt.reply('ok');
    await agent.whenIdle();
  });

  it('ADMIT-4: blocked, the context claimed with the message goes back to the head, before what came later', async () => {
    let decide: (allow: boolean) => void = () => {};
    const { agent, model } = rehearse({
      policies: {
        admitPrompt: () =>
          new Promise(
            (resolve) => (decide = (allow) => resolve(allow ? { allow } : { allow, reason: 'no' })),
          ),
      },
    });
    model.script = () => 'ok';
    agent.inject(say('c1'));
    agent.inject(say('c2'));
    agent.followup(say('blocked'));
    await tick();
    agent.inject(say('late'));
    decide(false);
    await agent.whenIdle();
    agent.followup(say('allowed'));
    await tick();
    decide(true);
    await agent.whenIdle();
    expect(seen(model.attempts[0]?.request ?? { systemPrompt: '', tools: [], history: [] })).toEqual([
      'u:c1',
      'u:c2',
      'u:late',
      'u:allowed',
    ]);
  });

  it('TURN-6: a policy that throws fails its turn with one agent/error before turn/end; the next one runs', async () => {
    let broken = true;
    const { agent, model, live } = rehearse({
      policies: {
        admitPrompt: () => {
          if (broken) throw new Error('the hook broke');
          return { allow: true };
        },
      },
    });
    model.script = () => 'ok';
    agent.subscribe((published) => {
      if (published.kind === 'event' && published.event.type === 'turn/end') broken = false;
    });
    agent.inject(say('context'));
    agent.followup(say('a'));
    agent.followup(say('b'));
    await agent.whenIdle();
    expect(outline(agent.events()).filter((line) => /turn\/end|quiet/.test(line))).toEqual([
      'splice next-step +1 quiet',
      'splice next-step +1 quiet',
      'turn/end 1 error',
      'turn/end 2 completed',
    ]);
    expect(live.filter((one) => one.type === 'agent/error').map((one) => one.turn)).toEqual([1]);
    expect(seen(model.attempts[0]?.request ?? { systemPrompt: '', tools: [], history: [] })).toEqual([
      'u:context',
      'u:b',
    ]);
  });
});

describe('policies that throw', () => {
  const broken = (): never => {
    throw new Error('the policy broke');
  };
  it.each([
    ['admitPrompt', { admitPrompt: broken }],
    ['admitPrompt, later', { admitPrompt: () => Promise.reject(new Error('the policy broke')) }],
    ['continueTurn', { continueTurn: broken }],
    ['onTurnStop', { onTurnStop: broken }],
    ['onRequestError', { onRequestError: broken }],
  ])('TURN-6: %s fails its turn with one agent/error, and the next turn is opened', async (_, policies) => {
    const { agent, model, tools, live, session } = rehearse({ policies });
    tools.bodies['work'] = () => 'out';
    const failing = 'onRequestError' in policies;
    model.script = (request) => {
      if (failing) return (attempt) => attempt.fail({ status: 400 });
      return request.history.at(-1)?.role === 'user' ? { calls: [call('c', 'work')] } : 'ok';
    };
    agent.followup(say('a'));
    agent.followup(say('b'));
    await agent.whenIdle();
    const errors = live.flatMap((one) =>
      one.type === 'agent/error' ? [`${one.turn} ${one.error.message}`] : [],
    );
    expect(errors).toEqual(['1 the policy broke', '2 the policy broke']);
    expect(session.log.state.openTurn).toBeNull();
  });

  it.each(['systemPrompt', 'schemas'] as const)(
    'TURN-6: so does a %s that throws; its prompt stays in the history',
    async (part) => {
      const { agent, model, tools } = rehearse({
        systemPrompt: () => {
          if (part === 'systemPrompt' && agent.events().length < 10) throw new Error('no prompt');
          return 'Be brief.';
        },
      });
      const schemas = tools.schemas.bind(tools);
      tools.schemas = () => {
        if (part === 'schemas' && agent.events().length < 10) throw new Error('no tools');
        return schemas();
      };
      model.script = () => 'ok';
      agent.followup(say('a'));
      agent.followup(say('b'));
      await agent.whenIdle();
      expect(outline(agent.events()).filter((line) => line.startsWith('turn/end'))).toEqual([
        'turn/end 1 error',
        'turn/end 2 completed',
      ]);
      expect(model.attempts.map(({ request }) => seen(request))).toEqual([['u:a', 'u:b']]);
    },
  );
});
