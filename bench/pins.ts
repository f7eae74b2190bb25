/** What the pins cost before anything runs, and what a difference costs that has nothing in common. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { changeOf } from '../harness/diff/change.ts';
import { renderPatch } from '../harness/report/patch.ts';
import { withLargeSuite } from './large-suite.ts';
import { median, paired, timed } from './measure.ts';

const FIRST_AUDITS = 9;
const LINES = 5_000;

export interface PinFigures {
  /** The first audit of 500 transcripts of the corpus by code that has not run before, read and looked at. Goal: at most 100. */
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

async function benchAudit(): Promise<Pick<PinFigures, 'firstAuditMs' | 'auditRatio'>> {
  const firsts: number[] = [];
  while (firsts.length < FIRST_AUDITS) firsts.push(await firstAudit());
  const auditRatio = await withLargeSuite(async ({ audit, files }) => {
    audit();
    const { ratio } = await paired(15, audit, () => files.map((file) => readFileSync(file)));
    return ratio;
  });
  return { firstAuditMs: median(firsts), auditRatio };
}

/** In a process of its own, where no code has run before. */
async function firstAudit(): Promise<number> {
  const script = fileURLToPath(new URL('./first-audit.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  return Number(stdout);
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
