import { describe, expect, it } from 'vitest';
import { problem, type Affected } from '../verdict/problem.ts';
import { assembleReport } from './assemble.ts';
import { renderConsole } from './console.ts';
import { pasteable } from './pasteable.ts';
import { wantsColors } from './terminal.ts';

const plain = { colors: false, chosenRoot: null };
const facts = { turnpin: '0.1.0', startedAt: new Date(0), durationMs: 1, ran: true };
const sixty: Affected[] = Array.from({ length: 60 }, (_, index) => ({
  scenario: `turns/s${String(index).padStart(2, '0')}`,
  driver: 'inproc',
}));

const changed = problem({
  kind: 'PIN_CHANGED',
  key: 'base/system-prompt',
  file: 'snapshots/core/categories/base/system-prompt.expected.md',
  affected: sixty,
  message:
    'seen by      60 of 60 scenarios in category "base", all with the same new text\nchange       1 line of 221, 3 words; tool schemas and transcripts unchanged',
  diff: '# Tool use\n  99   - Rule 99: …\n-100   - [When the] user asks …\n+100   - [Whenever a] user asks …\n… 216 unchanged lines\n',
  fix: { command: ['turnpin', 'accept', 'base/system-prompt'], writes: 1 },
});
const redundant = problem({
  kind: 'REDUNDANT_SIDECAR',
  key: 'subagents/list/system-prompt.1',
  message:
    "equal to     snapshots/core/categories/base/system-prompt.expected.md, the pin that it would inherit\nA child's sidecar exists only where the child differs from its category.",
  fix: { command: ['turnpin', 'prune', 'subagents/list/system-prompt.1'], writes: 0 },
});

describe('renderConsole', () => {
  it('writes a problem as pins.md shows it', () => {
    const report = assembleReport({
      ...facts,
      problems: [redundant, changed],
      pins: [
        {
          key: 'base/system-prompt',
          file: 'snapshots/core/categories/base/system-prompt.expected.md',
          state: 'changed',
          ran: 60,
          members: 60,
        },
        {
          key: 'turns/s00/transcript',
          file: 'snapshots/core/turns/s00/transcript.expected.yaml',
          state: 'match',
          ran: 1,
          members: 1,
        },
      ],
      written: ['turnpin.patch'],
    });
    expect(renderConsole(report, plain)).toBe(`1) PIN_CHANGED  base/system-prompt
   pinned in    snapshots/core/categories/base/system-prompt.expected.md
   seen by      60 of 60 scenarios in category "base", all with the same new text
   change       1 line of 221, 3 words; tool schemas and transcripts unchanged

     # Tool use
       99   - Rule 99: …
     -100   - [When the] user asks …
     +100   - [Whenever a] user asks …
     … 216 unchanged lines

   intended?      turnpin accept base/system-prompt          (writes 1 file)
   not intended?  turnpin check turns/s00 --keep

2) REDUNDANT_SIDECAR  subagents/list/system-prompt.1
   equal to     snapshots/core/categories/base/system-prompt.expected.md, the pin that it would inherit
   A child's sidecar exists only where the child differs from its category.
   fix          turnpin prune subagents/list/system-prompt.1

2 problems (1 pin, 1 layout). 1 of 1 transcripts match.                          patch: turnpin.patch   exit 1
`);
  });

  it('shows at most 40 lines of a diff and says how many are left', () => {
    const diff = Array.from({ length: 100 }, (_, index) => `+${index}  line`).join('\n');
    const text = renderConsole(assembleReport({ ...facts, problems: [{ ...changed, diff }] }), plain);
    expect(text.split('\n').filter((line) => /line$/u.test(line))).toHaveLength(39);
    expect(text).toContain('… 61 more lines; all of them with --json');
  });

  it('gives file, line and column of a position', () => {
    const invalid = problem({
      kind: 'INVALID_SCENARIO',
      key: 'turns/x',
      file: 'scenarios/turns/x.yaml',
      line: 3,
      column: 7,
      message: 'unknown key "titel"',
    });
    expect(renderConsole(assembleReport({ ...facts, problems: [invalid] }), plain)).toContain(
      '   file         scenarios/turns/x.yaml:3:7\n   unknown key "titel"\n',
    );
  });

  it('repeats -C in the commands it shows, so that they work when pasted', () => {
    const text = renderConsole(assembleReport({ ...facts, problems: [changed] }), {
      colors: false,
      chosenRoot: 'my project',
    });
    expect(text).toContain("turnpin -C 'my project' accept base/system-prompt");
  });

  it('uses no escape code unless colours are wanted', () => {
    const report = assembleReport({ ...facts, problems: [changed] });
    expect(renderConsole(report, plain)).not.toContain('\u001B');
    expect(renderConsole(report, { ...plain, colors: true })).toContain('\u001B');
  });

  it('never says conformant of a filtered run, and says how much of the suite ran', () => {
    const result = {
      scenario: 'turns/a',
      driver: 'inproc',
      status: 'pass',
      reason: null,
      covers: [],
      sections: [],
      problems: [],
      durationMs: 1,
    } as const;
    const base = {
      ...facts,
      results: [result],
      suite: { digest: 'd', scenarios: 60 },
      subject: { name: 'core', version: null, drivers: ['inproc'] as const },
    };
    expect(renderConsole(assembleReport({ ...base, filtered: true }), plain)).toContain(
      '1 run of 1 of 60 scenarios through inproc: 1 passed.',
    );
    expect(renderConsole(assembleReport({ ...base, filtered: true }), plain)).not.toContain('conformant');
    expect(renderConsole(assembleReport(base), plain)).toContain('conformant');
  });
});

describe('wantsColors', () => {
  it('colours a terminal alone, unless the environment says otherwise', () => {
    expect(wantsColors({}, true)).toBe(true);
    expect(wantsColors({}, false)).toBe(false);
    expect(wantsColors({ NO_COLOR: '1' }, true)).toBe(false);
    expect(wantsColors({ NO_COLOR: '' }, true)).toBe(true);
    expect(wantsColors({ FORCE_COLOR: '1' }, false)).toBe(true);
    expect(wantsColors({ FORCE_COLOR: '0' }, true)).toBe(false);
    expect(wantsColors({ TERM: 'dumb' }, true)).toBe(false);
  });
});

describe('pasteable', () => {
  it('quotes what a shell would take apart', () => {
    expect(pasteable(['turnpin', 'accept', "it's x", 'a/b.1'], null)).toBe(
      `turnpin accept 'it'\\''s x' a/b.1`,
    );
  });
});
