import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Suite } from '../scenario/suite.ts';
import {
  category,
  child,
  files,
  headersOf,
  HEADER,
  pinsOf,
  PROMPT,
  run,
  scenario,
  suite,
  TOOLS,
  TURNS,
} from './fixture-suite.ts';
import { createPinLedger, mergeFindings, type LedgerRun } from './judge.ts';
import { audit } from './audit.ts';
import { layout } from './layout.ts';
import type { PinJudgement } from './contract.ts';

const EDITED = '# Role\nYou are the agent.\n';
const LEAKED = '# Role\nYou are an agent. Leak.\n';

function judge(
  given: Suite,
  how: { disk?: Record<string, string>; runs: readonly LedgerRun[]; filtered?: boolean },
): PinJudgement {
  const transcripts = Object.fromEntries(
    given.scenarios.map(({ id }) => [`${id}/transcript.expected.yaml`, TURNS]),
  );
  const disk = files({ ...transcripts, ...(how.disk ?? pinsOf('base')) });
  const ledger = createPinLedger({ suite: given, claims: layout(given), disk });
  for (const one of how.runs) ledger.add(one);
  return ledger.judge({ filtered: how.filtered ?? false });
}

const sixty = Array.from({ length: 60 }, (_, index) => `turns/case-${index + 1}`);
const corpus = suite(sixty.map((id) => scenario(id)));

function kinds(judgement: PinJudgement): string[] {
  return judgement.problems.map(({ kind, key }) => `${kind} ${key}`);
}

