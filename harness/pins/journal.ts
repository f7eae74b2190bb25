/** Several files written all or nothing: a journal first, then the files; an interrupted batch is finished at the next start. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { FileChange } from './batch.ts';
import { digestOf } from './expected-file.ts';

const journal = z.strictObject({
  changes: z.array(
    z.strictObject({ file: z.string(), before: z.string().nullable(), after: z.string().nullable() }),
  ),
});

export interface JournalPlace {
  /** Absolute. */
  readonly root: string;
  /** The journal, relative to the root. */
  readonly journal: string;
  /** Called before each step on disk; a test throws here where a process might be killed. */
  readonly beforeStep?: (step: string) => void;
}

/** Writes the batch. Up to the moment when the journal stands nothing has changed; from then on all of it will. */
export function writeBatch(place: JournalPlace, changes: readonly FileChange[]): void {
  if (changes.length === 0) return;
  const file = join(place.root, place.journal);
  mkdirSync(dirname(file), { recursive: true });
  put(file, JSON.stringify({ changes }), place);
  apply(place, changes);
}

/** Finishes what a killed process began. Returns the files that it wrote; none where nothing was left behind. */
export function recover(place: JournalPlace): string[] {
  const file = join(place.root, place.journal);
  rmSync(temporary(file), { force: true });
  if (!existsSync(file)) return [];
  const { changes } = journal.parse(JSON.parse(readFileSync(file, 'utf8')));
  // A file that somebody has edited since the kill is theirs.
  const ours = changes.filter(({ file: target, before, after }) => {
    const now = digestAt(join(place.root, target));
    return now === before || now === (after === null ? null : digestOf(after));
  });
  apply(place, ours);
  return ours.map((change) => change.file);
}

function apply(place: JournalPlace, changes: readonly FileChange[]): void {
  for (const { file, after } of changes) {
    const target = join(place.root, file);
    if (after === null) {
      place.beforeStep?.(`delete ${file}`);
      rmSync(target, { force: true });
      removeEmptyFolders(dirname(target), place.root);
    } else {
      mkdirSync(dirname(target), { recursive: true });
      put(target, after, place);
    }
  }
  place.beforeStep?.('remove the journal');
  rmSync(join(place.root, place.journal), { force: true });
}

function temporary(file: string): string {
  return `${file}.turnpin-new`;
}

/** A reader finds the old file or the new one. */
function put(file: string, text: string, { beforeStep }: JournalPlace): void {
  beforeStep?.(`write beside ${file}`);
  const descriptor = openSync(temporary(file), 'w');
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  beforeStep?.(`put in place ${file}`);
  renameSync(temporary(file), file);
  syncFolder(dirname(file));
}

function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function removeEmptyFolders(folder: string, root: string): void {
  for (let at = folder; at !== root && at.startsWith(root); at = dirname(at)) {
    try {
      rmdirSync(at);
    } catch {
      return;
    }
  }
}

function digestAt(file: string): string | null {
  return existsSync(file) ? digestOf(readFileSync(file)) : null;
}
