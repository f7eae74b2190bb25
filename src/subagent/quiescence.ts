/** When an agent and all its continuable children have come to rest (CLI-1, CHILD-1). */
import type { Agent } from '../agent/contract.ts';
import type { LiveChildren } from './family.ts';

/** Resolves at the first whole-agent idle at which no continuable child of its own lives; at once where that is so. */
export async function whenQuiescent(agent: Agent, children: LiveChildren): Promise<void> {
  for (;;) {
    await agent.whenIdle();
    if (children.live === 0) return;
    await nextChange(children);
  }
}

function nextChange(children: LiveChildren): Promise<void> {
  return new Promise((resolve) => {
    const off = children.onChange(() => {
      off();
      resolve();
    });
  });
}
