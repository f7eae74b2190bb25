/** Makes suites, files and runs in memory, for the tests of the pins. */
import type { HeaderPart, HeaderValue, Observations } from '../observe/observations.ts';
import type { Category, ChildPin, Scenario } from '../scenario/scenario.ts';
import type { Suite } from '../scenario/suite.ts';
import type { Driver, Section } from '../verdict/vocabulary.ts';
import type { DiskFile } from './contract.ts';
import type { LedgerRun } from './judge.ts';

const START = { line: 1, column: 1 };

export function child(number: number, owner: string | null = null): ChildPin {
  return { child: number, owner, position: { line: 7, column: 3 } };
}

export function scenario(id: string, given: Partial<Scenario> = {}): Scenario {
  return {
    id,
    file: `scenarios/${id}.yaml`,
    title: id,
    covers: ['TURN-1'],
    category: 'base',
    agent: {},
    workspace: {},
    session: null,
    via: null,
    model: { conversations: [{ name: 'main', opens: null, replies: [] }], asides: [] },
    steps: [],
    expect: {
      turns: null,
      requests: null,
      log: null,
      refused: null,
      files: null,
      cli: null,
      acp: null,
      sdk: null,
      status: null,
    },
    pinsChildSystemPrompts: [],
    pinsChildToolSchemas: [],
    pinsWire: [],
    rewrites: [],
    positionOf: () => START,
    digest: `digest of ${id}`,
    ...given,
  };
}

export function category(
  name: string,
  extended: string | null = null,
  varying: readonly string[] = [],
): Category {
  return { name, extends: extended, agent: {}, headers: { varying }, position: START };
}

export function suite(
  scenarios: readonly Scenario[],
  categories: readonly Category[] = [category('base')],
): Suite {
  return {
    paths: { root: '', scenarios: 'scenarios', snapshots: 'snapshots', pending: '.turnpin/pending' },
    scenarios: [...scenarios].sort((a, b) => (a.id < b.id ? -1 : 1)),
    categories: new Map(categories.map((one) => [one.name, one])),
    requirements: [],
    digest: 'suite',
    problems: [],
  };
}

export function files(texts: Readonly<Record<string, string>>): DiskFile[] {
  return Object.entries(texts).map(([file, text]) => ({
    file: `snapshots/core/${file}`,
    content: text,
  }));
}

export const HEADER = '{\n  "method": "POST"\n}\n';
export const PROMPT = '# Role\nYou are an agent.\n';
export const TOOLS = '[]\n';
export const TURNS = 'turns:\n  main:\n    - end: completed\n';

/** The files of a category. */
export function pinsOf(
  name: string,
  given: Partial<Record<HeaderPart, string>> = {},
): Record<string, string> {
  return {
    [`categories/${name}/request-header.expected.json`]: given['request-header'] ?? HEADER,
    [`categories/${name}/system-prompt.expected.md`]: given['system-prompt'] ?? PROMPT,
    [`categories/${name}/tool-schemas.expected.json`]: given['tool-schemas'] ?? TOOLS,
  };
}

export interface RunGiven {
  readonly driver?: Driver;
  readonly clean?: boolean;
  readonly partial?: boolean;
  readonly headers?: readonly HeaderValue[];
  readonly sections?: Partial<Record<Section, string>>;
  readonly prompt?: string;
  readonly tools?: string;
  readonly varying?: Observations['varying'];
}

/** What a request of a conversation shows: what is pinned by `pinsOf`, but for what is given. */
export function headersOf(
  given: { prompt?: string; tools?: string; child?: number; header?: string } = {},
): HeaderValue[] {
  const where = {
    conversation: given.child === undefined ? 'main' : `child-${given.child}`,
    child: given.child ?? 0,
    request: 1,
  };
  return [
    { part: 'request-header', text: given.header ?? HEADER, ...where },
    { part: 'system-prompt', text: given.prompt ?? PROMPT, ...where },
    { part: 'tool-schemas', text: given.tools ?? TOOLS, ...where },
  ];
}

export function run(id: string, given: RunGiven = {}): LedgerRun {
  const driver = given.driver ?? 'inproc';
  const sections = new Map(Object.entries(given.sections ?? { turns: TURNS }) as [Section, string][]);
  const shown = { prompt: given.prompt ?? PROMPT, tools: given.tools ?? TOOLS };
  const observations: Observations = {
    scenario: id,
    driver,
    headers: given.headers ?? headersOf(shown),
    sections,
    turns: null,
    log: null,
    requests: new Map(),
    statuses: null,
    stdout: '',
    stderr: '',
    exit: { code: null, signal: null },
    files: new Map(),
    placeholders: new Map(),
    credentials: [],
    varying: given.varying ?? new Map(),
  };
  return { scenario: id, driver, clean: given.clean ?? true, partial: given.partial ?? false, observations };
}
