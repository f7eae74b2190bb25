import { describe, expect, it } from 'vitest';
import type { Suite } from '../scenario/suite.ts';
import type { Problem } from '../verdict/problem.ts';
import { audit } from './audit.ts';
import { category, child, files, HEADER, pinsOf, PROMPT, scenario, suite, TURNS } from './fixture-suite.ts';
import { layout } from './layout.ts';

const one = suite([scenario('turns/a')]);
const sound = { ...pinsOf('base'), 'turns/a/transcript.expected.yaml': TURNS };

function look(texts: Readonly<Record<string, string>>, given: Suite = one): readonly Problem[] {
  return audit({ suite: given, claims: layout(given), disk: files(texts) });
}

function kinds(problems: readonly Problem[]): string[] {
  return problems.map(({ kind, key }) => `${kind} ${key}`);
}

/** The one problem of a suite that is sound but for one file. */
function only(file: string, text: string, given?: Suite): Problem {
  const found = look({ ...sound, [file]: text }, given);
  expect(found).toHaveLength(1);
  const [problem] = found;
  if (problem === undefined) throw new Error('no problem');
  return problem;
}

describe('the audit', () => {
  it('has nothing to say about a sound folder, or about none', () => {
    expect(look(sound)).toEqual([]);
    expect(look({})).toEqual([]);
  });

  it('finds what its order of files does not change', () => {
    const broken = { ...sound, 'turns/a/x.md': 'x\n', 'turns/b/transcript.expected.yaml': TURNS };
    expect(look(Object.fromEntries(Object.entries(broken).reverse()))).toEqual(look(broken));
  });
});

describe('ORPHAN_FILE', () => {
  it('is a file of a scenario that does not exist', () => {
    const found = only('turns/gone/transcript.expected.yaml', TURNS);
    expect(found).toMatchObject({ kind: 'ORPHAN_FILE', blame: 'hygiene' });
    expect(found.fix?.command).toEqual(['rm', 'snapshots/core/turns/gone/transcript.expected.yaml']);
  });

  it('is a child sidecar that is not declared, and says how to declare it', () => {
    const found = only('turns/a/system-prompt.1.expected.md', '# Child\n');
    expect(found.kind).toBe('ORPHAN_FILE');
    expect(found.message).toContain('add pinsChildSystemPrompts: [1] to scenarios/turns/a.yaml');
  });

  it('is a wire file that the scenario does not ask for', () => {
    expect(only('turns/a/wire.acp.expected.yaml', 'wire: []\n').message).toContain('pinsWire: [acp]');
  });

  it('names the scenario that a renamed one may be', () => {
    expect(only('turns/aa/transcript.expected.yaml', TURNS).message).toContain(
      'turnpin move turns/aa turns/a',
    );
  });

  it('is anything else below the folder', () => {
    expect(only('README.txt', 'x\n').kind).toBe('ORPHAN_FILE');
  });
});

describe('MISNAMED_FILE', () => {
  const declared = suite([scenario('turns/a', { pinsChildSystemPrompts: [child(1)] })]);

  it('is a number with a leading zero, with the right name and the command', () => {
    const found = look({ ...sound, 'turns/a/system-prompt.01.expected.md': '# Child\n' }, declared);
    expect(kinds(found)).toContain('MISNAMED_FILE turns/a/system-prompt.1');
    const misnamed = found.find(({ kind }) => kind === 'MISNAMED_FILE');
    expect(misnamed?.message).toContain('did you mean snapshots/core/turns/a/system-prompt.1.expected.md?');
    expect(misnamed?.fix?.command).toEqual([
      'mv',
      'snapshots/core/turns/a/system-prompt.01.expected.md',
      'snapshots/core/turns/a/system-prompt.1.expected.md',
    ]);
  });

  it('is that too where nothing declares the file', () => {
    expect(only('turns/a/system-prompt.01.expected.md', '# Child\n').message).toContain(
      'Nothing declares that file either',
    );
  });

  it('is the wrong case', () => {
    const { 'turns/a/transcript.expected.yaml': _right, ...rest } = sound;
    const [found] = look({ ...rest, 'turns/a/Transcript.expected.yaml': TURNS });
    expect(found).toMatchObject({ kind: 'MISNAMED_FILE', key: 'turns/a/transcript' });
    expect(found?.message).toContain('Wrong case');
  });

  it('is a slip of the keyboard, and the wrong extension', () => {
    const { 'turns/a/transcript.expected.yaml': _right, ...rest } = sound;
    for (const name of ['trancsript.expected.yaml', 'transcript.expected.yml']) {
      expect(kinds(look({ ...rest, [`turns/a/${name}`]: TURNS }))).toEqual([
        'MISNAMED_FILE turns/a/transcript',
      ]);
    }
  });

  it('beside the right file says to keep one', () => {
    expect(only('turns/a/TRANSCRIPT.expected.yaml', TURNS)).toMatchObject({
      kind: 'MISNAMED_FILE',
      fix: { command: ['rm', 'snapshots/core/turns/a/TRANSCRIPT.expected.yaml'] },
    });
  });

  it('is no other child: that is an orphan', () => {
    expect(only('turns/a/system-prompt.2.expected.md', '# Child\n').kind).toBe('ORPHAN_FILE');
  });
});

