/** Steps in words, for messages. */
import type { Step } from '../scenario/scenario.ts';
import { describeWait } from './waits.ts';

/** The step as it reads in a scenario, long texts shortened. */
export function describeStep(step: Step): string {
  switch (step.do) {
    case 'followup':
    case 'steer':
    case 'inject':
      return `${step.do}: ${short(step.text)}`;
    case 'wait':
      return `wait for ${describeWait(step.wait)}`;
    case 'release':
      return `release: ${step.name}`;
    case 'write':
      return `write: ${Object.keys(step.files).join(', ')}`;
    case 'checkpoint':
    case 'maintenance':
      return `${step.do}: ${step.action}`;
    case 'frame':
      return `frame: ${short(JSON.stringify(step.frame))}`;
    case 'cancel':
    case 'idle':
    case 'restart':
    case 'kill':
    case 'dispose':
      return step.do;
  }
}

function short(text: string): string {
  const line = text.split('\n', 1)[0] ?? '';
  return line.length > 60 || line !== text ? `${line.slice(0, 60)}…` : line;
}
