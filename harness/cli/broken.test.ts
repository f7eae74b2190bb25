/**
 * One deliberately broken suite for each kind of problem: what the built command says of it stands in fixtures/broken, and
 * which files may appear with it is fixed here (pins.md, "A problem's text is an interface").
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderConsole } from '../report/console.ts';
import { KINDS, type Kind } from '../verdict/vocabulary.ts';
import { BrokenBuild, changes, Project } from './fixtures/project.ts';

const ONE = 'scenarios/turns/one-followup.yaml';
const SNAPSHOTS = 'snapshots/core';
const PROMPT = `${SNAPSHOTS}/categories/base/system-prompt.expected.md`;
const TRANSCRIPT = `${SNAPSHOTS}/turns/one-followup/transcript.expected.yaml`;
const BASH = 'scenarios/tools/bash.yaml';
const child = readFileSync(new URL('./fixtures/child.yaml', import.meta.url), 'utf8');

/** Selected: one scenario in process, since the audit is never filtered. */
const FEW = ['check', 'turns/one-followup', '--driver', 'inproc'];

const NOTHING_RAISES_IT = Symbol('nothing raises it yet');

interface Broken {
  /** Also the name of the file with the expected text. */
  readonly name: string;
  readonly kinds: readonly Kind[];
  readonly exit: number;
  readonly args?: readonly string[];
  /** Does the run leave pending files and a patch? */
  readonly pending?: true;
  /** One place of the built core that is broken as well: a file below dist/, and a string of it with what replaces it. */
  readonly core?: readonly [file: string, from: string, to: string];
  readonly break: (project: Project) => void;
}

/** Kinds without a suite here, each with the reason. Those that nothing raises yet get a suite with the code that does. */
const EXCEPTIONS: Partial<Record<Kind, string | typeof NOTHING_RAISES_IT>> = {
  HARNESS_ERROR: 'turnpin itself is broken then, and no suite: harness-error.test.ts',
  INTERRUPTED: 'a signal in the middle of a run, and no suite: interrupt.test.ts',
  TWO_OWNERS: 'names are small letters only, so that no suite gets that far: audit.test.ts',
  INVALID_MANIFEST: NOTHING_RAISES_IT,
  UNEXPECTED_PASS: NOTHING_RAISES_IT,
  STALE_BASELINE: NOTHING_RAISES_IT,
  MUTANT_SURVIVED: NOTHING_RAISES_IT,
  MUTANT_MISATTRIBUTED: NOTHING_RAISES_IT,
  MUTANT_MISSING: NOTHING_RAISES_IT,
};

const edit = (project: Project, file: string, from: string, to: string): void => {
  const text = project.read(file);
  if (!text.includes(from)) throw new Error(`${file} has no "${from}" to break`);
  project.write(
    file,
    text.replace(from, () => to),
  );
};

/** Leaves one scenario of the suite, since a run of all drivers takes its time. */
const keepOne = (project: Project): void => {
  for (const id of ['tools/bash', 'turns/two-while-held']) {
    project.delete(`scenarios/${id}.yaml`);
    project.delete(`${SNAPSHOTS}/${id}`);
  }
};