describe('MISSING_SIDECAR', () => {
  it('is a declared child file that is not there', () => {
    const given = suite([
      scenario('turns/a', { pinsChildSystemPrompts: [child(1)], pinsChildToolSchemas: [child(1)] }),
    ]);
    expect(kinds(look(sound, given))).toEqual([
      'MISSING_SIDECAR turns/a/system-prompt.1',
      'MISSING_SIDECAR turns/a/tool-schemas.1',
    ]);
  });

  it('is none for a scenario that the subject cannot run', () => {
    const given = suite([scenario('turns/a', { pinsChildSystemPrompts: [child(1)] })]);
    expect(audit({ suite: given, claims: layout(given), disk: files(sound), runnable: new Set() })).toEqual(
      [],
    );
  });

  it('is a reference to an owner that is gone, with the command that moves the pin', () => {
    const given = suite([scenario('turns/a', { pinsChildSystemPrompts: [child(1, 'turns/owner')] })]);
    const found = look({ ...sound, 'turns/owner/system-prompt.1.expected.md': '# Child\n' }, given);
    expect(kinds(found)).toEqual([
      'ORPHAN_FILE snapshots/core/turns/owner/system-prompt.1.expected.md',
      'MISSING_SIDECAR turns/a/system-prompt.1',
    ]);
    expect(found[1]).toMatchObject({
      file: 'scenarios/turns/a.yaml',
      line: 7,
      fix: { command: ['turnpin', 'move', 'turns/owner/system-prompt.1', 'turns/a'] },
    });
  });

  it('is a reference to an owner that was renamed, with the command that takes its files along', () => {
    const given = suite([
      scenario('turns/a', { pinsChildSystemPrompts: [child(1, 'turns/owner')] }),
      scenario('turns/renamed', { pinsChildSystemPrompts: [child(1)] }),
    ]);
    const found = look({ ...sound, 'turns/owner/system-prompt.1.expected.md': '# Child\n' }, given);
    expect(found.find(({ key }) => key === 'turns/a/system-prompt.1')?.fix?.command).toEqual([
      'turnpin',
      'move',
      'turns/owner',
      'turns/renamed',
    ]);
  });

  it('is a reference to a scenario that owns no such child', () => {
    const given = suite([
      scenario('turns/a', { pinsChildSystemPrompts: [child(1, 'turns/b')] }),
      scenario('turns/b'),
    ]);
    const [found] = look({ ...sound }, given);
    expect(found?.message).toContain('declares no pinsChildSystemPrompts of its own');
  });
});

describe('TWO_OWNERS', () => {
  it('is one file where upper and lower case are the same', () => {
    const given = suite([scenario('turns/a'), scenario('turns/A')]);
    expect(kinds(look(sound, given))).toEqual(['TWO_OWNERS turns/a/transcript']);
  });
});

