/**
 * One deliberately broken suite for each kind of problem: what the built command says of it stands in fixtures/broken, and
 * which files may appear with it is fixed here (pins.md, "A problem's text is an interface").
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderConsole } from '../report/console.ts';
import type { Kind } from '../verdict/vocabulary.ts';
import { changes, Project } from './fixtures/project.ts';

const ONE = 'scenarios/turns/one-followup.yaml';
const SNAPSHOTS = 'snapshots/core';
const PROMPT = `${SNAPSHOTS}/categories/base/system-prompt.expected.md`;
const TRANSCRIPT = `${SNAPSHOTS}/turns/one-followup/transcript.expected.yaml`;
const child = readFileSync(new URL('./fixtures/child.yaml', import.meta.url), 'utf8');

/** Selected: one scenario in process, since the audit is never filtered. */
const FEW = ['check', 'turns/one-followup', '--driver', 'inproc'];

interface Broken {
  /** Also the name of the file with the expected text. */
  readonly name: string;
  readonly kinds: readonly Kind[];
  readonly exit: number;
  readonly args?: readonly string[];
  /** Does the run leave pending files and a patch? */
  readonly pending?: true;
  readonly break: (project: Project) => void;
}

const edit = (project: Project, file: string, from: string, to: string): void => {
  const text = project.read(file);
  if (!text.includes(from)) throw new Error(`${file} has no "${from}" to break`);
  project.write(
    file,
    text.replace(from, () => to),
  );
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
    name: 'crlf',
    kinds: ['NON_CANONICAL'],
    exit: 3,
    pending: true,
    break: (p) => p.write(TRANSCRIPT, p.read(TRANSCRIPT).replaceAll('\n', '\r\n')),
  },
  {
    name: 'empty-file',
    kinds: ['NON_CANONICAL', 'PIN_CHANGED'],
    exit: 1,
    break: (p) => p.write(PROMPT, ''),
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
    break: (p) =>
      edit(
        p,
        'scenarios/requirements.yaml',
        'requirements:\n',
        'requirements:\n  - {id: TURN-1, level: MUST, needs: [], from: design, rule: "A rule that nothing holds.", held: true}\n',
      ),
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
    async ({ name, kinds, exit, args = FEW, pending, break: spoil }) => {
      const project = new Project(accepted);
      try {
        spoil(project);
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
        project.remove();
      }
    },
  );
});
