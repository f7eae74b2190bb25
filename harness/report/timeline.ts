/** What happened in one run, a line an event, for whoever writes a scenario (scenarios.md, "Writing one"). Pure. */
import type { ObservedEvent, Observations } from '../observe/observations.ts';

const WIDTH = 100;

/**
 * A headline and the events of each lane in the order of the log; of a run that shows no events, the conversations as they
 * would be pinned. Without a final LF.
 */
export function renderTimeline(observations: Observations): string {
  const head = `${observations.scenario} (${observations.driver})`;
  if (observations.log === null)
    return `${head}\n${indented(observations.sections.get('conversations') ?? '')}`;
  const lanes = [...observations.log].filter(([lane]) => !lane.includes('.'));
  const several = lanes.length > 1;
  const lines = lanes.flatMap(([lane, events]) => [
    ...(several ? [`  ${lane}`] : []),
    ...events.map((event) => `  ${line(event)}`),
  ]);
  return [head, ...lines].join('\n');
}

function line({ type, data }: ObservedEvent): string {
  const said = wordsOf(data).join('  ').replaceAll('\n', '⏎');
  const text = `${type.padEnd(20)} ${said}`.trimEnd();
  return text.length > WIDTH ? `${text.slice(0, WIDTH - 1)}…` : text;
}

/** The short values of an event, names of nested keys left out; long texts end where the line does. */
function wordsOf(data: unknown): string[] {
  if (data === null || data === undefined || data === '') return [];
  if (Array.isArray(data)) return data.flatMap(wordsOf);
  if (typeof data !== 'object') return [typeof data === 'string' ? data : String(data)];
  return Object.entries(data).flatMap(([key, value]) => {
    if (typeof value === 'number' || typeof value === 'boolean') return [`${key} ${String(value)}`];
    return IGNORED.has(key) ? [] : wordsOf(value);
  });
}

/** Say nothing that the line does not say already. */
const IGNORED = new Set(['role', 'usage', 'target']);

function indented(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((each) => `  ${each}`)
    .join('\n');
}