describe('NON_CANONICAL', () => {
  const transcript = 'turns/a/transcript.expected.yaml';
  const prompt = 'categories/base/system-prompt.expected.md';
  const header = 'categories/base/request-header.expected.json';

  it.each([
    ['an empty file', prompt, '', 'The file is empty.'],
    ['a byte order mark', prompt, `\uFEFF${PROMPT}`, 'byte order mark'],
    [
      'CRLF on every line',
      prompt,
      PROMPT.replaceAll('\n', '\r\n'),
      'Line ends only: 2 of 2 lines end in CRLF',
    ],
    [
      'CRLF on the last line',
      transcript,
      TURNS.replace(/\n$/u, '\r\n'),
      'Line ends only: 1 of 3 lines end in CRLF',
    ],
    ['a missing final newline', transcript, TURNS.trimEnd(), 'The final newline is missing.'],
    ['an extra final newline', prompt, `${PROMPT}\n`, 'more than one final newline'],
    ['JSON on one line', header, '{"method": "POST"}\n', 'The JSON is not in canonical form'],
    [
      'unsorted keys of a request header',
      header,
      '{\n  "path": "/",\n  "method": "POST"\n}\n',
      'canonical is "  \\"method\\"',
    ],
    ['JSON that cannot be read', header, '{\n', 'not readable as JSON'],
    [
      'YAML in another layout',
      transcript,
      'turns: {main: [{end: completed}]}\n',
      'The YAML is not in canonical form',
    ],
    ['a comment in YAML', transcript, `${TURNS}# why\n`, 'found "# why"'],
    ['a section that does not exist', transcript, `${TURNS}more: []\n`, '"more: []" belongs to no section'],
  ])('is %s', (_what, file, text, message) => {
    const found = only(file, text);
    expect(found.kind).toBe('NON_CANONICAL');
    expect(found.message).toContain(message);
  });

  it('is bytes that are no UTF-8', () => {
    const disk = [
      ...files(sound).filter(({ file }) => !file.endsWith('.md')),
      { file: `snapshots/core/${prompt}`, content: Uint8Array.of(0xff, 10) },
    ];
    const [found] = audit({ suite: one, claims: layout(one), disk });
    expect(found).toMatchObject({ kind: 'NON_CANONICAL', message: 'The bytes are not UTF-8 text.' });
  });

  it('is a set of conflict markers, with its line', () => {
    const found = only(prompt, `# Role\n<<<<<<< mine\na\n=======\nb\n>>>>>>> theirs\n`);
    expect(found).toMatchObject({ kind: 'NON_CANONICAL', line: 2, fix: null });
  });

  it('is no heading underline, and no conflict that a scenario quotes', () => {
    expect(look({ ...sound, [prompt]: 'Role\n=======\nYou are.\n' })).toEqual([]);
    const quoted = 'turns:\n  main:\n    - |-\n      <<<<<<< mine\n      =======\n      >>>>>>> theirs\n';
    expect(look({ ...sound, [transcript]: quoted })).toEqual([]);
  });

  it("keeps the order of tools and of their keys, which is the subject's", () => {
    expect(
      look({
        ...sound,
        'categories/base/tool-schemas.expected.json': '[\n  {\n    "b": 1,\n    "a": 2\n  }\n]\n',
      }),
    ).toEqual([]);
  });
});

describe('VOLATILE_VALUE', () => {
  it.each([
    ['a UUID', '6b1f2c9e-1c2d-4e5f-8a9b-0c1d2e3f4a5b'],
    ['a timestamp', '2026-09-16T10:11:12.345Z'],
    ['a temporary path', '/tmp/turnpin-x1/notes.txt'],
    ['a temporary path', '/private/var/folders/ab/cd'],
    ['a home path', '/home/somebody/project'],
    ['a home path', '/Users/somebody'],
    ['a local port', '127.0.0.1:41234'],
    ['a local port', 'localhost:8080'],
  ])('is %s such as %s, with file and line', (what, value) => {
    const found = only('categories/base/system-prompt.expected.md', `# Role\nSee ${value} there.\n`);
    expect(found).toMatchObject({ kind: 'VOLATILE_VALUE', key: 'base/system-prompt', line: 2, column: 5 });
    expect(found.message).toContain(`${value} looks like ${what}`);
  });

  it('is none that the scenario itself declares, and no placeholder', () => {
    const given = suite([scenario('turns/a', { workspace: { 'a.txt': 'see /tmp/outside' } })]);
    const text =
      'turns:\n  main:\n    - end: /tmp/outside\n    - end: "{{cwd}}/tmp/a {{home}}/home/x 127.0.0.1:{{port}}"\n';
    expect(look({ ...sound, 'turns/a/transcript.expected.yaml': text }, given)).toEqual([]);
  });
});

