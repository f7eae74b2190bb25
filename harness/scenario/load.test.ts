import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSuite } from './load.ts';
import { skeleton } from './skeleton.ts';
import type { Suite } from './suite.ts';

const RULES = `groups: {SEND: ordinary input}
requirements:
  - {id: SEND-1, level: MUST, needs: [followup], from: design, rule: "Each send is one item."}
`;
const SCENARIO = `title: t
covers: [SEND-1]
model:
  main:
    - text: Hello.
steps:
  - followup: Hi there
expect:
  requests: 1
`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'turnpin-load-'));
  write('scenarios/requirements.yaml', RULES);
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

function write(file: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), content);
}

const told = ({ problems }: Suite): string[] =>
  problems.map(({ kind, file, line, message }) => `${kind} ${file}:${line} ${message.split('\n', 1)[0]}`);

describe('a project', () => {
  it('is its scenarios by path, its rules, and the base category', () => {
    write('scenarios/turns/b.yaml', SCENARIO);
    write('scenarios/turns/a.yaml', SCENARIO);
    write('scenarios/turns/deep/c.yaml', SCENARIO);
    const suite = loadSuite(root);
    expect(told(suite)).toEqual([]);
    expect(suite.scenarios.map(({ id, file }) => [id, file])).toEqual([
      ['turns/a', 'scenarios/turns/a.yaml'],
      ['turns/b', 'scenarios/turns/b.yaml'],
      ['turns/deep/c', 'scenarios/turns/deep/c.yaml'],
    ]);
    expect([...suite.categories.keys()]).toEqual(['base']);
    expect(suite.requirements).toHaveLength(1);
    expect(suite.paths).toEqual({
      root,
      scenarios: 'scenarios',
      snapshots: 'snapshots',
      pending: '.turnpin/pending',
    });
  });

  it('may have nothing at all', () => {
    rmSync(join(root, 'scenarios'), { recursive: true });
    expect(loadSuite(root)).toMatchObject({ scenarios: [], requirements: [], problems: [] });
  });

  it('says in turnpin.yaml where its parts are', () => {
    write('turnpin.yaml', 'scenarios: ./spec/cases/\nsnapshots: spec/pins\n');
    write('spec/cases/requirements.yaml', RULES);
    write('spec/cases/turns/a.yaml', SCENARIO);
    const suite = loadSuite(root);
    expect(told(suite)).toEqual([]);
    expect(suite.scenarios[0]).toMatchObject({ id: 'turns/a', file: 'spec/cases/turns/a.yaml' });
    expect(suite.paths).toMatchObject({ scenarios: 'spec/cases', snapshots: 'spec/pins' });
  });

  it('has a digest that follows every file that declares something', () => {
    write('scenarios/turns/a.yaml', SCENARIO);
    const first = loadSuite(root).digest;
    expect(loadSuite(root).digest).toBe(first);
    write('scenarios/turns/a.yaml', SCENARIO.replaceAll('\n', '\r\n'));
    expect(loadSuite(root).digest).toBe(first);
    write('scenarios/categories.yaml', 'base: {}\n');
    const second = loadSuite(root).digest;
    expect(second).not.toBe(first);
    write('scenarios/turns/a.yaml', `${SCENARIO}# more\n`);
    expect(loadSuite(root).digest).not.toBe(second);
  });

  it('goes on past a broken file, so that all mistakes are told at once', () => {
    write('scenarios/turns/a.yaml', SCENARIO.replace('steps', 'stepz'));
    write('scenarios/turns/b.yaml', SCENARIO.replace('SEND-1', 'SEND-9'));
    write('scenarios/turns/c.yaml', SCENARIO);
    write('scenarios/categories.yaml', 'base: {agents: {}}\n');
    const suite = loadSuite(root);
    expect(told(suite)).toEqual([
      'INVALID_CONFIG scenarios/categories.yaml:1 unknown key "agents"; did you mean "agent"?',
      'INVALID_SCENARIO scenarios/turns/a.yaml:6 unknown key "stepz"; did you mean "steps"?',
      'INVALID_SCENARIO scenarios/turns/b.yaml:2 there is no rule "SEND-9" in requirements.yaml; did you mean "SEND-1"?; `turnpin rules WORD` finds rules',
    ]);
    expect(suite.scenarios.map(({ id }) => id)).toEqual(['turns/b', 'turns/c']);
  });
});

