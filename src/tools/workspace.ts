/**
 * Files of the workspace, and nothing outside it (core.md: "File tools stay inside the workspace unless configured
 * otherwise; symlinks that lead out are refused").
 *
 * A path is resolved link by link, and the result must lie in the workspace. Since a link can be put in place between
 * that check and its use, nothing is then opened by its path: the parent directory is opened first, the place where
 * that handle really is gets checked, and the file is reached through the handle, without following a link. Where the
 * system has no `/proc/self/fd`, the same steps go by path, and are checked again after opening.
 */
import { constants } from 'node:fs';
import { lstat, mkdir, open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { followLinks } from './links.ts';
import { codeOf } from '../session/thrown.ts';
import { outside, refusal } from './path-error.ts';
import { ToolError } from './tool.ts';

export interface WorkspaceOptions {
  /** Absolute path. It may itself be a link. */
  readonly root: string;
  /** False lets tools reach all of the file system. */
  readonly confine: boolean;
}

/** A file's place: an open directory, and a name in it. */
export interface Place {
  /** The path as the model gave it, for messages. */
  readonly given: string;
  /** Reaches `name` in the directory that is held open. Never a link to elsewhere: open it with `NO_FOLLOW`. */
  readonly path: (name: string) => string;
  readonly name: string;
  readonly close: () => Promise<void>;
}

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

export class Workspace {
  readonly #options: WorkspaceOptions;
  readonly #root: string;

  private constructor(options: WorkspaceOptions, root: string) {
    this.#options = options;
    this.#root = root;
  }

  /** Rejects with `ToolError` `NOT_FOUND` where the workspace itself does not exist. */
  static async open(options: WorkspaceOptions): Promise<Workspace> {
    try {
      return new Workspace(options, await realpath(options.root));
    } catch {
      throw new ToolError('NOT_FOUND', 'The workspace directory does not exist.');
    }
  }

  /** The real path of a directory inside, for a process to start in. Rejects with `ToolError`. */
  async directory(given: string): Promise<string> {
    const real = await this.#resolve(given);
    const stats = await lstat(real).catch(refuseAs(given));
    if (!stats.isDirectory()) throw new ToolError('NOT_A_DIRECTORY', `${given} is no directory.`);
    return real;
  }

  /**
   * The place of a file that may not exist yet; `create` makes missing directories on the way. To be closed by the
   * caller. Rejects with `ToolError`.
   */
  async place(given: string, { create }: { readonly create: boolean }): Promise<Place> {
    const real = await this.#resolve(given);
    if (real === this.#root || real === sep || given.endsWith(sep))
      throw new ToolError('IS_DIRECTORY', `${given} is a directory, not a file.`);
    const name = real.slice(real.lastIndexOf(sep) + 1);
    const parent = await this.#openParent(given, dirname(real), create);
    const base = (await reachByHandle(parent)) ?? dirname(real);
    return { given, name, path: (entry) => join(base, entry), close: () => parent.close() };
  }

  /**
   * Opens an existing ordinary file for reading. Rejects with `ToolError`: `NOT_FOUND`, `IS_DIRECTORY`, `NOT_A_FILE`
   * (a pipe or device, which could keep a reader waiting for ever), `OUTSIDE_WORKSPACE`.
   */
  async openFile(place: Place): Promise<FileHandle> {
    // Without O_NONBLOCK, opening a named pipe waits for its writer.
    const file = await open(place.path(place.name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(
      refuseAs(place.given),
    );
    try {
      const stats = await file.stat();
      if (stats.isDirectory())
        throw new ToolError('IS_DIRECTORY', `${place.given} is a directory, not a file.`);
      if (!stats.isFile())
        throw new ToolError('NOT_A_FILE', `${place.given} is a pipe, device or socket, not a file.`);
      await this.#verify(place.given, file, place.path(place.name));
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async #openParent(given: string, directory: string, create: boolean): Promise<FileHandle> {
    const missing: string[] = [];
    let at = directory;
    for (;;) {
      try {
        return await this.#descend(given, at, missing);
      } catch (error) {
        if (!create || codeOf(error) !== 'ENOENT' || at === dirname(at)) throw refusal(given, error);
        missing.unshift(at.slice(at.lastIndexOf(sep) + 1));
        at = dirname(at);
      }
    }
  }

  /** Opens `existing`, then makes and opens each of `missing` below it, holding on to one verified handle at a time. */
  async #descend(given: string, existing: string, missing: readonly string[]): Promise<FileHandle> {
    let handle = await open(existing, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    let path = existing;
    try {
      await this.#verify(given, handle, existing);
      for (const name of missing) {
        const below = join((await reachByHandle(handle)) ?? path, name);
        await mkdir(below).catch(unlessExists);
        const next = await open(below, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        await handle.close();
        handle = next;
        path = join(path, name);
        await this.#verify(given, handle, path);
      }
      return handle;
    } catch (error) {
      await handle.close();
      throw refusal(given, error);
    }
  }

  /** Is what has been opened really inside? `path` is where it was meant to be. */
  async #verify(given: string, handle: FileHandle, path: string): Promise<void> {
    if (!this.#options.confine) return;
    const real = (await readlink(handlePath(handle)).catch(() => null)) ?? (await realPlaceOf(handle, path));
    if (real === null || !this.#holds(real)) throw outside(given);
  }

  /** Follows every link, also one whose target does not exist, and checks where it all ends. */
  async #resolve(given: string): Promise<string> {
    if (given === '' || given.includes('\0')) {
      throw new ToolError('INVALID_PATH', 'A path must not be empty or hold a NUL character.');
    }
    const real = await followLinks(isAbsolute(given) ? given : `${this.#root}${sep}${given}`);
    if (this.#options.confine && !this.#holds(real)) throw outside(given);
    return real;
  }

  #holds(real: string): boolean {
    const prefix = this.#root.endsWith(sep) ? this.#root : `${this.#root}${sep}`;
    return real === this.#root || real.startsWith(prefix);
  }
}

function handlePath(handle: FileHandle): string {
  return `/proc/self/fd/${String(handle.fd)}`;
}

/** A path that reaches an open directory whatever happens to its name; null where the system has none. */
async function reachByHandle(handle: FileHandle): Promise<string | null> {
  const path = handlePath(handle);
  return (await stat(path).catch(() => null)) === null ? null : path;
}

/** Without `/proc`: where `path` leads now, provided that it still leads to what is open. */
async function realPlaceOf(handle: FileHandle, path: string): Promise<string | null> {
  const [open, named] = await Promise.all([handle.stat(), stat(path).catch(() => null)]);
  if (named === null || named.ino !== open.ino || named.dev !== open.dev) return null;
  return realpath(path).catch(() => null);
}

function refuseAs(given: string): (error: unknown) => never {
  return (error) => {
    throw refusal(given, error);
  };
}

function unlessExists(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}
