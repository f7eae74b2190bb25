/** `.turnpin/pending/`: an index, and the actual text of each pin under the name of its expected file. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ProjectPaths } from '../scenario/suite.ts';
import type { Pending } from './contract.ts';
import { parsePendingIndex, pendingIndex, type StoredPending } from './pending.ts';

const INDEX = 'index.json';

/** What is pending; empty where nothing is, or where the index is unreadable. */
export function loadPending(paths: ProjectPaths): StoredPending[] {
  const folder = join(paths.root, paths.pending);
  const text = read(join(folder, INDEX));
  if (text === null) return [];
  return parsePendingIndex(text, (file) => read(join(folder, file))) ?? [];
}

function read(file: string): string | null {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

/** Replaces everything that is pending: the texts first, the index in one step, then what no entry names any more goes. */
export function savePending(paths: ProjectPaths, pending: readonly Pending[]): void {
  const folder = join(paths.root, paths.pending);
  if (pending.length === 0) {
    rmSync(folder, { recursive: true, force: true });
    return;
  }
  for (const { file, text } of pending) {
    const target = join(folder, file);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  const draft = join(folder, `${INDEX}.new`);
  writeFileSync(draft, pendingIndex(pending));
  renameSync(draft, join(folder, INDEX));
  const wanted = new Set([INDEX, ...pending.map(({ file }) => file)]);
  sweep(folder, '', wanted);
}

/** Removes every file that is not wanted, and every folder that is empty then. */
function sweep(folder: string, below: string, wanted: ReadonlySet<string>): void {
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) {
      sweep(folder, path, wanted);
      if (readdirSync(join(folder, path)).length === 0) rmSync(join(folder, path), { recursive: true });
    } else if (!wanted.has(path)) rmSync(join(folder, path));
  }
}
