/** Which project a command is about. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from './usage-error.ts';

/** The folder that `-C` names, or the nearest one, upwards, with a `turnpin.yaml` or a `scenarios/`. Absolute. */
export function findProject(cwd: string, chosen: string | null): string {
  if (chosen !== null) return existingFolder(resolve(cwd, chosen), chosen);
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'turnpin.yaml')) || isFolder(join(folder, 'scenarios'))) return folder;
    if (dirname(folder) === folder) break;
  }
  throw new UsageError(
    'project',
    'There is no project here: neither this folder nor one above it has a turnpin.yaml or a scenarios folder.\n' +
      'Go to a project, or name one with -C DIR.',
  );
}

function existingFolder(folder: string, asGiven: string): string {
  if (isFolder(folder)) return folder;
  const found = existsSync(folder) ? 'it is a file' : 'there is no such folder';
  throw new UsageError('-C', `-C expects the folder of a project, but ${found}: ${asGiven}`);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
