/** What every log must show, whatever a scenario expects: numbers from 0 without a gap, in the order of showing (LOG-1). Pure. */
import { lanesOf } from '../run/lanes.ts';
import type { Recording } from '../run/recording.ts';
import type { Unmet } from './expectation.ts';

/** One problem for each session whose events are out of order, doubled or missing. */
export function judgeNumbers({ scenario, shown }: Pick<Recording, 'scenario' | 'shown'>): readonly Unmet[] {
  const lanes = lanesOf(shown.sessions, scenario);
  return shown.sessions.flatMap(({ id, events }) => {
    const wrong = events.findIndex(({ seq }, index) => seq !== index);
    const event = events[wrong];
    if (event === undefined) return [];
    const lane = lanes.get(id) ?? id;
    const message = `the log of "${lane}" is not numbered without a gap in the order of showing: event ${wrong} is ${event.type} with seq ${event.seq}`;
    return [{ path: `log.${lane}.numbers`, message }];
  });
}
