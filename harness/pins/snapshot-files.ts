/** The only reader of the snapshots folder. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProjectPaths } from '../scenario/suite.ts';
import type { DiskFile } from './contract.ts';

/** Nobody declares these, and nobody minds. */
const IGNORED = /(?:^|\/)(?:\.[^/]+|Thumbs\.db)$/u;

/** Every file below the snapshots folder, sorted; none where there is no folder. */
export function readSnapshots(paths: ProjectPaths): DiskFile[] {
  const folder = join(paths.root, paths.snapshots);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .filter((file) => !IGNORED.test(file))
    .sort()
    .map((file) => ({ file: `${paths.snapshots}/${file}`, bytes: readFileSync(join(folder, file)) }));
}
