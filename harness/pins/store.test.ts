import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Scenario } from '../scenario/scenario.ts';
import type { Suite } from '../scenario/suite.ts';
import { audit } from './audit.ts';
import { category, child, headersOf, pinsOf, PROMPT, run, scenario, suite, TURNS } from './fixture-suite.ts';
import { createPinLedger, type LedgerRun } from './judge.ts';
import { layout } from './layout.ts';
import { readSnapshots } from './snapshot-files.ts';
import {
  accept,
  move,
  prune,
  readPending,
  recoverSnapshots,
  writePending,
  type StoreFacts,
} from './store.ts';

const EDITED = '# Role\nYou are the agent.\n';
const FAILED = TURNS.replace('completed', 'failed');

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pins-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

function write(texts: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
}

function snapshots(texts: Readonly<Record<string, string>>): void {
  write(Object.fromEntries(Object.entries(texts).map(([file, text]) => [`snapshots/core/${file}`, text])));
}

function read(file: string): string | null {
  return existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : null;
}

/** Every file of the project with its text, the state folder apart. */
function state(): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1)).sort();
  return Object.fromEntries(
    names
      .filter((file) => !file.startsWith('.turnpin'))
      .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
  );
}

function project(scenarios: readonly Scenario[], categories = [category('base')]): Suite {
  const made = suite(scenarios, categories);
  return { ...made, paths: { ...made.paths, root } };
}

function facts(given: Suite, more: Partial<StoreFacts> = {}): StoreFacts {
  return { suite: given, claims: layout(given), env: {}, ...more };
}

/** Judges runs against the disk and leaves what is pending. */
async function check(given: Suite, runs: readonly LedgerRun[], filtered = false): Promise<void> {
  const ledger = createPinLedger({ suite: given, claims: layout(given), disk: readSnapshots(given.paths) });
  for (const one of runs) ledger.add(one);
  await writePending(given, ledger.judge({ filtered }));
}

const TWO = [scenario('turns/a'), scenario('turns/b')];
const both = (more: Parameters<typeof run>[1] = {}): LedgerRun[] => TWO.map(({ id }) => run(id, more));
const pinned = {
  ...pinsOf('base'),
  'turns/a/transcript.expected.yaml': TURNS,
  'turns/b/transcript.expected.yaml': TURNS,
};
const PROMPT_FILE = 'snapshots/core/categories/base/system-prompt.expected.md';

describe('a check', () => {
  it('never touches the snapshots folder, and leaves actual texts where a person can look at them', async () => {
    snapshots(pinned);
    const before = state();
    await check(project(TWO), both({ prompt: EDITED }));
    expect(state()).toEqual(before);
    expect(read(`.turnpin/pending/${PROMPT_FILE}`)).toBe(EDITED);
  });

  it('takes back what it left once the pin matches again', async () => {
    snapshots(pinned);
    const given = project(TWO);
    await check(given, both({ prompt: EDITED }));
    await check(given, both());
    expect(existsSync(join(root, '.turnpin/pending'))).toBe(false);
  });

  it('with a filter keeps what others left, and the completeness of what it confirms', async () => {
    snapshots(pinned);
    const given = project(TWO);
    await check(given, both({ prompt: EDITED, sections: { turns: FAILED } }));
    await check(given, [run('turns/a', { prompt: EDITED, sections: { turns: FAILED } })], true);
    expect(readPending(given).map(({ key, complete }) => [key, complete])).toEqual([
      ['base/system-prompt', true],
      ['turns/a/transcript', true],
      ['turns/b/transcript', true],
    ]);
  });
});