describe('the pins of a category', () => {
  it('agree when every member shows what is pinned', () => {
    const judgement = judge(corpus, { runs: sixty.map((id) => run(id)) });
    expect(judgement.problems).toEqual([]);
    expect(judgement.pending).toEqual([]);
    expect(judgement.pins.filter(({ key }) => key === 'base/system-prompt')).toEqual([
      {
        key: 'base/system-prompt',
        file: 'snapshots/core/categories/base/system-prompt.expected.md',
        state: 'match',
        ran: 60,
        members: 60,
      },
    ]);
  });

  it('make one problem of an edit that sixty scenarios see, with the command that accepts it', () => {
    const judgement = judge(corpus, { runs: sixty.map((id) => run(id, { prompt: EDITED })) });
    expect(kinds(judgement)).toEqual(['PIN_CHANGED base/system-prompt']);
    const [found] = judgement.problems;
    expect(found?.affected).toHaveLength(60);
    expect(found?.message).toBe(
      'seen by      60 of 60 scenarios in category "base", all with the same new text\nchange       1 line of 2, 1 word',
    );
    expect(found?.diff).toContain('[the]');
    expect(found?.fix).toEqual({ command: ['turnpin', 'accept', 'base/system-prompt'], writes: 1 });
    expect(judgement.pending).toMatchObject([{ key: 'base/system-prompt', text: EDITED, complete: true }]);
  });

  it('make one problem of a leak into one scenario, there and without a fix', () => {
    const runs = sixty.map((id, index) => run(id, index === 7 ? { prompt: LEAKED } : {}));
    const judgement = judge(corpus, { runs });
    expect(kinds(judgement)).toEqual(['PIN_NOT_UNIFORM base/system-prompt']);
    expect(judgement.problems[0]?.affected).toEqual([{ scenario: 'turns/case-8', driver: 'inproc' }]);
    expect(judgement.problems[0]?.fix).toBeNull();
    expect(judgement.pending).toEqual([]);
  });

  it('make a problem of each value that is not on disk, where two are seen', () => {
    const runs = sixty.map((id, index) => run(id, { prompt: index === 7 ? LEAKED : EDITED }));
    const judgement = judge(corpus, { runs });
    expect(kinds(judgement)).toEqual([
      'PIN_NOT_UNIFORM base/system-prompt',
      'PIN_NOT_UNIFORM base/system-prompt',
    ]);
    expect(judgement.problems.map(({ affected }) => affected.length).sort()).toEqual([1, 59]);
    const leak = judgement.problems.find(({ affected }) => affected.length === 1);
    expect(leak?.message).toContain('against what most members see');
  });

  it('make one problem with the groups of more than three values', () => {
    const runs = sixty.map((id, index) => run(id, { prompt: `${PROMPT}${index % 5}\n` }));
    const judgement = judge(corpus, { runs });
    expect(kinds(judgement)).toEqual(['PIN_NOT_UNIFORM base/system-prompt']);
    expect(judgement.problems[0]?.message).toContain('5 different values among 60 scenarios');
    expect(judgement.problems[0]?.message.match(/^ {2}\d\. /gmu)).toHaveLength(5);
  });

  it('are missing at first, with pending files', () => {
    const judgement = judge(corpus, { disk: {}, runs: sixty.map((id) => run(id)) });
    expect(kinds(judgement)).toEqual([
      'MISSING_PIN base/request-header',
      'MISSING_PIN base/system-prompt',
      'MISSING_PIN base/tool-schemas',
    ]);
    expect(judgement.pending.map(({ key, base }) => [key, base])).toEqual([
      ['base/request-header', null],
      ['base/system-prompt', null],
      ['base/tool-schemas', null],
    ]);
  });

  it('can not be accepted from a filtered run: some members have not run', () => {
    const judgement = judge(corpus, { runs: [run('turns/case-1', { prompt: EDITED })], filtered: true });
    expect(kinds(judgement)).toEqual(['PIN_CHANGED base/system-prompt']);
    expect(judgement.problems[0]?.message).toContain('Only 1 of 60 members ran');
    expect(judgement.problems[0]?.fix).toEqual({ command: ['turnpin', 'check'], writes: 0 });
    expect(judgement.pending).toMatchObject([{ complete: false }]);
    expect(judgement.pins.find(({ key }) => key === 'base/system-prompt')).toMatchObject({
      state: 'changed',
      ran: 1,
      members: 60,
    });
  });

  it('are not pending where no run was clean', () => {
    const judgement = judge(corpus, { runs: sixty.map((id) => run(id, { prompt: EDITED, clean: false })) });
    expect(judgement.problems[0]?.fix).toBeNull();
    expect(judgement.pending).toEqual([]);
    const first = judge(corpus, { disk: {}, runs: sixty.map((id) => run(id, { clean: false })) });
    expect(first.problems).toEqual([]);
    expect(first.pins.find(({ key }) => key === 'base/system-prompt')).toMatchObject({ state: 'missing' });
  });

  it('that nobody ran are not judged', () => {
    const judgement = judge(corpus, { runs: [], filtered: true });
    expect(judgement.problems).toEqual([]);
    expect(new Set(judgement.pins.map(({ state }) => state))).toEqual(new Set(['not-judged']));
  });
});