describe('a file that is no scenario', () => {
  it.each([
    ['turns/a.yml', 'scenario files end in .yaml; rename this one to a.yaml'],
    ['turns/a.YAML', 'scenario files end in .yaml; rename this one to a.yaml'],
    ['turns/a.yaml.txt', 'scenario files end in .yaml; rename this one to a.yaml'],
    ['turns/notes.txt', 'this is no scenario'],
    ['a.yaml', 'a scenario lies in the folder of its topic, such as turns/a.yaml'],
    ['categories/a.yaml', 'a topic may not be called "categories"'],
    ['turns/My Case.yaml', '"My Case" cannot be part of an id'],
    ['requirement.yaml', 'a scenario lies in the folder of its topic'],
  ])('%s is told by its name', (file, expected) => {
    write(`scenarios/${file}`, SCENARIO);
    expect(loadSuite(root).problems).toMatchObject([
      {
        kind: 'INVALID_SCENARIO',
        file: `scenarios/${file}`,
        message: expect.stringContaining(expected) as string,
      },
    ]);
  });

  it.each(['.DS_Store', 'turns/.a.yaml.swp', 'turns/a.yaml~', 'scenario.schema.json', 'README.md'])(
    '%s is passed over',
    (file) => {
      write(`scenarios/${file}`, 'x');
      expect(loadSuite(root).problems).toEqual([]);
    },
  );

  it('cannot have the name of a folder', () => {
    write('scenarios/turns/a.yaml', SCENARIO);
    write('scenarios/turns/a/b.yaml', SCENARIO);
    expect(told(loadSuite(root))).toEqual([
      'INVALID_SCENARIO scenarios/turns/a.yaml:1 "turns/a" is also the folder of scenarios/turns/a/b.yaml; rename one of the two',
    ]);
  });

  it('is an empty one, or one that is no text', () => {
    write('scenarios/turns/a.yaml', '');
    write('scenarios/turns/b.yaml', new Uint8Array([0x61, 0x3a, 0x20, 0xff]));
    write('scenarios/turns/c.yaml', `\uFEFF${SCENARIO}`);
    expect(told(loadSuite(root))).toEqual([
      'INVALID_SCENARIO scenarios/turns/a.yaml:1 the file is empty',
      expect.stringContaining('b.yaml:1 these bytes are not UTF-8'),
      expect.stringContaining('c.yaml:1 the file begins with a byte order mark'),
    ]);
  });
});

describe('what cannot be read', () => {
  it('is told: a file where the folder should be', () => {
    rmSync(join(root, 'scenarios'), { recursive: true });
    write('scenarios', 'x');
    expect(loadSuite(root).problems).toMatchObject([
      {
        kind: 'INVALID_CONFIG',
        file: 'scenarios',
        message: 'scenarios cannot be read: it is a file, and a folder is wanted',
      },
      {},
      {},
    ]);
  });

  it('is told: a folder where a file should be', () => {
    write('scenarios/categories.yaml/x', 'x');
    expect(told(loadSuite(root))[0]).toContain('categories.yaml cannot be read: it is a folder');
  });
});

describe('turnpin.yaml', () => {
  it.each([
    ['scenario: x\n', 'unknown key "scenario"; did you mean "scenarios"?'],
    ['scenarios: ../elsewhere\n', '"../elsewhere" is no folder below the project'],
    ['scenarios: /abs\n', '"/abs" is no folder below the project'],
    ['snapshots: scenarios\n', 'scenarios and snapshots need a folder each'],
  ])('refuses %j', (text, expected) => {
    write('turnpin.yaml', text);
    expect(loadSuite(root).problems).toMatchObject([
      { kind: 'INVALID_CONFIG', file: 'turnpin.yaml', message: expect.stringContaining(expected) as string },
    ]);
  });

  it('may hold nothing but comments', () => {
    write('turnpin.yaml', '# all defaults\n');
    expect(loadSuite(root).problems).toEqual([]);
  });
});

describe('the skeleton of a new scenario', () => {
  it('parses, and fails only by what its author must fill in', () => {
    const made = skeleton('turns/deep/my-case', loadSuite(root));
    if ('problem' in made) throw new Error(made.problem.message);
    expect(made.file).toBe('scenarios/turns/deep/my-case.yaml');
    expect(made.text).toContain('$schema=../../scenario.schema.json\n');
    write(made.file, made.text);
    expect(told(loadSuite(root))).toEqual([
      'INVALID_SCENARIO scenarios/turns/deep/my-case.yaml:3 this scenario covers no rule; name at least one (`turnpin rules WORD` finds them)',
    ]);
    write(made.file, made.text.replace('covers: []', 'covers: [SEND-1]'));
    expect(told(loadSuite(root))).toEqual([]);
  });

  it('shows in its comments what parses, too', () => {
    const made = skeleton('turns/my-case', loadSuite(root));
    if ('problem' in made) throw new Error(made.problem.message);
    const filled = made.text
      .replace('covers: []', 'covers: [SEND-1]')
      .replace('# hold', 'hold')
      .replaceAll('# - ', '- ')
      .replace('# requests', 'requests')
      .replace('# files', 'files');
    write(made.file, filled);
    expect(told(loadSuite(root))).toEqual([]);
  });

  it.each([
    ['my-case', '"my-case" lacks a topic; write topic/name, such as turns/my-case (topics so far: turns)'],
    ['turns/My Case', '"turns/My Case" cannot be the id of a scenario'],
    ['../turns/a', 'cannot be the id of a scenario'],
    ['categories/a', 'cannot be the id of a scenario'],
    ['turns/a', 'the scenario turns/a exists already: scenarios/turns/a.yaml'],
    ['scenarios/turns/a.yaml', 'the scenario turns/a exists already'],
  ])('is refused for %s', (id, expected) => {
    write('scenarios/turns/a.yaml', SCENARIO);
    expect(skeleton(id, loadSuite(root))).toMatchObject({
      problem: { kind: 'USAGE', message: expect.stringContaining(expected) as string },
    });
  });
});
