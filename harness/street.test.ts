/**
 * The one-way street (ARCHITECTURE.md): src/ never imports harness/, harness/ enters src/ through two doors alone,
 * inside each house a folder imports only from folders that stand before it, and no file imports itself by a detour.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

const ORDER = {
  src: ['session', 'model', 'prompt', 'tools', 'agent', 'subagent', 'goal', 'assembly', 'sdk', 'acp', 'cli'],
  harness: [
    'verdict',
    'document',
    'document',
    'requirements',
    'scenario',
    'model',
    'subject',
    'run',
    'observe',
    'diff',
    'judge',
    'pins',
    'report',
    'check',
    'mutants',
    'cli',
    'vitest',
  ],
} as const;

const DOORS = ['harness/subject/inproc.ts', 'harness/mutants/'];

interface Import {
  readonly from: string;
  readonly to: string;
}

function imports(): Import[] {
  const found: Import[] = [];
  for (const house of ['src', 'harness']) {
    for (const name of readdirSync(join(root, house), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts') || name.endsWith('.test.ts') || name.includes('fixtures')) continue;
      const file = join(root, house, name);
      const text = readFileSync(file, 'utf8');
      for (const match of text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
        found.push({
          from: relative(root, file),
          to: relative(root, resolve(dirname(file), match[1] ?? '')),
        });
      }
    }
  }
  return found;
}

/** Why an import breaks the street, or null. */
function breach({ from, to }: Import): string | null {
  const [fromHouse, fromFolder] = from.split('/');
  const [toHouse, toFolder] = to.split('/');
  if (fromHouse === 'src' && toHouse === 'harness')
    return `${from} imports ${to}: src/ never imports harness/`;
  if (fromHouse === 'harness' && toHouse === 'src') {
    return DOORS.some((door) => from.startsWith(door))
      ? null
      : `${from} imports ${to}: only ${DOORS.join(' and ')} may`;
  }
  if (fromHouse === undefined || fromHouse !== toHouse || fromFolder === toFolder) return null;
  if (fromFolder?.endsWith('.ts') === true || toFolder?.endsWith('.ts') === true) return null;
  const order: readonly string[] = ORDER[fromHouse as keyof typeof ORDER];
  const [here, there] = [order.indexOf(fromFolder ?? ''), order.indexOf(toFolder ?? '')];
  if (here < 0) return `${from}: its folder has no place in the order`;
  if (there < 0) return `${to}: its folder has no place in the order`;
  return there < here ? null : `${from} imports ${to}: ${fromFolder ?? ''} stands before ${toFolder ?? ''}`;
}

/** The first ring of imports, as its files in order; null where there is none. Types count: a ring is hard to read too. */
function ring(edges: readonly Import[]): string | null {
  const targets = new Map<string, string[]>();
  for (const { from, to } of edges) targets.set(from, [...(targets.get(from) ?? []), to]);
  const done = new Set<string>();
  const follow = (file: string, path: readonly string[]): string | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file].join(' -> ');
    if (done.has(file)) return null;
    for (const target of targets.get(file) ?? []) {
      const found = follow(target, [...path, file]);
      if (found !== null) return found;
    }
    done.add(file);
    return null;
  };
  for (const file of targets.keys()) {
    const found = follow(file, []);
    if (found !== null) return found;
  }
  return null;
}

describe('the one-way street', () => {
  const all = imports();

  it('finds the imports that it judges', () => {
    expect(all.length).toBeGreaterThan(100);
  });

  it('holds for every import of both houses', () => {
    expect(all.map(breach).filter((why) => why !== null)).toEqual([]);
  });

  it('has no ring of imports', () => {
    expect(ring(all)).toBeNull();
    const back = { from: 'harness/verdict/vocabulary.ts', to: 'harness/cli/main.ts' };
    expect(ring([...all, back])).toContain(back.from);
  });

  it.each([
    { from: 'src/agent/loop.ts', to: 'harness/verdict/problem.ts' },
    { from: 'harness/run/pool.ts', to: 'src/agent/agent.ts' },
    { from: 'src/session/log.ts', to: 'src/agent/agent.ts' },
    { from: 'harness/scenario/parse.ts', to: 'harness/pins/judge.ts' },
    { from: 'harness/novelty/x.ts', to: 'harness/verdict/problem.ts' },
  ])('would object to $from importing $to', (edge) => {
    expect(breach(edge)).not.toBeNull();
  });
});