describe('a category that extends another', () => {
  const inherited = suite(
    [scenario('turns/a'), scenario('turns/b'), scenario('prompts/c', { category: 'pirate' })],
    [category('base'), category('pirate', 'base')],
  );

  it('shares one problem and one count with it for an edit that both see', () => {
    const runs = ['turns/a', 'turns/b', 'prompts/c'].map((id) => run(id, { tools: '[\n  1\n]\n' }));
    const judgement = judge(inherited, { runs });
    expect(kinds(judgement)).toEqual(['PIN_CHANGED base/tool-schemas']);
    expect(judgement.problems[0]?.affected).toHaveLength(3);
    expect(judgement.pins.find(({ key }) => key === 'base/tool-schemas')).toMatchObject({
      ran: 3,
      members: 3,
    });
    expect(judgement.pins.some(({ key }) => key === 'pirate/tool-schemas')).toBe(false);
  });

  it('needs a file of its own where its members see another value', () => {
    const runs = [run('turns/a'), run('turns/b'), run('prompts/c', { prompt: '# Role\nArr.\n' })];
    const judgement = judge(inherited, { runs });
    expect(kinds(judgement)).toEqual(['MISSING_PIN pirate/system-prompt']);
    expect(judgement.problems[0]?.fix?.command).toEqual(['turnpin', 'accept', 'pirate/system-prompt']);
    expect(judgement.pending).toMatchObject([{ key: 'pirate/system-prompt', complete: true }]);
  });

  it('belongs to the edit of the other even when only its own members ran', () => {
    const judgement = judge(inherited, { runs: [run('prompts/c', { prompt: EDITED })], filtered: true });
    expect(kinds(judgement)).toEqual(['PIN_CHANGED base/system-prompt']);
    expect(judgement.problems[0]?.message).toContain('Only 1 of 3 members ran, not turns/a, turns/b.');
  });

  it('that is new has a value of its own even when only its own members ran', () => {
    const fresh = (prompt?: string): PinJudgement => {
      const disk = files({ ...pinsOf('base'), 'turns/a/transcript.expected.yaml': TURNS });
      const ledger = createPinLedger({ suite: inherited, claims: layout(inherited), disk });
      ledger.add(run('prompts/c', prompt === undefined ? {} : { prompt }));
      return ledger.judge({ filtered: true });
    };
    const judgement = fresh('# Role\nArr.\n');
    expect(kinds(judgement)).toEqual([
      'MISSING_PIN pirate/system-prompt',
      'MISSING_PIN prompts/c/transcript',
    ]);
    expect(judgement.problems[0]?.fix?.command).toEqual(['turnpin', 'accept', 'pirate/system-prompt']);
    expect(kinds(fresh())).toEqual(['MISSING_PIN prompts/c/transcript']);
  });

  it('keeps the old value in a file of its own when the other moves on without it', () => {
    const runs = [run('turns/a', { prompt: EDITED }), run('turns/b', { prompt: EDITED }), run('prompts/c')];
    expect(kinds(judge(inherited, { runs }))).toEqual([
      'MISSING_PIN pirate/system-prompt',
      'PIN_CHANGED base/system-prompt',
    ]);
  });

  it('is held against its own file where it has one', () => {
    const disk = { ...pinsOf('base'), 'categories/pirate/system-prompt.expected.md': '# Role\nArr.\n' };
    const runs = [run('turns/a'), run('turns/b'), run('prompts/c', { prompt: '# Role\nArr!\n' })];
    expect(kinds(judge(inherited, { disk, runs }))).toEqual(['PIN_CHANGED pirate/system-prompt']);
  });
});

describe('a header that a category lists as varying', () => {
  const listed = suite(
    [scenario('turns/a'), scenario('prompts/c', { category: 'pirate' })],
    [category('base', null, ['x-trace']), category('pirate', 'base', ['x-trace'])],
  );
  const shown = (id: string, ...values: string[]): LedgerRun =>
    run(id, { varying: new Map([['x-trace', values]]) });
  const unused = (runs: readonly LedgerRun[], filtered = false): string[] =>
    kinds(judge(listed, { runs, filtered })).filter((kind) => kind.startsWith('UNUSED_RULE'));

  it('is unused where it did not vary, or came with no request', () => {
    expect(unused([shown('turns/a', 'v', 'v'), shown('prompts/c', 'v')])).toEqual([
      'UNUSED_RULE base/request-header',
    ]);
    expect(unused([run('turns/a'), run('prompts/c')])).toEqual(['UNUSED_RULE base/request-header']);
  });

  it('is used where it varied in the category or in one that extends it', () => {
    expect(unused([shown('turns/a', 'v', 'w')])).toEqual([]);
    expect(unused([shown('turns/a', 'v'), shown('prompts/c', 'w')])).toEqual([]);
  });

  it('is not judged by one request, by a filtered run, or by none', () => {
    expect(unused([shown('turns/a', 'v')])).toEqual([]);
    expect(unused([shown('turns/a', 'v', 'v')], true)).toEqual([]);
    expect(unused([])).toEqual([]);
  });
});

