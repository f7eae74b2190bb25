/** The only reader of the snapshots folder. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProjectPaths } from '../scenario/suite.ts';
import type { DiskFile } from './contract.ts';
import { decode } from './expected-file.ts';

/** Nobody declares these, and nobody minds. */
const IGNORED = /(?:^|\/)(?:\.[^/]+|Thumbs\.db)$/u;

/** Every file below the snapshots folder, sorted; none where there is no folder. */
export function readSnapshots(paths: ProjectPaths): DiskFile[] {
  const folder = join(paths.root, paths.snapshots);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(folder.length + 1).replaceAll('\\', '/'))
    .filter((file) => !IGNORED.test(file))
    .sort()
    .map((file) => ({ file: `${paths.snapshots}/${file}`, content: contentOf(`${folder}/${file}`) }));
}

/** Node reads a text in half the time that it takes for bytes, but then bytes that are no UTF-8 become U+FFFD. */
function contentOf(file: string): string | Uint8Array {
  const text = readFileSync(file, 'utf8');
  return text.includes('\uFFFD') ? decode(readFileSync(file)) : text;
}
