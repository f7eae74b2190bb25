/** The directories of one run: made fresh, and removed afterwards unless they are to be kept. */
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve, sep } from 'node:path';

export interface RunDirectories {
  readonly base: string;
  readonly cwd: string;
  readonly home: string;
  /** Below the home, so that a path into it shows as `{{home}}/…`. */
  readonly scratch: string;
  /** Where the `gate` program goes. */
  readonly bin: string;
  readonly tmp: string;
}

/** Makes them below `parent`, or in the system's temporary directory. Resolved, since a subject shows resolved paths. */
export async function makeDirectories(parent: string | null): Promise<RunDirectories> {
  if (parent !== null) await mkdir(parent, { recursive: true });
  const base = await realpath(await mkdtemp(join(parent ?? tmpdir(), 'run-')));
  const home = join(base, 'home');
  const directories = {
    base,
    home,
    cwd: join(base, 'workspace'),
    scratch: join(home, 'turnpin'),
    bin: join(base, 'bin'),
    tmp: join(home, 'tmp'),
  };
  const { cwd, scratch, tmp } = directories;
  await Promise.all([cwd, scratch, tmp].map((directory) => mkdir(directory, { recursive: true })));
  return directories;
}

/** Writes files by relative path; a path that leads out of `cwd` is an error. */
export async function writeFiles(cwd: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [file, content] of Object.entries(files)) {
    const path = inside(cwd, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}

/** Reads files by relative path. Null: not there. */
export async function readFiles(
  cwd: string,
  files: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const read = files.map(async (file): Promise<readonly [string, string | null]> => {
    try {
      return [file, await readFile(inside(cwd, file), 'utf8')];
    } catch (error) {
      if (isMissing(error)) return [file, null];
      throw error;
    }
  });
  return new Map(await Promise.all(read));
}

/** The contents of all files in a directory. */
export async function filesBelow(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory);
  return Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
}

export async function removeDirectories({ base }: RunDirectories): Promise<void> {
  await rm(base, { recursive: true, force: true, maxRetries: 3 });
}

function inside(cwd: string, file: string): string {
  const path = resolve(cwd, file);
  const within = relative(cwd, path);
  if (within === '' || within === '..' || within.startsWith(`..${sep}`)) {
    throw new Error(`"${file}" does not lie in the workspace; name a file below it`);
  }
  return path;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