describe('a file in conflict', () => {
  const conflict = (text: string): string => `<<<<<<< HEAD\n${text}=======\n${text}>>>>>>> theirs\n`;

  it('is compared with nothing: its conflict is the problem, and nothing can be accepted for it', () => {
    const disk = {
      ...pinsOf('base', { 'system-prompt': conflict(PROMPT) }),
      'turns/case-1/transcript.expected.yaml': conflict(TURNS),
    };
    const judgement = judge(corpus, { disk, runs: sixty.map((id) => run(id)) });
    expect(judgement.problems).toEqual([]);
    expect(judgement.pending).toEqual([]);
    expect(
      judgement.pins.filter(({ state }) => state !== 'match').map(({ key, state }) => [key, state]),
    ).toEqual([
      ['base/system-prompt', 'not-judged'],
      ['turns/case-1/transcript', 'not-judged'],
    ]);
  });
});

describe('a file that the audit refuses for its form is told once', () => {
  const own = 'turns/case-1';
  const given = suite([
    scenario(own, { pinsChildSystemPrompts: [child(1)], pinsWire: ['sdk'] }),
    scenario('turns/case-2', { pinsChildSystemPrompts: [child(1, own)] }),
  ]);
  const childPrompt = '# Role\nReport once.\n';
  const wire = 'wire:\n  - client: hello\n';
  const disk: Readonly<Record<string, string>> = {
    ...pinsOf('base'),
    [`${own}/transcript.expected.yaml`]: TURNS,
    'turns/case-2/transcript.expected.yaml': TURNS,
    [`${own}/wire.sdk.expected.yaml`]: wire,
    [`${own}/system-prompt.1.expected.md`]: childPrompt,
  };
  const headers = [...headersOf(), ...headersOf({ prompt: childPrompt, child: 1 })];
  const runs = [
    run(own, { headers, sections: { turns: TURNS, wire }, driver: 'sdk' }),
    run('turns/case-2', { headers }),
  ];
  const pinned = Object.keys(disk).filter((file) => !file.includes('case-2'));

  /** Every problem of a check in which one file holds something else, and what can be accepted then. */
  function check(file: string, content: string | Uint8Array): PinJudgement {
    const claims = layout(given);
    const found = files(disk).map((one) =>
      one.file === `snapshots/core/${file}` ? { file: one.file, content } : one,
    );
    const ledger = createPinLedger({ suite: given, claims, disk: found });
    for (const one of runs) ledger.add(one);
    const judgement = ledger.judge({ filtered: false });
    const audited = audit({ suite: given, claims, disk: found });
    return { ...judgement, problems: mergeFindings(audited, judgement.problems) };
  }

  it('and is none where it is as it was', () => {
    expect(check('', '')).toMatchObject({ problems: [], pending: [] });
  });

  const faults: readonly (readonly [string, (text: string) => string | Uint8Array])[] = [
    ['empty', () => ''],
    ['blank', () => '\n\n'],
    ['with CRLF', (text) => text.replaceAll('\n', '\r\n')],
    ['with a byte order mark', (text) => `\uFEFF${text}`],
    ['without the final newline', (text) => text.trimEnd()],
    ['with two final newlines', (text) => `${text}\n`],
    ['in no UTF-8', (text) => Buffer.concat([Buffer.from(text), Uint8Array.of(0xff, 10)])],
    ['in conflict', (text) => `<<<<<<< mine\n${text}=======\n${text}>>>>>>> theirs\n`],
  ];
  it.each(pinned.flatMap((file) => faults.map(([name, break_]) => [file, name, break_] as const)))(
    '%s, %s',
    (file, name, break_) => {
      const broken = break_(disk[file] ?? '');
      const { problems, pending } = check(file, broken);
      expect(problems.map(({ kind }) => kind)).toEqual(['NON_CANONICAL']);
      const [key = ''] = problems.map((one) => one.key);
      const mends = name === 'in conflict' ? [] : [{ key, text: disk[file], complete: true }];
      expect(pending).toMatchObject(mends);
      const fix = mends.length === 0 ? null : { command: ['turnpin', 'accept', key], writes: 1 };
      expect(problems[0]?.fix).toEqual(fix);
    },
  );

  it.each([
    ['categories/base/request-header.expected.json', HEADER.slice(0, -3)],
    ['categories/base/request-header.expected.json', HEADER.replaceAll(/\s/gu, '')],
    ['categories/base/tool-schemas.expected.json', `${TOOLS}{`],
    [`${own}/transcript.expected.yaml`, `${TURNS}more: []\n`],
    [`${own}/transcript.expected.yaml`, TURNS.replace('turns:', 'turn:')],
    [`${own}/transcript.expected.yaml`, `${TURNS}${TURNS}`],
    [`${own}/transcript.expected.yaml`, `${TURNS}# why\n`],
    [`${own}/wire.sdk.expected.yaml`, `${wire}: [\n`],
  ])('%s, as %j', (file, text) => {
    const { problems, pending } = check(file, text);
    expect(problems.map(({ kind }) => kind)).toEqual(['NON_CANONICAL']);
    expect(pending).toMatchObject([{ text: disk[file], complete: true }]);
    expect(problems[0]?.fix?.command).toEqual(['turnpin', 'accept', problems[0]?.key]);
  });

  it('but not what else is wrong: a change under CRLF, a leak beside an empty file, drivers that differ', () => {
    const changed = TURNS.replace('completed', 'aborted').replaceAll('\n', '\r\n');
    expect(check(`${own}/transcript.expected.yaml`, changed).problems.map(({ kind }) => kind)).toEqual([
      'NON_CANONICAL',
      'TRANSCRIPT_CHANGED',
    ]);
    const empty = { ...pinsOf('base', { 'system-prompt': '' }) };
    const leaky = sixty.map((id, index) => run(id, index === 7 ? { prompt: LEAKED } : {}));
    expect([...new Set(kinds(judge(corpus, { disk: empty, runs: leaky })))]).toEqual([
      'PIN_NOT_UNIFORM base/system-prompt',
    ]);
    const differing = [
      run('turns/case-1'),
      run('turns/case-1', { driver: 'sdk', sections: { turns: 'turns: []\n' } }),
    ];
    const emptied = { ...pinsOf('base'), 'turns/case-1/transcript.expected.yaml': '' };
    expect(kinds(judge(corpus, { disk: emptied, runs: differing }))).toEqual([
      'DRIVERS_DIFFER turns/case-1/transcript',
    ]);
  });

  it('two that say nothing are no copies of each other', () => {
    const found = audit({
      suite: given,
      claims: layout(given),
      disk: files({
        ...disk,
        'categories/base/system-prompt.expected.md': '',
        [`${own}/system-prompt.1.expected.md`]: '',
      }),
    });
    expect(found.map(({ kind }) => kind)).toEqual(['NON_CANONICAL', 'NON_CANONICAL']);
  });
});

