/** What the pins cost before anything runs, and what a difference costs that has nothing in common. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { changeOf } from '../harness/diff/change.ts';
import { audit } from '../harness/pins/audit.ts';
import { layout } from '../harness/pins/layout.ts';
import { readSnapshots } from '../harness/pins/snapshot-files.ts';
import { loadSuite } from '../harness/scenario/load.ts';
import type { Suite } from '../harness/scenario/suite.ts';
import { renderPatch } from '../harness/report/patch.ts';
import { ROOT, median, paired, timed } from './measure.ts';

const FILES = 500;
const LINES = 5_000;

export interface PinFigures {
  /** The first audit of 500 transcripts of the corpus in a process, read and looked at. Goal: at most 100. */
  readonly firstAuditMs: number;
  /** A later one, as a multiple of only reading those files. */
  readonly auditRatio: number;
  /** The diff of two unrelated texts of 5,000 lines, the slowest kind of file. Goal: under 500. */
  readonly diffMs: number;
  /** The patch of one. */
  readonly patchMs: number;
}

export async function benchPins(): Promise<PinFigures> {
  return { ...(await benchAudit()), ...(await benchDiff()) };
}

/** The corpus's own scenarios and files, over and over until there are enough. */
async function benchAudit(): Promise<Pick<PinFigures, 'firstAuditMs' | 'auditRatio'>> {
  const folder = mkdtempSync(join(tmpdir(), 'turnpin-bench-'));
  try {
    const suite = manyTimes(loadSuite(ROOT), folder);
    const claims = layout(suite);
    const files = readSnapshots(suite.paths).map(({ file }) => join(folder, file));
    const work = (): unknown => audit({ suite, claims, disk: readSnapshots(suite.paths) });
    const firstAuditMs = await timed(work);
    const { ratio } = await paired(15, work, () => files.map((file) => readFileSync(file)));
    return { firstAuditMs, auditRatio: ratio };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function manyTimes(corpus: Suite, folder: string): Suite {
  const texts = new Map(readSnapshots(corpus.paths).map(({ file, bytes }) => [file, bytes]));
  const plain = corpus.scenarios.filter(
    ({ pinsChildSystemPrompts: prompts, pinsChildToolSchemas: schemas, pinsWire }) =>
      prompts.length + schemas.length + pinsWire.length === 0,
  );
  const scenarios = Array.from({ length: FILES }, (_, index) => {
    const scenario = plain[index % plain.length];
    if (scenario === undefined) throw new Error('the corpus has no scenarios');
    return { scenario, copy: { ...scenario, id: `${scenario.id}-${String(index)}` } };
  });
  const put = (file: string, bytes: Uint8Array): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), bytes);
  };
  for (const { scenario, copy } of scenarios) {
    const bytes = texts.get(`snapshots/core/${scenario.id}/transcript.expected.yaml`);
    if (bytes !== undefined) put(`snapshots/core/${copy.id}/transcript.expected.yaml`, bytes);
  }
  for (const [file, bytes] of texts) if (file.startsWith('snapshots/core/categories/')) put(file, bytes);
  return {
    ...corpus,
    paths: { ...corpus.paths, root: folder },
    scenarios: scenarios.map(({ copy }) => copy),
  };
}

async function benchDiff(): Promise<Pick<PinFigures, 'diffMs' | 'patchMs'>> {
  const texts = ['old', 'new'].map((word) => ({
    prose: prose(word),
    yaml: `log:\n  main:\n${prose(word).replace(/^/gmu, '    - ').slice(0, -6)}`,
    json: `${JSON.stringify(
      prose(word)
        .split('\n')
        .map((line) => ({ name: line, description: line })),
      null,
      1,
    )}\n`,
  }));
  const [before, after] = texts;
  if (before === undefined || after === undefined) throw new Error('two texts were made');
  const times: number[] = [];
  for (const [file, kind] of [
    ['base/system-prompt.expected.md', 'prose'],
    ['turns/x/transcript.expected.yaml', 'yaml'],
    ['base/tool-schemas.expected.json', 'json'],
  ] as const) {
    const runs: number[] = [];
    for (let round = 0; round < 3; round += 1)
      runs.push(await timed(() => changeOf(file, before[kind], after[kind])));
    times.push(median(runs));
  }
  const patchMs = await timed(() =>
    renderPatch([{ file: 'a.md', before: before.prose, after: after.prose }]),
  );
  return { diffMs: Math.max(...times), patchMs };
}

/** Lines that share words but no line with another text, and are alike among themselves. */
function prose(word: string): string {
  const lines = Array.from(
    { length: LINES },
    (_, index) => `${word} ${String((index * 7919) % 5003)} of the ${word} file, and so on.`,
  );
  return `${lines.join('\n')}\n`;
}