describe('accept', () => {
  it('writes what is pending for a key, and nothing else', async () => {
    snapshots(pinned);
    const given = project(TWO);
    await check(given, both({ prompt: EDITED, sections: { turns: FAILED } }));
    const result = await accept(facts(given), { keys: ['base/system-prompt'], expect: null });
    expect(result).toEqual({ problems: [], written: [PROMPT_FILE], keys: ['base/system-prompt'] });
    expect(read(PROMPT_FILE)).toBe(EDITED);
    expect(read('snapshots/core/turns/a/transcript.expected.yaml')).toBe(TURNS);
    expect(readPending(given).map(({ key }) => key)).toEqual(['turns/a/transcript', 'turns/b/transcript']);
  });

  it('takes a scenario for all of its pins', async () => {
    snapshots(pinsOf('base'));
    const given = project(TWO);
    await check(given, both());
    const result = await accept(facts(given), { keys: ['turns/a'], expect: null });
    expect(result.written).toEqual(['snapshots/core/turns/a/transcript.expected.yaml']);
  });

  it('pins a whole new project, and the next check agrees', async () => {
    const given = project(TWO);
    await check(given, both());
    const result = await accept(facts(given), { keys: 'all', expect: 5 });
    expect(result.problems).toEqual([]);
    expect(result.written).toHaveLength(5);
    await check(given, both());
    expect(readPending(given)).toEqual([]);
    expect(audit({ suite: given, claims: layout(given), disk: readSnapshots(given.paths) })).toEqual([]);
  });

  it('pins two categories at once that see different values', async () => {
    const given = project(
      [...TWO, scenario('prompts/c', { category: 'pirate' })],
      [category('base'), category('pirate', 'base')],
    );
    await check(given, [...both(), run('prompts/c', { prompt: '# Arr\n' })]);
    const result = await accept(facts(given), { keys: 'all', expect: 7 });
    expect(result.problems).toEqual([]);
    expect(result.keys).toContain('base/system-prompt');
    expect(result.keys).toContain('pirate/system-prompt');
  });

  it('--all wants the right number, and writes nothing without it', async () => {
    const given = project(TWO);
    await check(given, both());
    for (const expected of [null, 4]) {
      const result = await accept(facts(given), { keys: 'all', expect: expected });
      expect(result.problems).toMatchObject([
        { kind: 'ACCEPT_REFUSED', fix: { command: ['turnpin', 'accept', '--all', '--expect', '5'] } },
      ]);
      expect(state()).toEqual({});
    }
  });

  it.each(['1', 'true', 'yes'])('refuses where CI is %s', async (value) => {
    const given = project(TWO);
    await check(given, both());
    const result = await accept(facts(given, { env: { CI: value } }), { keys: 'all', expect: 5 });
    expect(result.problems).toMatchObject([{ kind: 'ACCEPT_REFUSED', blame: 'usage' }]);
    expect(state()).toEqual({});
  });

  it.each(['', 'false', '0'])('works where CI is "%s"', async (value) => {
    const given = project(TWO);
    await check(given, both());
    expect((await accept(facts(given, { env: { CI: value } }), { keys: 'all', expect: 5 })).problems).toEqual(
      [],
    );
  });

  it('refuses by name what has gone stale, and writes the rest', async () => {
    snapshots(pinned);
    const three = [...TWO, scenario('turns/c')];
    const given = project(three);
    snapshots({ 'turns/c/transcript.expected.yaml': TURNS });
    await check(
      given,
      three.map(({ id }) => run(id, { sections: { turns: FAILED } })),
    );
    rmSync(join(root, '.turnpin/pending/snapshots/core/turns/a/transcript.expected.yaml'));
    snapshots({ 'turns/b/transcript.expected.yaml': 'turns: {}\n' });
    const result = await accept(facts(given), { keys: 'all', expect: 3 });
    expect(result.problems.map(({ kind, key, message }) => [kind, key, message.split('.')[0]])).toEqual([
      ['ACCEPT_REFUSED', 'turns/a/transcript', 'Its pending file was removed or edited since'],
      ['ACCEPT_REFUSED', 'turns/b/transcript', 'The expected file has changed since the check'],
    ]);
    expect(result.written).toEqual(['snapshots/core/turns/c/transcript.expected.yaml']);
    expect(read('snapshots/core/turns/b/transcript.expected.yaml')).toBe('turns: {}\n');
  });

  it('refuses what a scenario showed that has changed or gone since', async () => {
    snapshots(pinned);
    const given = project(TWO);
    await check(given, both({ sections: { turns: FAILED } }));
    const edited = project([scenario('turns/a', { digest: 'another' })]);
    const result = await accept(facts(edited), { keys: 'all', expect: 2 });
    expect(result.problems.map(({ message }) => message)).toEqual([
      'Scenario "turns/a" or its category has changed since the check. Run it again: turnpin check turns/a',
      'Nothing declares this file any more.',
    ]);
    expect(result.written).toEqual([]);
  });

  it("refuses a category's pin when members have not run, or joined since", async () => {
    snapshots(pinned);
    const given = project(TWO);
    await check(given, [run('turns/a', { prompt: EDITED })], true);
    expect(
      (await accept(facts(given), { keys: ['base/system-prompt'], expect: null })).problems[0]?.message,
    ).toContain('Not all members');
    await check(given, both({ prompt: EDITED }));
    const joined = project([...TWO, scenario('turns/c')]);
    expect(
      (await accept(facts(joined), { keys: ['base/system-prompt'], expect: null })).problems[0]?.message,
    ).toContain('"turns/c" has joined since');
    expect(read(PROMPT_FILE)).toBe(PROMPT);
  });

  it('refuses an expected file in conflict', async () => {
    const conflict = `<<<<<<< mine\n${PROMPT}=======\n${EDITED}>>>>>>> theirs\n`;
    snapshots({ ...pinned, 'categories/base/system-prompt.expected.md': conflict });
    const given = project(TWO);
    await check(given, both());
    const result = await accept(facts(given), { keys: ['base/system-prompt'], expect: null });
    expect(result.problems[0]?.message).toContain('The expected file is in conflict');
    expect(read(PROMPT_FILE)).toBe(conflict);
  });

  it('refuses an expected file that came into conflict after the check', async () => {
    snapshots(pinned);
    const given = project(TWO);
    await check(given, both({ prompt: EDITED }));
    const conflict = `<<<<<<< mine\n${PROMPT}=======\n${EDITED}>>>>>>> theirs\n`;
    snapshots({ 'categories/base/system-prompt.expected.md': conflict });
    const result = await accept(facts(given), { keys: ['base/system-prompt'], expect: null });
    expect(result.problems[0]?.message).toContain('in conflict (line 1)');
    expect(read(PROMPT_FILE)).toBe(conflict);
  });

  it('writes a badly formatted file anew without any run', async () => {
    snapshots({ ...pinned, 'categories/base/system-prompt.expected.md': PROMPT.replaceAll('\n', '\r\n') });
    const given = project(TWO);
    const [found] = audit({ suite: given, claims: layout(given), disk: readSnapshots(given.paths) });
    expect(found).toMatchObject({
      kind: 'NON_CANONICAL',
      fix: { command: ['turnpin', 'accept', 'base/system-prompt'] },
    });
    expect(await accept(facts(given), { keys: ['base/system-prompt'], expect: null })).toMatchObject({
      problems: [],
      written: [PROMPT_FILE],
    });
    expect(read(PROMPT_FILE)).toBe(PROMPT);
  });

  it('twice finds nothing the second time', async () => {
    const given = project(TWO);
    await check(given, both());
    await accept(facts(given), { keys: ['turns/a'], expect: null });
    const before = state();
    const again = await accept(facts(given), { keys: ['turns/a'], expect: null });
    expect(again.problems).toMatchObject([
      { kind: 'ACCEPT_REFUSED', message: expect.stringContaining('turnpin check turns/a') as string },
    ]);
    expect(state()).toEqual(before);
  });

  it('at once by two lets both end well, one after the other', async () => {
    const given = project(TWO);
    await check(given, both());
    const results = await Promise.all([
      accept(facts(given), { keys: ['turns/a'], expect: null }),
      accept(facts(given), { keys: ['turns/b'], expect: null }),
    ]);
    expect(results.flatMap(({ problems }) => problems)).toEqual([]);
    expect(Object.keys(state())).toHaveLength(2);
    expect(existsSync(join(root, '.turnpin/lock'))).toBe(false);
  });

  it('takes over the lock of a process that is gone', async () => {
    const given = project(TWO);
    await check(given, both());
    write({ '.turnpin/lock': JSON.stringify({ pid: 2 ** 22 + 12345, host: hostname() }) });
    expect((await accept(facts(given), { keys: ['turns/a'], expect: null })).problems).toEqual([]);
  });

  it('suggests the key that was meant', async () => {
    const given = project(TWO);
    const result = await accept(facts(given), { keys: ['base/system-promt'], expect: null });
    expect(result.problems[0]?.message).toContain('Did you mean base/system-prompt?');
  });
});