describe('a declared child', () => {
  const owner = scenario('subagents/report', { pinsChildSystemPrompts: [child(1)] });
  const guest = scenario('subagents/list', { pinsChildSystemPrompts: [child(1, 'subagents/report')] });
  const both = suite([owner, guest]);
  const childPrompt = '# Role\nReport once.\n';
  const disk = { ...pinsOf('base'), 'subagents/report/system-prompt.1.expected.md': childPrompt };
  const with_ = (prompt: string, tools: string = TOOLS) => [
    ...headersOf(),
    ...headersOf({ prompt, tools, child: 1 }),
  ];

  it('shows its prompt in the sidecar and everything else in the category', () => {
    const runs = [owner, guest].map(({ id }) => run(id, { headers: with_(childPrompt) }));
    expect(judge(both, { disk, runs }).problems).toEqual([]);
  });

  it('leaks into the category with a part that is not declared', () => {
    const runs = [
      run(owner.id, { headers: with_(childPrompt, '[\n  1\n]\n') }),
      run(guest.id, { headers: with_(childPrompt) }),
    ];
    const judgement = judge(both, { disk, runs });
    expect(kinds(judgement)).toEqual(['PIN_NOT_UNIFORM base/tool-schemas']);
    expect(judgement.problems[0]?.message).toContain('pinsChildToolSchemas: [1]');
  });

  it('and one that refers to its owner are one problem together', () => {
    const runs = [owner, guest].map(({ id }) => run(id, { headers: with_(EDITED) }));
    const judgement = judge(both, { disk, runs });
    expect(kinds(judgement)).toEqual(['PIN_CHANGED subagents/report/system-prompt.1']);
    expect(judgement.problems[0]?.affected).toHaveLength(2);
  });

  it('that sends no request makes its declaration unused', () => {
    const judgement = judge(both, {
      disk,
      runs: [run(owner.id, { headers: with_(childPrompt) }), run(guest.id)],
    });
    expect(kinds(judgement)).toEqual(['UNUSED_RULE subagents/list/system-prompt.1']);
    expect(judgement.problems[0]).toMatchObject({ file: 'scenarios/subagents/list.yaml', line: 7 });
    const unclean = judge(both, { disk, runs: [run(guest.id, { clean: false })] });
    expect(unclean.problems).toEqual([]);
  });

  it('without a file is one problem, which the audit and the judge share', () => {
    const runs = [owner, guest].map(({ id }) => run(id, { headers: with_(childPrompt) }));
    const judgement = judge(both, { runs });
    const audited = audit({ suite: both, claims: layout(both), disk: files(pinsOf('base')) });
    expect(audited.map(({ kind, fix }) => [kind, fix?.command])).toEqual([
      ['MISSING_SIDECAR', ['turnpin', 'check', 'subagents/report']],
    ]);
    expect(mergeFindings(audited, judgement.problems).map(({ kind, fix }) => [kind, fix?.command])).toEqual([
      ['MISSING_SIDECAR', ['turnpin', 'accept', 'subagents/report/system-prompt.1']],
    ]);
  });
});