const CASES: readonly Broken[] = [
  {
    name: 'orphan-file',
    kinds: ['ORPHAN_FILE'],
    exit: 3,
    break: (p) => p.write(`${SNAPSHOTS}/turns/gone/transcript.expected.yaml`, 'turns:\n  main: []\n'),
  },
  {
    name: 'undeclared-sidecar',
    kinds: ['ORPHAN_FILE'],
    exit: 3,
    break: (p) =>
      p.write(`${SNAPSHOTS}/turns/one-followup/system-prompt.1.expected.md`, 'You are a child.\n'),
  },
  {
    name: 'misnamed-number',
    kinds: ['MISNAMED_FILE', 'MISSING_SIDECAR'],
    exit: 1,
    break: (p) => {
      p.write('scenarios/child/asked.yaml', child);
      p.write(`${SNAPSHOTS}/child/asked/system-prompt.01.expected.md`, 'You are a child.\n');
    },
  },
  {
    name: 'missing-sidecar',
    kinds: ['MISSING_SIDECAR'],
    exit: 1,
    break: (p) => p.write('scenarios/child/asked.yaml', child),
  },
  {
    name: 'redundant-sidecar',
    kinds: ['REDUNDANT_SIDECAR'],
    exit: 3,
    break: (p) => {
      p.write('scenarios/child/asked.yaml', child);
      p.write(`${SNAPSHOTS}/child/asked/system-prompt.1.expected.md`, p.read(PROMPT));
    },
  },
  {
    name: 'name-clash',
    kinds: ['MISNAMED_FILE'],
    exit: 3,
    // One file where upper and lower case are the same, and two here.
    break: (p) => p.write(TRANSCRIPT.replace('/transcript', '/Transcript'), p.read(TRANSCRIPT)),
  },
  {
    name: 'conflict-markers',
    kinds: ['NON_CANONICAL'],
    exit: 3,
    break: (p) => {
      const [ours = ''] = /^ *drew: main\.1\n/mu.exec(p.read(TRANSCRIPT)) ?? [];
      const theirs = ours.replace('.1', '.2');
      edit(p, TRANSCRIPT, ours, `<<<<<<< HEAD\n${ours}=======\n${theirs}>>>>>>> theirs\n`);
    },
  },
  {
    name: 'windows-line-ends',
    kinds: ['NON_CANONICAL'],
    exit: 3,
    pending: true,
    args: ['check', '--driver', 'inproc'],
    break: (p) => {
      for (const [file, text] of p.files())
        if (!file.startsWith('.turnpin/')) p.write(file, text.replaceAll('\n', '\r\n'));
    },
  },
  {
    name: 'ten-thousand-files',
    kinds: ['ORPHAN_FILE'],
    exit: 3,
    break: (p) => {
      for (let number = 1; number <= 10_000; number += 1)
        p.write(`${SNAPSHOTS}/old/case-${number}/transcript.expected.yaml`, 'turns:\n  main: []\n');
    },
  },
  {
    name: 'unused-rule',
    kinds: ['UNUSED_RULE'],
    exit: 3,
    args: ['check'],
    break: (p) => {
      keepOne(p);
      p.write('scenarios/categories.yaml', 'base:\n  headers: { varying: [x-request-id] }\n');
    },
  },
  {
    name: 'drivers-differ',
    kinds: ['DRIVERS_DIFFER'],
    exit: 1,
    args: ['check', 'tools/bash', '--driver', 'inproc,cli'],
    core: ['src/cli/exec.js', 'env: edge.env,', "env: { ...edge.env, WAY: 'exec' },"],
    break: (p) => {
      edit(p, BASH, 'command: echo built it', `command: 'echo "built by $WAY"'`);
      edit(p, BASH, 'adds: [{ tool: built it }]', 'sees: [built by]');
    },
  },
  {
    name: 'prefix-broken',
    kinds: ['PREFIX_BROKEN'],
    exit: 1,
    args: ['check', 'turns/two-while-held', '--driver', 'inproc'],
    core: [
      'src/model/request.js',
      '...request.history.flatMap(',
      '...request.history.slice(request.history.length > 2 ? 1 : 0).flatMap(',
    ],
    break: () => undefined,
  },
  {
    name: 'credential-seen',
    kinds: ['CREDENTIAL_SEEN'],
    exit: 1,
    break: (p) => edit(p, ONE, 'steps:', 'agent:\n  model: { name: sk-live-0123456789abcdef }\nsteps:'),
  },
  {
    name: 'unreleased-hold',
    kinds: ['UNRELEASED_HOLD'],
    exit: 1,
    args: ['check', 'tools/bash', '--driver', 'inproc'],
    break: (p) => {
      // In a process group of its own the command outlives the tool.
      edit(p, BASH, 'command: echo built it', "command: 'set -m; gate build < /dev/null > /dev/null 2>&1 &'");
      edit(p, BASH, 'adds: [{ tool: built it }]', 'lacks: [built it]');
      edit(p, BASH, 'expect:', '  - wait: { held: build }\nexpect:');
    },
  },
  {
    name: 'capability-refused',
    kinds: ['CAPABILITY_REFUSED'],
    exit: 1,
    args: ['check', 'turns/two-while-held', '--driver', 'inproc'],
    break: (p) =>
      edit(
        p,
        'scenarios/turns/two-while-held.yaml',
        '  - followup: prompt beta-2',
        '  - wait: { text: Answer }\n  - maintenance: begin\n  - maintenance: end\n  - followup: prompt beta-2',
      ),
  },
  {
    name: 'setup-failed',
    kinds: ['SETUP_FAILED'],
    exit: 1,
    break: (p) => edit(p, ONE, 'steps:', 'agent:\n  tools: { bsh: true }\nsteps:'),
  },
  {
    name: 'subject-crashed',
    kinds: ['SUBJECT_CRASHED'],
    exit: 1,
    args: ['check', 'tools/bash', '--driver', 'cli'],
    break: (p) => {
      edit(p, BASH, 'command: echo built it', "command: 'gate here; kill -9 $PPID'");
      // What the process has shown by then is known, and told.
      const steps = '  - wait: { event: { type: tool/call } }\n  - wait: { held: here }\n  - release: here\n';
      edit(p, BASH, 'expect:', `${steps}expect:`);
    },
  },
  {
    name: 'subject-protocol',
    kinds: ['SUBJECT_PROTOCOL'],
    exit: 1,
    args: ['check', 'turns/one-followup', '--driver', 'sdk'],
    core: ['src/cli/serve.js', 'return serveStdio(', "output.write('listening\\n');\n    return serveStdio("],
    break: () => undefined,
  },
  {
    name: 'accept-refused',
    kinds: ['ACCEPT_REFUSED'],
    exit: 1,
    args: ['accept', 'turns/one-followup/transcript'],
    break: (p) => {
      edit(p, TRANSCRIPT, 'Say good morning.', 'Say good evening.');
      expect(p.report(...FEW).exit).toBe(1);
      edit(p, TRANSCRIPT, 'Say good evening.', 'Say good night.');
    },
  },
  {
    name: 'usage',
    kinds: ['USAGE'],
    exit: 2,
    args: ['check', 'turns/one-folowup'],
    break: () => undefined,
  },
  {
    name: 'unwritable',
    kinds: ['UNWRITABLE'],
    exit: 2,
    break: (p) => {
      p.delete('.turnpin');
      p.write('.turnpin', '');
    },
  },
  {
    name: 'crlf',
    kinds: ['NON_CANONICAL'],
    exit: 3,
    pending: true,
    break: (p) => p.write(TRANSCRIPT, p.read(TRANSCRIPT).replaceAll('\n', '\r\n')),
  },
  {
    name: 'empty-file',
    kinds: ['NON_CANONICAL'],
    exit: 3,
    break: (p) => p.write(PROMPT, ''),
  },
  {
    name: 'a-section-that-nobody-reads',
    kinds: ['NON_CANONICAL'],
    exit: 3,
    pending: true,
    break: (p) => edit(p, TRANSCRIPT, 'turns:', 'turn:'),
  },
  {
    name: 'volatile-value',
    kinds: ['VOLATILE_VALUE'],
    exit: 3,
    break: (p) =>
      p.write(
        `${SNAPSHOTS}/tools/bash/transcript.expected.yaml`,
        p
          .read(`${SNAPSHOTS}/tools/bash/transcript.expected.yaml`)
          .replace('text: It is built.', 'text: It is built as 0b5a3a52-6f0e-4a3f-9d5c-2f6a1f0c9a11.'),
      ),
  },
  {
    name: 'not-deterministic',
    kinds: ['NOT_DETERMINISTIC'],
    exit: 1,
    args: ['check', 'tools/time-zone', '--driver', 'inproc'],
    break: (p) =>
      p.write(
        'scenarios/tools/time-zone.yaml',
        p
          .read('scenarios/tools/bash.yaml')
          .replaceAll('built it', '"zone $TZ"')
          .replace('{ tool: "zone $TZ" }', '{ tool: zone }')
          .replace('command: echo "zone $TZ"', 'command: \'echo "zone $TZ"\''),
      ),
  },
  {
    name: 'order-dependent',
    kinds: ['NOT_DETERMINISTIC'],
    exit: 1,
    args: ['check', 'tools/bash', 'turns/one-followup', '--driver', 'inproc', '--twice', '--jobs', '1'],
    // What a later scenario leaves behind in the process shows in an earlier one, when that comes after it.
    core: [
      'src/model/request.js',
      'function encodeMessage(entry, thinking) {',
      `function encodeMessage(entry, thinking) {
    if (entry.role === 'user' && JSON.stringify(entry).includes('morning')) globalThis.morning = true;
    if (entry.role === 'tool' && globalThis.morning) entry = { ...entry, content: entry.content + ' by day' };`,
    ],
    break: () => undefined,
  },
  { name: 'missing-pin', kinds: ['MISSING_PIN'], exit: 1, pending: true, break: (p) => p.delete(TRANSCRIPT) },
  {
    name: 'pin-changed',
    kinds: ['PIN_CHANGED'],
    exit: 1,
    pending: true,
    args: ['check', '--driver', 'inproc'],
    break: (p) => p.write(PROMPT, p.read(PROMPT).replace('the', 'THE')),
  },
  {
    name: 'pin-not-uniform',
    kinds: ['PIN_NOT_UNIFORM'],
    exit: 1,
    args: ['check', 'turns', '--driver', 'inproc'],
    break: (p) => edit(p, ONE, 'steps:', 'agent:\n  persona: You are somebody else.\nsteps:'),
  },
  {
    name: 'transcript-changed',
    kinds: ['TRANSCRIPT_CHANGED'],
    exit: 1,
    pending: true,
    break: (p) => edit(p, TRANSCRIPT, 'Say good morning.', 'Say good evening.'),
  },
  {
    name: 'expectation-failed',
    kinds: ['EXPECTATION_FAILED'],
    exit: 1,
    break: (p) => edit(p, ONE, 'end: completed, steps: 1', 'end: aborted, steps: 1'),
  },
  {
    name: 'a-reply-too-many',
    kinds: ['UNUSED_REPLY'],
    exit: 1,
    args: ['check', 'turns/two-while-held', '--driver', 'inproc'],
    break: (p) => {
      const file = 'scenarios/turns/two-while-held.yaml';
      edit(p, file, '- release: first', '- cancel');
      edit(p, file, 'lacks: [prompt beta-2]', 'ends: cancelled');
      edit(
        p,
        file,
        '    - { prompt: prompt alpha-1, end: completed }\n',
        '    - { prompt: prompt alpha-1, end: aborted }\n',
      );
      edit(p, file, '    - { prompt: prompt beta-2, end: completed }\n', '');
    },
  },
  {
    name: 'a-reply-too-few',
    kinds: ['EXPECTATION_FAILED', 'UNEXPECTED_REQUEST'],
    exit: 1,
    break: (p) => {
      edit(
        p,
        ONE,
        '    - text: Good morning to you.\n      adds: [Say good morning.]\n',
        '    - tools: [{ name: bash, arguments: { command: echo hello } }]\n',
      );
    },
  },
  {
    name: 'a-request-that-nobody-expected',
    kinds: ['UNEXPECTED_REQUEST'],
    exit: 1,
    break: (p) => {
      edit(
        p,
        ONE,
        'Say good morning.\nexpect',
        'Say good morning.\n  - idle\n  - followup: And again.\nexpect',
      );
      edit(
        p,
        ONE,
        'end: completed, steps: 1 }',
        'end: completed, steps: 1 }\n    - { prompt: And again., end: error }',
      );
    },
  },
  {
    name: 'step-timeout',
    kinds: ['STEP_TIMEOUT'],
    exit: 1,
    break: (p) => edit(p, ONE, 'expect:', '  - wait: { event: { type: tool/call } }\nexpect:'),
  },
  {
    name: 'uncovered-requirement',
    kinds: ['UNCOVERED_REQUIREMENT'],
    exit: 3,
    args: ['check'],
    break: (p) => {
      keepOne(p);
      edit(
        p,
        'scenarios/requirements.yaml',
        'requirements:\n',
        'requirements:\n  - {id: TURN-1, level: MUST, needs: [], from: design, rule: "A rule that nothing holds.", held: true}\n',
      );
    },
  },
  {
    name: 'invalid-config',
    kinds: ['INVALID_CONFIG'],
    exit: 2,
    break: (p) => p.write('turnpin.yaml', 'scenarois: scenarios\n'),
  },
  {
    name: 'unknown-rule',
    kinds: ['INVALID_SCENARIO'],
    exit: 2,
    break: (p) => edit(p, ONE, 'covers: [SEND-1]', 'covers: [SEND-9]'),
  },
];