describe('an accept that would make an override equal to its pin', () => {
  it('prunes the child sidecar and its declaration in the same batch', async () => {
    const owner = scenario('turns/a', { pinsChildSystemPrompts: [child(1)] });
    const yaml = 'title: a # keep\n# a child of its own\npinsChildSystemPrompts: [1]\nsteps: []\n';
    write({ 'scenarios/turns/a.yaml': yaml });
    snapshots({
      ...pinsOf('base'),
      'turns/a/system-prompt.1.expected.md': EDITED,
      'turns/a/transcript.expected.yaml': TURNS,
    });
    const given = project([owner]);
    const headers = [...headersOf({ prompt: EDITED }), ...headersOf({ prompt: EDITED, child: 1 })];
    await check(given, [run('turns/a', { headers })]);
    const result = await accept(facts(given), { keys: ['base/system-prompt'], expect: null });
    expect(result.problems).toEqual([]);
    expect(result.keys).toEqual(['base/system-prompt', 'turns/a/system-prompt.1']);
    expect(result.written).toEqual([
      'scenarios/turns/a.yaml',
      PROMPT_FILE,
      'snapshots/core/turns/a/system-prompt.1.expected.md',
    ]);
    expect(read('snapshots/core/turns/a/system-prompt.1.expected.md')).toBeNull();
    expect(read('scenarios/turns/a.yaml')).toBe('title: a # keep\n# a child of its own\nsteps: []\n');
  });

  it('never writes it where it is new', async () => {
    snapshots({ ...pinsOf('base'), 'turns/a/transcript.expected.yaml': TURNS });
    write({ 'scenarios/turns/a.yaml': 'pinsChildSystemPrompts:\n  - 1\nsteps: []\n' });
    const given = project([scenario('turns/a', { pinsChildSystemPrompts: [child(1)] })]);
    await check(given, [run('turns/a', { headers: [...headersOf(), ...headersOf({ child: 1 })] })]);
    const result = await accept(facts(given), { keys: ['turns/a/system-prompt.1'], expect: null });
    expect(result.written).toEqual(['scenarios/turns/a.yaml']);
    expect(read('scenarios/turns/a.yaml')).toBe('steps: []\n');
  });

  it("prunes the file of a category that inherits, and leaves the other's", async () => {
    const pirate = scenario('prompts/c', { category: 'pirate' });
    snapshots({
      ...pinned,
      'categories/pirate/system-prompt.expected.md': EDITED,
      'prompts/c/transcript.expected.yaml': TURNS,
    });
    const given = project([...TWO, pirate], [category('base'), category('pirate', 'base')]);
    await check(given, [...both({ prompt: EDITED }), run('prompts/c', { prompt: EDITED })]);
    await accept(facts(given), { keys: ['base/system-prompt'], expect: null });
    expect(read(PROMPT_FILE)).toBe(EDITED);
    expect(existsSync(join(root, 'snapshots/core/categories/pirate'))).toBe(false);
  });
});

