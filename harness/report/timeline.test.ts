import { expect, it } from 'vitest';
import type { Observations } from '../observe/observations.ts';
import { renderTimeline } from './timeline.ts';

it('has a line for each event, with what was said, and no line longer than a screen', () => {
  const observations = {
    scenario: 'turns/one',
    driver: 'inproc',
    sections: new Map(),
    log: new Map([
      [
        'main',
        [
          { type: 'turn/start', data: { turn: 1 } },
          { type: 'user/message', data: { id: '{{message:1}}', text: 'Say\ngood morning.' } },
          {
            type: 'assistant/message',
            data: { turn: 1, step: 1, message: { role: 'assistant', text: 'x'.repeat(200), toolCalls: [] } },
          },
        ],
      ],
      ['main.loop', []],
    ]),
  } as unknown as Observations;
  const lines = renderTimeline(observations).split('\n');
  expect(lines.slice(0, 3)).toEqual([
    'turns/one (inproc)',
    '  turn/start           turn 1',
    '  user/message         {{message:1}}  Say⏎good morning.',
  ]);
  expect(lines).toHaveLength(4);
  expect(lines[3]?.endsWith('…')).toBe(true);
});