/** Kinds that some code of the harness names where it makes a problem. */
function raisedKinds(): Set<string> {
  const harness = fileURLToPath(new URL('..', import.meta.url));
  const kinds = new Set<string>();
  for (const name of readdirSync(harness, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts') || name.includes('fixtures')) continue;
    // Where kinds are listed, none is raised.
    if (/^(?:verdict|report)\//u.test(name)) continue;
    const text = readFileSync(`${harness}${name}`, 'utf8').replace(/Extract<Kind, [^>]*>/gu, '');
    for (const [, kind = ''] of text.matchAll(/'([A-Z_]+)'/gu)) kinds.add(kind);
  }
  return kinds;
}

describe('a broken suite', { timeout: 300_000 }, () => {
  let accepted: Project;
  beforeAll(() => {
    accepted = new Project();
    expect(accepted.report('check', '--driver', 'inproc').problems.map((problem) => problem.kind)).toEqual(
      Array(6).fill('MISSING_PIN'),
    );
    expect(accepted.report('accept', '--all', '--expect', '6').exit).toBe(0);
  }, 300_000);
  afterAll(() => accepted.remove());

  it.each(CASES)(
    '$name: $kinds, exit $exit',
    async ({ name, kinds, exit, args = FEW, pending, core, break: spoil }) => {
      const project = new Project(accepted);
      const build = core === undefined ? null : new BrokenBuild(...core);
      try {
        spoil(project);
        if (build !== null) project.program = build.program;
        const before = project.files();
        const report = project.report(...args);
        const text = renderConsole(report, { colors: false, chosenRoot: null });
        await expect(text).toMatchFileSnapshot(`./fixtures/broken/${name}.txt`);
        expect([...new Set(report.problems.map((problem) => problem.kind))].sort()).toEqual(
          [...kinds].sort(),
        );
        expect(report.exit).toBe(exit);
        const { appeared, changed, vanished } = changes(before, project.files());
        const left = appeared.filter((file) => !file.startsWith('.turnpin/'));
        expect({ left, changed: changed.filter((file) => !file.startsWith('.turnpin/')), vanished }).toEqual({
          left: pending === true ? ['turnpin.patch'] : [],
          changed: [],
          vanished: [],
        });
      } finally {
        build?.remove();
        project.remove();
      }
    },
  );

  it('stands here for every kind of problem but the exceptions, and each expected text belongs to one', () => {
    const shown = new Set(CASES.flatMap(({ kinds }) => kinds));
    const all = Object.keys(KINDS) as Kind[];
    expect(all.filter((kind) => !shown.has(kind))).toEqual(all.filter((kind) => kind in EXCEPTIONS));
    const raised = raisedKinds();
    expect(all.filter((kind) => EXCEPTIONS[kind] === NOTHING_RAISES_IT && raised.has(kind))).toEqual([]);
    expect(all.filter((kind) => EXCEPTIONS[kind] !== NOTHING_RAISES_IT && !raised.has(kind))).toEqual([]);
    const texts = readdirSync(new URL('./fixtures/broken', import.meta.url));
    expect(texts.sort()).toEqual(CASES.map(({ name }) => `${name}.txt`).sort());
  });
});