describe('prune', () => {
  const owner = scenario('turns/a', { pinsChildSystemPrompts: [child(1)] });
  const redundant = { ...pinned, 'turns/a/system-prompt.1.expected.md': PROMPT };

  it('deletes exactly the redundant file and its entry, and finds nothing the second time', async () => {
    const given = project([owner, scenario('turns/b')]);
    write({ 'scenarios/turns/a.yaml': 'pinsChildSystemPrompts: [1]\nsteps: []\n' });
    snapshots({ ...redundant, 'turns/b/orphan.txt': 'stays' });
    const before = state();
    const result = await prune(facts(given), 'all');
    expect(result.problems).toEqual([]);
    const { 'snapshots/core/turns/a/system-prompt.1.expected.md': _gone, ...rest } = before;
    expect(state()).toEqual({ ...rest, 'scenarios/turns/a.yaml': 'steps: []\n' });
    expect(await prune(facts(project(TWO)), 'all')).toEqual({ problems: [], written: [], keys: [] });
  });

  it('turns a copy of what another owns into a reference', async () => {
    const copy = scenario('turns/b', { pinsChildSystemPrompts: [child(2)] });
    const given = project([owner, copy]);
    write({
      'scenarios/turns/a.yaml': 'pinsChildSystemPrompts: [1]\n',
      'scenarios/turns/b.yaml': 'pinsChildSystemPrompts: [2] # same\n',
    });
    snapshots({
      ...pinned,
      'turns/a/system-prompt.1.expected.md': EDITED,
      'turns/b/system-prompt.2.expected.md': EDITED,
    });
    await prune(facts(given), ['turns/b/system-prompt.2']);
    expect(read('scenarios/turns/b.yaml')).toBe('pinsChildSystemPrompts: {2: turns/a} # same\n');
    expect(read('snapshots/core/turns/b/system-prompt.2.expected.md')).toBeNull();
    expect(read('snapshots/core/turns/a/system-prompt.1.expected.md')).toBe(EDITED);
  });

  it('refuses a key that is not redundant', async () => {
    snapshots(pinned);
    const result = await prune(facts(project(TWO)), ['base/system-prompt']);
    expect(result.problems).toMatchObject([{ kind: 'ACCEPT_REFUSED', key: 'base/system-prompt' }]);
    expect(result.written).toEqual([]);
  });
});

