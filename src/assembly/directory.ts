/** Directories as a configuration names them. */
import { homedir } from 'node:os';
import path from 'node:path';

/** Resolves `dir` against `base`; `~` and `~/…` are the home directory. */
export function absolute(dir: string, base: string): string {
  if (dir === '~' || dir.startsWith('~/')) return path.join(homedir(), dir.slice(1));
  return path.resolve(base, dir);
}
