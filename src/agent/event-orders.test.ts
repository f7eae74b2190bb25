import { describe, expect, it } from 'vitest';
import type { Published } from '../session/publication.ts';
import { EVENT_ORDERS } from './event-orders.ts';
import { call, HeldStore, rehearse, say, type Rehearsal } from './fixtures/rehearsal.ts';
import type { Policies } from './contract.ts';

/** Everything published, with the checkpoint where it was asked for. */
function watch(policies: Policies = {}): Rehearsal & { readonly order: string[] } {
  const order: string[] = [];
  class WatchedStore extends HeldStore {
    override flush(): Promise<void> {
      order.push('checkpoint');
      return super.flush();
    }
  }
  const rehearsal = rehearse({ policies, newSession: { wrapStore: (inner) => new WatchedStore(inner) } });
  rehearsal.agent.subscribe((published) => {
    const name = nameOf(published);
    if (name !== 'assistant/chunk' || order.at(-1) !== name) order.push(name);
  });
  return { ...rehearsal, order };
}

function nameOf(published: Published): string {
  if (published.kind === 'event') return published.event.type;
  const { live } = published;
  return live.type === 'agent/status' ? `${live.type} ${live.status}` : live.type;
}

describe('the order of events that EVENT_ORDERS gives', () => {
  it('of a completed turn', async () => {
    const { agent, model, order } = watch();
    agent.followup(say('hello'));
    (await model.next()).reply('hi');
    await agent.whenIdle();
    expect(order).toEqual(EVENT_ORDERS.completed.order);
  });

  it('of a turn with a tool step', async () => {
    const { agent, model, tools, order } = watch();
    tools.bodies['echo'] = () => 'out';
    agent.followup(say('hello'));
    (await model.next()).reply({ calls: [call('c1', 'echo')] });
    (await model.next()).reply('hi');
    await agent.whenIdle();
    expect(order).toEqual(EVENT_ORDERS.tools.order);
  });

  it('of a turn cancelled in mid-text', async () => {
    const { agent, model, order } = watch();
    agent.followup(say('hello'));
    (await model.next()).say('hi th');
    agent.cancel();
    await agent.whenIdle();
    expect(order).toEqual(EVENT_ORDERS.cancelled.order);
  });

  it('CANCEL-6: of a turn cancelled in the stack that sent it', async () => {
    const { agent, order } = watch();
    agent.followup(say('hello'));
    agent.cancel();
    await agent.whenIdle();
    expect(order).toEqual(EVENT_ORDERS.cancelledEarly.order);
  });

  it('ADMIT-2: of a rejected turn', async () => {
    const { agent, order } = watch({ admitPrompt: () => ({ allow: false, reason: 'no' }) });
    agent.followup(say('hello'));
    await agent.whenIdle();
    expect(order).toEqual(EVENT_ORDERS.rejected.order);
  });

  it('TURN-10: of a failed turn', async () => {
    const { agent, model, order } = watch();
    agent.followup(say('hello'));
    (await model.next()).fail({ status: 503, retryable: true });
    (await model.next()).fail({ status: 400 });
    await agent.whenIdle();
    expect(order).toEqual(EVENT_ORDERS.failed.order);
  });
});