describe('a process killed at any step of an accept', () => {
  it('leaves the old state or the new one, whole', async () => {
    const owner = scenario('turns/a', { pinsChildSystemPrompts: [child(1)] });
    const given = project([owner, scenario('turns/b')]);
    const headers = [...headersOf({ prompt: EDITED }), ...headersOf({ prompt: EDITED, child: 1 })];
    const runs = [
      run('turns/a', { headers, sections: { turns: FAILED } }),
      run('turns/b', { prompt: EDITED }),
    ];
    const reset = async (): Promise<void> => {
      rmSync(root, { recursive: true });
      write({ 'scenarios/turns/a.yaml': 'pinsChildSystemPrompts: [1]\n' });
      snapshots({ ...pinned, 'turns/a/system-prompt.1.expected.md': '# Child\n' });
      await check(given, runs);
    };
    await reset();
    const before = state();
    let steps = 0;
    await accept(facts(given, { beforeStep: () => void steps++ }), { keys: 'all', expect: 3 });
    const after = state();
    expect(after).not.toEqual(before);
    expect(steps).toBeGreaterThan(8);

    const seen = new Set<string>();
    for (let killed = 1; killed <= steps; killed += 1) {
      await reset();
      let step = 0;
      const beforeStep = (): void => {
        step += 1;
        if (step === killed) throw new Error('killed');
      };
      await expect(accept(facts(given, { beforeStep }), { keys: 'all', expect: 3 })).rejects.toThrow(
        'killed',
      );
      await recoverSnapshots(given.paths);
      const now = state();
      expect([before, after]).toContainEqual(now);
      seen.add(JSON.stringify(now));
    }
    expect(seen.size).toBe(2);
  });
});

