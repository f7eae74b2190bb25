import { describe, expect, it } from 'vitest';
import { call, outline, rehearse, say, seen } from './fixtures/rehearsal.ts';

describe('ordinary turns', () => {
  it('SEND-1, SEND-2: two follow-ups in one stack get a turn each, in order', async () => {
    const { agent, model } = rehearse();
    model.script = (request) => `re ${seen(request).at(-1)}`;
    agent.followup(say('a'));
    agent.followup(say('b'));
    await agent.whenIdle();
    expect(outline(agent.events())).toEqual([
      'splice next-turn +1',
      'turn/start 1',
      'splice next-turn -1',
      'splice next-turn +1',
      'step/start 1.1',
      'user/message a',
      'request/header initial',
      'assistant/message re u:a',
      'step/end 1.1',
      'turn/end 1 completed',
      'turn/start 2',
      'splice next-turn -1',
      'step/start 2.1',
      'user/message b',
      'assistant/message re u:b',
      'step/end 2.1',
      'turn/end 2 completed',
    ]);
    expect(model.attempts.map((attempt) => seen(attempt.request))).toEqual([
      ['u:a'],
      ['u:a', 'a:re u:a', 'u:b'],
    ]);
  });

  it('TURN-7: a turn goes on until a step asks for no tool', async () => {
    const { agent, model, tools } = rehearse();
    tools.bodies['echo'] = (made) => `out ${made.id}`;
    agent.followup(say('go'));
    (await model.next()).reply({ text: 'let me', calls: [call('c1', 'echo'), call('c2', 'echo')] });
    const second = await model.next();
    expect(seen(second.request)).toEqual(['u:go', 'a:let me', 't:out c1', 't:out c2']);
    second.reply('done');
    await agent.whenIdle();
    expect(outline(agent.events()).slice(6)).toEqual([
      'assistant/message let me',
      'tool/call c1',
      'tool/call c2',
      'tool/result c1',
      'tool/result c2',
      'step/end 1.1',
      'step/start 1.2',
      'assistant/message done',
      'step/end 1.2',
      'turn/end 1 completed',
    ]);
  });
});
