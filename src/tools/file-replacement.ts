/** Replacing a file's content at one stroke. */
import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, lstat, open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { codeOf } from '../session/thrown.ts';
import { outside, refusal } from './path-error.ts';
import { ToolError } from './tool.ts';
import type { Place } from './workspace.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY, W_OK } = constants;

/**
 * Writes `content` under the name of `place`: whole or not at all, never through a link. The content goes to a new file
 * beside it (`O_EXCL`, so nobody can have put a link there), which then takes the name. Mode and, where allowed, owner
 * are kept; other hard links keep the old content. Not synced to disk: the session's checkpoint covers the log, not the
 * workspace. Answers whether the file is new. Rejects with `ToolError`.
 */
export async function replaceFile(place: Place, content: Uint8Array): Promise<'created' | 'replaced'> {
  const target = place.path(place.name);
  const temporary = place.path(`.turnpin-${randomBytes(8).toString('hex')}.tmp`);
  try {
    const old = await existingFile(place, target);
    const file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
    try {
      await file.writeFile(content);
      if (old !== null) await takeOver(file, old);
      await file.close();
      await rename(temporary, target);
    } catch (error) {
      await file.close().catch(() => undefined);
      await unlink(temporary).catch(() => undefined);
      throw error;
    }
    return old === null ? 'created' : 'replaced';
  } catch (error) {
    throw refusal(place.given, error);
  }
}

/** The file that would be replaced, or null. A read-only file is refused, though a rename could replace it. */
async function existingFile(place: Place, target: string): Promise<Stats | null> {
  const stats = await lstat(target).catch(nullIfMissing);
  if (stats === null) return null;
  if (stats.isSymbolicLink()) throw outside(place.given);
  if (stats.isDirectory()) throw new ToolError('IS_DIRECTORY', `${place.given} is a directory, not a file.`);
  if (!stats.isFile())
    throw new ToolError('NOT_A_FILE', `${place.given} is a pipe, device or socket, not a file.`);
  await access(target, W_OK);
  return stats;
}

async function takeOver(file: FileHandle, old: Stats): Promise<void> {
  const own = await file.stat();
  // Only root can give files away; everybody else owns the file already, or has to take it over.
  if (own.uid !== old.uid || own.gid !== old.gid) await file.chown(old.uid, old.gid).catch(() => undefined);
  await file.chmod(old.mode & 0o7777);
}

function nullIfMissing(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null;
  throw error;
}