describe('REDUNDANT_SIDECAR', () => {
  const keysOf = (problems: readonly Problem[]): unknown[] =>
    problems.map(({ kind, key, fix }) => [kind, key, fix?.command.slice(1) ?? null]);
  const childPrompt = '# Child\n';

  it('is a child equal to the pin of its category, declared or inherited by it', () => {
    const given = suite(
      [scenario('turns/a', { pinsChildSystemPrompts: [child(1)], category: 'heir' })],
      [category('base'), category('heir', 'base')],
    );
    const found = look({ ...sound, 'turns/a/system-prompt.1.expected.md': PROMPT }, given);
    expect(keysOf(found)).toEqual([
      ['REDUNDANT_SIDECAR', 'turns/a/system-prompt.1', ['prune', 'turns/a/system-prompt.1']],
    ]);
    expect(found[0]?.message).toBe(
      "equal to     snapshots/core/categories/base/system-prompt.expected.md, the pin that it would inherit\nA child's sidecar exists only where the child differs from its category.",
    );
  });

  it('is a child equal to what another scenario owns', () => {
    const given = suite([
      scenario('turns/a', { pinsChildSystemPrompts: [child(1)] }),
      scenario('turns/b', { pinsChildSystemPrompts: [child(1)] }),
    ]);
    const texts = {
      ...sound,
      'turns/a/system-prompt.1.expected.md': childPrompt,
      'turns/b/system-prompt.1.expected.md': childPrompt,
    };
    const found = look(texts, given);
    expect(keysOf(found)).toEqual([
      ['REDUNDANT_SIDECAR', 'turns/b/system-prompt.1', ['prune', 'turns/b/system-prompt.1']],
    ]);
    expect(found[0]?.message).toContain('pinsChildSystemPrompts: {1: turns/a}');
  });

  it('is no child that differs, and no other part with the same text', () => {
    const given = suite([
      scenario('turns/a', { pinsChildSystemPrompts: [child(1)], pinsChildToolSchemas: [child(1)] }),
    ]);
    const texts = {
      ...sound,
      'turns/a/system-prompt.1.expected.md': '[]\n',
      'turns/a/tool-schemas.1.expected.json': '[\n  1\n]\n',
    };
    expect(look(texts, given)).toEqual([]);
  });

  it('is a category equal to the one that it extends', () => {
    const given = suite([scenario('turns/a')], [category('base'), category('heir', 'base')]);
    expect(keysOf(look({ ...sound, 'categories/heir/request-header.expected.json': HEADER }, given))).toEqual(
      [['REDUNDANT_SIDECAR', 'heir/request-header', ['prune', 'heir/request-header']]],
    );
  });

  it('is a category equal to another, which wants a decision', () => {
    const given = suite(
      [scenario('turns/a')],
      [category('base'), category('x', 'base'), category('y', 'base')],
    );
    const texts = {
      ...sound,
      'categories/x/system-prompt.expected.md': 'X\n',
      'categories/y/system-prompt.expected.md': 'X\n',
    };
    const found = look(texts, given);
    expect(keysOf(found)).toEqual([['REDUNDANT_SIDECAR', 'y/system-prompt', null]]);
    expect(found[0]?.message).toContain('Let "y" extend "x"');
  });

  it('is no category that goes back to what an ancestor says', () => {
    const given = suite([scenario('turns/a')], [category('base'), category('m', 'base'), category('a', 'm')]);
    const texts = {
      ...sound,
      'categories/m/system-prompt.expected.md': 'X\n',
      'categories/a/system-prompt.expected.md': PROMPT,
    };
    expect(look(texts, given)).toEqual([]);
  });

  it('is a reference to a sidecar that the scenario would not need', () => {
    const given = suite(
      [
        scenario('turns/a', { pinsChildSystemPrompts: [child(1)] }),
        scenario('turns/b', { pinsChildSystemPrompts: [child(1, 'turns/a')], category: 'heir' }),
      ],
      [category('base'), category('heir', 'base')],
    );
    const texts = {
      ...sound,
      'turns/a/system-prompt.1.expected.md': childPrompt,
      'categories/heir/system-prompt.expected.md': childPrompt,
    };
    expect(keysOf(look(texts, given))).toEqual([
      ['REDUNDANT_SIDECAR', 'turns/b/system-prompt.1', ['prune', 'turns/b/system-prompt.1']],
    ]);
  });

  it('wants a decision where a scenario refers to the file and would not inherit the same', () => {
    const given = suite(
      [
        scenario('turns/a', { pinsChildSystemPrompts: [child(1)] }),
        scenario('turns/b', { pinsChildSystemPrompts: [child(1, 'turns/a')], category: 'heir' }),
      ],
      [category('base'), category('heir', 'base')],
    );
    const texts = {
      ...sound,
      'turns/a/system-prompt.1.expected.md': PROMPT,
      'categories/heir/system-prompt.expected.md': 'Heir\n',
    };
    const [found] = look(texts, given);
    expect(found).toMatchObject({ kind: 'REDUNDANT_SIDECAR', fix: null });
    expect(found?.message).toContain('turnpin move turns/a/system-prompt.1 turns/b');
  });
});
