/** ARCHITECTURE.md says what the code says: its tables are those that the code gives. `npm run docs` writes them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { EVENT_ORDERS } from '../src/agent/event-orders.ts';
import { parseConfig } from '../src/assembly/config-file.ts';
import { CAPABILITIES, REACH } from './verdict/capability.ts';
import { DRIVERS } from './verdict/vocabulary.ts';

const page = new URL('../ARCHITECTURE.md', import.meta.url);

function eventOrders(): string {
  return Object.values(EVENT_ORDERS)
    .map(({ title, order }) => `${title}: ${order.map((name) => `\`${name}\``).join(', ')}.`)
    .join('\n\n');
}

function reach(): string {
  const rows = CAPABILITIES.map((word) => [`\`${word}\``, ...DRIVERS.map((driver) => REACH[word][driver])]);
  const head = ['word', ...DRIVERS.map((driver) => `\`${driver}\``)];
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** The page with what stands between each pair of marks replaced. */
function written(text: string, parts: Readonly<Record<string, string>>): string {
  let result = text;
  for (const [name, part] of Object.entries(parts)) {
    const [before, after] = [`<!-- ${name} -->\n`, `\n<!-- end ${name} -->`];
    const [start, end] = [result.indexOf(before), result.indexOf(after)];
    if (start < 0 || end < start) throw new Error(`ARCHITECTURE.md has no part "${name}"`);
    result = `${result.slice(0, start + before.length)}\n${part}\n${result.slice(end)}`;
  }
  return result;
}

it('shows the order of events and the reach of drivers as the code has them', () => {
  const text = readFileSync(page, 'utf8');
  const current = written(text, { 'event orders': eventOrders(), reach: reach() });
  if (process.env['TURNPIN_DOCS'] === 'write') writeFileSync(page, current);
  else expect(text).toBe(current);
});

it("README's example scenario is the corpus's, and its agent.yaml is one that the core takes", () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const [scenario = '', agent = ''] = [...readme.matchAll(/```yaml\n(.*?)```/gs)].map(([, block]) => block);
  const [name = '', ...lines] = scenario.split('\n');
  const file = readFileSync(new URL(`../${name.replace('# ', '')}`, import.meta.url), 'utf8');
  expect(file.split('\n').slice(1)).toEqual(lines);
  expect(parseConfig(agent, 'README.md')).toMatchObject({ goal: true });
});