describe('a transcript', () => {
  const one = suite([scenario('turns/a')]);
  const FAILED = TURNS.replace('completed', 'failed');

  it('that changed is one problem of its scenario, whatever the number of drivers', () => {
    const runs = (['inproc', 'cli'] as const).map((driver) =>
      run('turns/a', { driver, sections: { turns: FAILED } }),
    );
    const judgement = judge(one, { runs });
    expect(kinds(judgement)).toEqual(['TRANSCRIPT_CHANGED turns/a/transcript']);
    expect(judgement.problems[0]).toMatchObject({
      driver: null,
      fix: { command: ['turnpin', 'accept', 'turns/a/transcript'], writes: 1 },
    });
    expect(judgement.pending).toMatchObject([{ text: FAILED }]);
  });

  it('on which the drivers differ is no question of the pin, and leaves nothing pending', () => {
    const runs = [
      run('turns/a', { driver: 'inproc' }),
      run('turns/a', { driver: 'cli', sections: { turns: FAILED } }),
    ];
    const judgement = judge(one, { runs });
    expect(kinds(judgement)).toEqual(['DRIVERS_DIFFER turns/a/transcript']);
    expect(judgement.problems[0]?.message).toContain('inproc (as pinned) against cli');
    expect(judgement.problems[0]?.diff).toContain('[failed]');
    expect(judgement.pending).toEqual([]);
  });

  it('may have sections that only one driver shows', () => {
    const log = 'log:\n  main: []\n';
    const runs = [
      run('turns/a', { driver: 'inproc', sections: { turns: TURNS, log } }),
      run('turns/a', { driver: 'cli' }),
    ];
    const judgement = judge(one, {
      disk: { ...pinsOf('base'), 'turns/a/transcript.expected.yaml': TURNS + log },
      runs,
    });
    expect(judgement.problems).toEqual([]);
  });

  it('with a pinned section that no driver observed fails in a full run, and only there', () => {
    const disk = { ...pinsOf('base'), 'turns/a/transcript.expected.yaml': `${TURNS}log:\n  main: []\n` };
    const full = judge(one, { disk, runs: [run('turns/a')] });
    expect(kinds(full)).toEqual(['TRANSCRIPT_CHANGED turns/a/transcript']);
    expect(full.problems[0]?.message).toContain('"log" is pinned, but no driver observed it');
    expect(judge(one, { disk, runs: [run('turns/a')], filtered: true }).problems).toEqual([]);
  });

  it('of a run that broke off is not judged', () => {
    const runs = [run('turns/a', { partial: true, clean: false, sections: { turns: FAILED } })];
    expect(judge(one, { runs }).problems).toEqual([]);
  });

  it('of a run with other problems is not judged: those are the cause', () => {
    const judgement = judge(one, { runs: [run('turns/a', { clean: false, sections: { turns: FAILED } })] });
    expect(judgement.problems).toEqual([]);
    expect(judgement.pending).toEqual([]);
    expect(judgement.pins.find(({ key }) => key === 'turns/a/transcript')).toMatchObject({
      state: 'not-judged',
      ran: 1,
    });
  });

  it('of a run with other problems is held against no other driver; what that one shows is judged, not pending', () => {
    const log = 'log:\n  main: []\n';
    const disk = { ...pinsOf('base'), 'turns/a/transcript.expected.yaml': TURNS + log };
    const unclean = run('turns/a', { driver: 'cli', clean: false, sections: { turns: FAILED, log } });
    expect(judge(one, { disk, runs: [unclean, run('turns/a')] }).problems).toEqual([]);
    const changed = judge(one, { disk, runs: [unclean, run('turns/a', { sections: { turns: FAILED } })] });
    expect(changed.problems).toMatchObject([
      { kind: 'TRANSCRIPT_CHANGED', affected: [{ scenario: 'turns/a', driver: 'inproc' }], fix: null },
    ]);
    expect(changed.problems[0]?.message).toContain('The run through cli had other problems');
    expect(changed.pending).toEqual([]);
  });

  it('is missing at first, and pending', () => {
    const ledger = createPinLedger({ suite: one, claims: layout(one), disk: files(pinsOf('base')) });
    ledger.add(run('turns/a'));
    const judgement = ledger.judge({ filtered: false });
    expect(kinds(judgement)).toEqual(['MISSING_PIN turns/a/transcript']);
    expect(judgement.problems[0]?.fix?.command).toEqual(['turnpin', 'accept', 'turns/a/transcript']);
    expect(judgement.pending).toMatchObject([{ key: 'turns/a/transcript', base: null, text: TURNS }]);
  });

  it('in the wrong form is not changed, but can be accepted in the right one', () => {
    const disk = { ...pinsOf('base'), 'turns/a/transcript.expected.yaml': TURNS.replaceAll('\n', '\r\n') };
    const judgement = judge(one, { disk, runs: [run('turns/a')] });
    expect(judgement.problems).toEqual([]);
    expect(judgement.pending).toMatchObject([{ key: 'turns/a/transcript', text: TURNS }]);
  });

  it('of the wire is judged for its driver alone', () => {
    const asked = suite([scenario('turns/a', { pinsWire: ['acp'] })]);
    const disk = { ...pinsOf('base'), 'turns/a/wire.acp.expected.yaml': 'wire:\n  - a\n' };
    const runs = [
      run('turns/a', { driver: 'acp', sections: { turns: TURNS, wire: 'wire:\n  - b\n' } }),
      run('turns/a'),
    ];
    expect(kinds(judge(asked, { disk, runs }))).toEqual(['TRANSCRIPT_CHANGED turns/a/wire.acp']);
  });
});

describe('a judgement', () => {
  it('does not depend on the order of the runs', () => {
    const prompts = [PROMPT, EDITED, LEAKED];
    const ids = ['turns/a', 'turns/b', 'turns/c'];
    const given = suite(ids.map((id) => scenario(id)));
    const runs = ids.flatMap((id, index) =>
      (['inproc', 'cli'] as const).map((driver) =>
        run(id, {
          driver,
          prompt: prompts[index] ?? '',
          sections: { turns: `turns:\n  main:\n    - ${driver}${index % 2}\n` },
        }),
      ),
    );
    const first = judge(given, { runs });
    fc.assert(
      fc.property(fc.shuffledSubarray(runs, { minLength: runs.length }), (shuffled) => {
        expect(judge(given, { runs: shuffled })).toEqual(first);
      }),
      { numRuns: 30 },
    );
  });
});
