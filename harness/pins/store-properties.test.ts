/** What `accept` and `prune` promise of any project: done twice they change nothing the second time, and nothing redundant is left. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChildPin, Scenario } from '../scenario/scenario.ts';
import type { Suite } from '../scenario/suite.ts';
import { parse } from 'yaml';
import { audit } from './audit.ts';
import { category, child, headersOf, pinsOf, run, scenario, suite, TURNS } from './fixture-suite.ts';
import { createPinLedger } from './judge.ts';
import { layout } from './layout.ts';
import { readSnapshots } from './snapshot-files.ts';
import { accept, prune, writePending } from './store.ts';

const CATEGORIES = [category('base'), category('heir', 'base'), category('grandchild', 'heir')];
const TEXTS = ['# One\n', '# Two\n', '# Three\n'] as const;
const IDS = ['turns/a', 'turns/b', 'turns/c'] as const;

interface Given {
  /** Prompt of each category that has a file of its own. */
  readonly heir: number | null;
  readonly grandchild: number | null;
  /** For each scenario its category, and the text of its child's sidecar where it declares one. */
  readonly scenarios: readonly {
    readonly category: string;
    readonly sidecar: number | null;
    readonly live: number;
  }[];
}

const text = fc.nat(TEXTS.length - 1);
const projects: fc.Arbitrary<Given> = fc.record({
  heir: fc.option(text),
  grandchild: fc.option(text),
  scenarios: fc.array(
    fc.record({
      category: fc.constantFrom('base', 'heir', 'grandchild'),
      sidecar: fc.option(text),
      live: text,
    }),
    { minLength: IDS.length, maxLength: IDS.length },
  ),
});

/** Lays a project out in a fresh folder, and takes the folder away afterwards. */
async function within(given: Given, work: (project: Project) => Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'pins-'));
  try {
    const project = new Project(root);
    project.lay(given);
    await work(project);
  } finally {
    rmSync(root, { recursive: true });
  }
}

class Project {
  readonly #root: string;
  #categoryOf: readonly string[] = [];

  constructor(root: string) {
    this.#root = root;
  }

  lay({ heir, grandchild, scenarios }: Given): void {
    const prompt = (index: number | null): string => TEXTS[index ?? 0] ?? '';
    const files: Record<string, string> = { ...pinsOf('base', { 'system-prompt': TEXTS[0] }) };
    if (heir !== null) files['categories/heir/system-prompt.expected.md'] = prompt(heir);
    if (grandchild !== null) files['categories/grandchild/system-prompt.expected.md'] = prompt(grandchild);
    this.#categoryOf = scenarios.map((one) => one.category);
    scenarios.forEach(({ sidecar }, index) => {
      const id = IDS[index] ?? '';
      files[`${id}/transcript.expected.yaml`] = TURNS;
      if (sidecar !== null) files[`${id}/system-prompt.1.expected.md`] = prompt(sidecar);
      this.#write(
        `scenarios/${id}.yaml`,
        `# ${id}\n${sidecar === null ? '' : 'pinsChildSystemPrompts: [1]\n'}steps: []\n`,
      );
    });
    for (const [file, content] of Object.entries(files)) this.#write(`snapshots/core/${file}`, content);
  }

  #write(file: string, content: string): void {
    mkdirSync(dirname(join(this.#root, file)), { recursive: true });
    writeFileSync(join(this.#root, file), content);
  }

  /** The suite as the scenario files declare it now. */
  suite(): Suite {
    const scenarios = IDS.map((id, index): Scenario => {
      const source = readFileSync(join(this.#root, `scenarios/${id}.yaml`), 'utf8');
      const declared =
        (parse(source) as { pinsChildSystemPrompts?: number[] | Record<string, string> })
          .pinsChildSystemPrompts ?? [];
      const pins: ChildPin[] = Array.isArray(declared)
        ? declared.map((number) => child(number))
        : Object.entries(declared).map(([number, owner]) => child(Number(number), owner));
      return scenario(id, {
        category: this.#categoryOf[index] ?? '',
        pinsChildSystemPrompts: pins,
        digest: source,
      });
    });
    const made = suite(scenarios, CATEGORIES);
    return { ...made, paths: { ...made.paths, root: this.#root } };
  }

  facts(): { suite: Suite; claims: ReturnType<typeof layout>; env: Record<string, string> } {
    const given = this.suite();
    return { suite: given, claims: layout(given), env: {} };
  }

  redundant(): { key: string; fixable: boolean }[] {
    const { suite: given, claims } = this.facts();
    return audit({ suite: given, claims, disk: readSnapshots(given.paths) })
      .filter(({ kind }) => kind === 'REDUNDANT_SIDECAR')
      .map(({ key, fix }) => ({ key, fixable: fix !== null }));
  }

  otherLayoutProblems(): string[] {
    const { suite: given, claims } = this.facts();
    return audit({ suite: given, claims, disk: readSnapshots(given.paths) })
      .filter(({ kind }) => kind !== 'REDUNDANT_SIDECAR')
      .map(({ kind, key }) => `${kind} ${key}`);
  }

  /** A full run in which every category's members, and the children, show given prompts. */
  async check(given: Given): Promise<number> {
    const current = this.suite();
    const ledger = createPinLedger({
      suite: current,
      claims: layout(current),
      disk: readSnapshots(current.paths),
    });
    const promptOf = (name: string): string =>
      TEXTS[given.scenarios.find((one) => one.category === name)?.live ?? 0] ?? '';
    current.scenarios.forEach((one, index) => {
      const childPrompt = TEXTS[given.scenarios[index]?.live ?? 0] ?? '';
      const children = one.pinsChildSystemPrompts.flatMap((pin) =>
        headersOf({ prompt: childPrompt, child: pin.child }),
      );
      ledger.add(run(one.id, { headers: [...headersOf({ prompt: promptOf(one.category) }), ...children] }));
    });
    return (await writePending(current, ledger.judge({ filtered: false }))).length;
  }

  state(): Record<string, string> {
    const files = readdirSync(this.#root, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    return Object.fromEntries(
      files
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((file) => existsSync(file) && !file.includes('.turnpin'))
        .sort()
        .map((file) => [file, readFileSync(file, 'utf8')]),
    );
  }
}

describe('prune, whatever the project', () => {
  it('leaves nothing that it could have pruned, breaks no layout, and does nothing the second time', async () => {
    await fc.assert(
      fc.asyncProperty(projects, async (given) => {
        await within(given, async (project) => {
          await prune(project.facts(), 'all');
          expect(project.redundant().filter(({ fixable }) => fixable)).toEqual([]);
          expect(project.otherLayoutProblems()).toEqual([]);
          const before = project.state();
          expect((await prune(project.facts(), 'all')).written).toEqual([]);
          expect(project.state()).toEqual(before);
        });
      }),
      { numRuns: 25 },
    );
  });
});

describe('accept of everything, whatever the project', () => {
  it('makes nothing redundant, breaks no layout, and leaves nothing to accept', async () => {
    await fc.assert(
      fc.asyncProperty(projects, async (given) => {
        await within(given, async (project) => {
          await prune(project.facts(), 'all');
          const pending = await project.check(given);
          const result = await accept(project.facts(), { keys: 'all', expect: pending });
          expect(result.problems).toEqual([]);
          expect(project.redundant().filter(({ fixable }) => fixable)).toEqual([]);
          expect(project.otherLayoutProblems()).toEqual([]);
          const before = project.state();
          expect((await accept(project.facts(), { keys: 'all', expect: 0 })).written).toEqual([]);
          expect(project.state()).toEqual(before);
        });
      }),
      { numRuns: 25 },
    );
  });
});
