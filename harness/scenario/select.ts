/** What the words after `turnpin check` select: scenarios, by id, folder, glob, pin, problem or rule (report.md, `key`). Pure. */
import { nearest } from '../document/nearest.ts';
import { problem, type Problem } from '../verdict/problem.ts';
import type { Category, Scenario } from './scenario.ts';
import type { Suite } from './suite.ts';

export interface Selection {
  /** Sorted by id. */
  readonly scenarios: readonly Scenario[];
  /** False: all of them, because no selector was given. */
  readonly filtered: boolean;
  /** One for each selector that selects nothing. */
  readonly problems: readonly Problem[];
}

type Searched = Pick<Suite, 'scenarios' | 'categories' | 'requirements' | 'paths'>;

/** No selector selects everything. Several select all that any of them does. */
export function select(suite: Searched, selectors: readonly string[]): Selection {
  if (selectors.length === 0) return { scenarios: suite.scenarios, filtered: false, problems: [] };
  const chosen = new Set<Scenario>();
  const problems: Problem[] = [];
  for (const selector of selectors) {
    const found = matches(suite, selector);
    if (found.length === 0) problems.push(nothing(suite, selector));
    for (const scenario of found) chosen.add(scenario);
  }
  return { scenarios: suite.scenarios.filter((scenario) => chosen.has(scenario)), filtered: true, problems };
}

function matches(suite: Searched, selector: string): readonly Scenario[] {
  const word = plain(suite, selector);
  if (word === '') return [];
  const ways: readonly ((suite: Searched, word: string) => readonly Scenario[])[] = [
    byId,
    byFolder,
    byGlob,
    byRule,
    byCategory,
    byKey,
  ];
  for (const way of ways) {
    const found = way(suite, word);
    if (found.length > 0) return found;
  }
  return [];
}

/** Without the subject's name, the scenarios folder, `./`, `.yaml` and a slash at the end: what a shell completes works. */
function plain({ paths }: Searched, selector: string): string {
  return selector
    .replace(/^[A-Za-z0-9._-]+:/u, '')
    .replaceAll('\\', '/')
    .replace(/^\.\//u, '')
    .replace(new RegExp(`^${paths.scenarios.replace(/[^A-Za-z0-9/]/gu, '\\$&')}(?:/|$)`, 'u'), '')
    .replace(/\.yaml$/u, '')
    .replace(/\/+$/u, '');
}

const byId = ({ scenarios }: Searched, word: string): readonly Scenario[] =>
  scenarios.filter(({ id }) => id === word);

const byFolder = ({ scenarios }: Searched, word: string): readonly Scenario[] =>
  scenarios.filter(({ id }) => id.startsWith(`${word}/`));

/** `*` within a part, `**` across parts, `?` one character, `{a,b}` either. */
function byGlob({ scenarios }: Searched, word: string): readonly Scenario[] {
  if (!/[*?{]/u.test(word)) return [];
  const pattern = globPattern(word);
  return scenarios.filter(({ id }) => pattern.test(id));
}

function globPattern(glob: string): RegExp {
  let depth = 0;
  const source = glob.replace(/\*\*\/?|[*?{},]|[^*?{},]+/gu, (part) => {
    if (part.startsWith('**')) return part.endsWith('/') ? '(?:.*/)?' : '.*';
    if (part === '*') return '[^/]*';
    if (part === '?') return '[^/]';
    if (part === '{') return (depth += 1) > 0 ? '(?:' : '';
    if (part === '}' && depth > 0) return (depth -= 1) >= 0 ? ')' : '';
    if (part === ',' && depth > 0) return '|';
    return part.replace(/[.+^$()[\]|\\{}]/gu, '\\$&');
  });
  return new RegExp(`^${source}${')'.repeat(depth)}$`, 'u');
}

/** A rule (`SEND-1`) or a group of rules (`SEND`). */
const byRule = ({ scenarios, requirements }: Searched, word: string): readonly Scenario[] => {
  const ids = requirements.filter(({ id, group }) => id === word || group === word).map(({ id }) => id);
  return scenarios.filter(({ covers }) => covers.some((id) => ids.includes(id)));
};

/** A category, or a pin of one: its members, and those of the categories that may inherit it. */
function byCategory({ scenarios, categories }: Searched, word: string): readonly Scenario[] {
  const name = /^([^/]+)(?:\/(?:request-header|system-prompt|tool-schemas))?$/u.exec(word)?.[1];
  if (name === undefined || !categories.has(name)) return [];
  return scenarios.filter(({ category }) => lineOf(category, categories).includes(name));
}

/** The category itself, then those that it extends. */
function lineOf(name: string, categories: ReadonlyMap<string, Category>): string[] {
  const line: string[] = [];
  for (
    let at: string | null = name;
    at !== null && !line.includes(at);
    at = categories.get(at)?.extends ?? null
  ) {
    line.push(at);
  }
  return line;
}

/** A key of a problem or pin that begins with a scenario's id: `turns/x/transcript`, `turns/x/expect.turns.1.end`. */
const byKey = ({ scenarios }: Searched, word: string): readonly Scenario[] =>
  scenarios.filter(({ id }) => word.startsWith(`${id}/`));

function nothing(suite: Searched, selector: string): Problem {
  const word = plain(suite, selector);
  const topics = [...new Set(suite.scenarios.map(({ id }) => id.slice(0, id.indexOf('/'))))];
  const ids = suite.scenarios.map(({ id }) => id);
  const rules = suite.requirements.map(({ id }) => id);
  const sameName = ids.filter((id) => word !== '' && id.slice(id.indexOf('/') + 1).includes(word));
  const near = [
    ...new Set([...sameName, ...nearest(word, [...ids, ...topics, ...suite.categories.keys(), ...rules])]),
  ].slice(0, 5);
  const covered = rules.includes(word) ? `; no scenario covers the rule ${word} yet` : '';
  const hint =
    near.length > 0 ? `; did you mean ${near.join(' or ')}?` : `; topics: ${topics.join(', ') || 'none'}`;
  return problem({
    kind: 'USAGE',
    key: selector,
    message: `"${selector}" selects no scenario${covered === '' ? hint : covered}`,
  });
}