describe('move', () => {
  const child1 = '# Child\n';
  const owner = scenario('turns/a', { pinsChildSystemPrompts: [child(1)] });
  const guest = scenario('turns/b', { pinsChildSystemPrompts: [child(2, 'turns/a')] });
  const texts = { ...pinned, 'turns/a/system-prompt.1.expected.md': child1 };

  it('takes the snapshots of a scenario along, and the references to it', async () => {
    write({
      'scenarios/turns/a.yaml': 'pinsChildSystemPrompts: [1]\n',
      'scenarios/turns/b.yaml': '# b\npinsChildSystemPrompts: {2: turns/a}\n',
    });
    snapshots(texts);
    const result = await move(facts(project([owner, guest])), 'turns/a', 'cancel/new-name');
    expect(result.problems).toEqual([]);
    expect(read('scenarios/turns/a.yaml')).toBeNull();
    expect(read('scenarios/cancel/new-name.yaml')).toBe('pinsChildSystemPrompts: [1]\n');
    expect(read('scenarios/turns/b.yaml')).toBe('# b\npinsChildSystemPrompts: {2: cancel/new-name}\n');
    expect(read('snapshots/core/cancel/new-name/system-prompt.1.expected.md')).toBe(child1);
    expect(existsSync(join(root, 'snapshots/core/turns/a'))).toBe(false);
  });

  it('mends what a rename by hand left behind', async () => {
    write({
      'scenarios/turns/c.yaml': 'pinsChildSystemPrompts: [1]\n',
      'scenarios/turns/b.yaml': 'pinsChildSystemPrompts: {2: turns/a}\n',
    });
    snapshots({
      ...pinsOf('base'),
      'turns/a/system-prompt.1.expected.md': child1,
      'turns/a/transcript.expected.yaml': TURNS,
    });
    const renamed = scenario('turns/c', { pinsChildSystemPrompts: [child(1)] });
    const given = project([renamed, guest]);
    const broken = audit({ suite: given, claims: layout(given), disk: readSnapshots(given.paths) }).find(
      ({ key }) => key === 'turns/b/system-prompt.2',
    );
    expect(broken?.fix?.command).toEqual(['turnpin', 'move', 'turns/a', 'turns/c']);
    expect((await move(facts(given), 'turns/a', 'turns/c')).problems).toEqual([]);
    expect(read('scenarios/turns/b.yaml')).toBe('pinsChildSystemPrompts: {2: turns/c}\n');
    const mended = project([renamed, scenario('turns/b', { pinsChildSystemPrompts: [child(2, 'turns/c')] })]);
    expect(audit({ suite: mended, claims: layout(mended), disk: readSnapshots(mended.paths) })).toEqual([]);
  });

  it('gives a sidecar to another owner, which keeps its own number', async () => {
    write({ 'scenarios/turns/b.yaml': 'pinsChildSystemPrompts: {2: turns/a}\n' });
    snapshots({ ...pinsOf('base'), 'turns/a/system-prompt.1.expected.md': child1 });
    const result = await move(facts(project([guest])), 'turns/a/system-prompt.1', 'turns/b');
    expect(result.problems).toEqual([]);
    expect(read('snapshots/core/turns/b/system-prompt.2.expected.md')).toBe(child1);
    expect(read('snapshots/core/turns/a/system-prompt.1.expected.md')).toBeNull();
    expect(read('scenarios/turns/b.yaml')).toBe('pinsChildSystemPrompts: [2]\n');
  });

  it.each([
    ['turns/zz', 'turns/yy', 'There is no scenario "turns/zz"'],
    ['turns/a', 'turns/b', 'scenarios/turns/b.yaml exists already'],
    ['turns/a', 'Nonsense', "cannot be a scenario's id"],
    ['turns/a', 'categories/x', "cannot be a scenario's id"],
    ['turns/a/system-prompt.1', 'turns/none', 'There is no scenario "turns/none"'],
  ])('of %s to %s is refused, and changes nothing', async (from, to, message) => {
    write({
      'scenarios/turns/a.yaml': 'pinsChildSystemPrompts: [1]\n',
      'scenarios/turns/b.yaml': 'pinsChildSystemPrompts: {2: turns/a}\n',
    });
    snapshots(texts);
    const before = state();
    const result = await move(facts(project([owner, guest])), from, to);
    expect(result.problems).toMatchObject([
      { kind: 'USAGE', message: expect.stringContaining(message) as string },
    ]);
    expect(state()).toEqual(before);
  });
});
