/** A suite of 500 scenarios whose expected files stand in a temporary folder: the corpus's own, over and over. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { audit } from '../harness/pins/audit.ts';
import { layout } from '../harness/pins/layout.ts';
import { readSnapshots } from '../harness/pins/snapshot-files.ts';
import { loadSuite } from '../harness/scenario/load.ts';
import type { Suite } from '../harness/scenario/suite.ts';
import { ROOT } from './measure.ts';

const SCENARIOS = 500;

export interface LargeSuite {
  /** Reads the files and looks at them. */
  readonly audit: () => void;
  /** Their absolute paths. */
  readonly files: readonly string[];
}

/** Lends the suite, and removes its folder. */
export async function withLargeSuite<T>(work: (large: LargeSuite) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'turnpin-bench-'));
  try {
    const suite = manyTimes(loadSuite(ROOT), folder);
    const claims = layout(suite);
    return await work({
      audit: () => void audit({ suite, claims, disk: readSnapshots(suite.paths) }),
      files: filesBelow(folder),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function manyTimes(corpus: Suite, folder: string): Suite {
  const texts = new Map(readSnapshots(corpus.paths).map(({ file, content }) => [file, content]));
  const plain = corpus.scenarios.filter(
    ({ pinsChildSystemPrompts: prompts, pinsChildToolSchemas: schemas, pinsWire }) =>
      prompts.length + schemas.length + pinsWire.length === 0,
  );
  const scenarios = Array.from({ length: SCENARIOS }, (_, index) => {
    const scenario = plain[index % plain.length];
    if (scenario === undefined) throw new Error('the corpus has no scenarios');
    return { scenario, copy: { ...scenario, id: `${scenario.id}-${String(index)}` } };
  });
  const put = (file: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  };
  for (const { scenario, copy } of scenarios) {
    const content = texts.get(`snapshots/core/${scenario.id}/transcript.expected.yaml`);
    if (content !== undefined) put(`snapshots/core/${copy.id}/transcript.expected.yaml`, content);
  }
  for (const [file, content] of texts) if (file.startsWith('snapshots/core/categories/')) put(file, content);
  return {
    ...corpus,
    paths: { ...corpus.paths, root: folder },
    scenarios: scenarios.map(({ copy }) => copy),
  };
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
