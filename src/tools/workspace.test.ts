import { mkdir, mkdtemp, readFile, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { replaceFile } from './file-replacement.ts';
import { Workspace } from './workspace.ts';

let base: string;
let root: string;
let workspace: Workspace;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'turnpin-workspace-'));
  root = join(base, 'ws');
  await mkdir(join(root, 'd'), { recursive: true });
  await mkdir(join(base, 'outside'));
  await writeFile(join(base, 'outside', 'f'), 'SECRET');
  await writeFile(join(root, 'd', 'f'), 'inside');
  workspace = await Workspace.open({ root, confine: true });
});

afterEach(() => rm(base, { recursive: true, force: true }));

/** What an attacker does between the check and the use. */
const swapFile = async () => {
  await rm(join(root, 'd', 'f'));
  await symlink(join(base, 'outside', 'f'), join(root, 'd', 'f'));
};
const swapDirectory = async () => {
  await rename(join(root, 'd'), join(root, 'moved'));
  await symlink(join(base, 'outside'), join(root, 'd'));
};

describe('a link that is put in place between check and use', () => {
  it('of the file is not followed by a read', async () => {
    const place = await workspace.place('d/f', { create: false });
    await swapFile();
    await expect(workspace.openFile(place)).rejects.toMatchObject({ code: 'OUTSIDE_WORKSPACE' });
    await place.close();
  });

  it('of the file is not followed by a write', async () => {
    const place = await workspace.place('d/f', { create: true });
    await swapFile();
    await expect(replaceFile(place, Buffer.from('PWNED'))).rejects.toMatchObject({
      code: 'OUTSIDE_WORKSPACE',
    });
    await place.close();
    expect(await readFile(join(base, 'outside', 'f'), 'utf8')).toBe('SECRET');
  });

  it('of the directory does not lead a read or a write astray: they go on in the directory that was checked', async () => {
    const place = await workspace.place('d/f', { create: true });
    await swapDirectory();
    const file = await workspace.openFile(place);
    expect(await file.readFile('utf8')).toBe('inside');
    await file.close();
    await replaceFile(place, Buffer.from('new'));
    await place.close();
    expect(await readFile(join(root, 'moved', 'f'), 'utf8')).toBe('new');
    expect(await readFile(join(base, 'outside', 'f'), 'utf8')).toBe('SECRET');
    expect(await readdir(join(base, 'outside'))).toEqual(['f']);
  });

  it('cannot win against many reads and writes at once', async () => {
    await mkdir(join(base, 'outside', 'e'));
    await writeFile(join(base, 'outside', 'e', 'f'), 'SECRET');
    await mkdir(join(root, 'd', 'e'));
    await writeFile(join(root, 'd', 'e', 'f'), 'inside');
    let swapping = true;
    // A write may make `d` anew while it is away: then the attacker clears its own place first.
    const insist = async (act: () => Promise<void>): Promise<void> => {
      for (;;) {
        try {
          await act();
          return;
        } catch {
          await rm(join(root, 'd'), { recursive: true, force: true, maxRetries: 3 });
        }
      }
    };
    const attacker = (async () => {
      while (swapping) {
        await rename(join(root, 'd'), join(root, 'moved'));
        await insist(() => symlink(join(base, 'outside'), join(root, 'd')));
        await rm(join(root, 'd'));
        await insist(() => rename(join(root, 'moved'), join(root, 'd')));
      }
    })();
    for (let attempt = 0; attempt < 300; attempt += 1) {
      try {
        const place = await workspace.place('d/e/f', { create: attempt % 2 === 0 });
        try {
          const file = await workspace.openFile(place);
          expect(await file.readFile('utf8')).not.toContain('SECRET');
          await file.close();
          await replaceFile(place, Buffer.from(`inside ${String(attempt)}`));
        } finally {
          await place.close();
        }
      } catch (error) {
        expect((error as { code?: string }).code).toMatch(
          /^(?:OUTSIDE_WORKSPACE|NOT_FOUND|NOT_A_DIRECTORY)$/,
        );
      }
    }
    swapping = false;
    await attacker;
    expect((await readdir(join(base, 'outside'), { recursive: true })).sort()).toEqual(['e', 'e/f', 'f']);
    expect(await readFile(join(base, 'outside', 'e', 'f'), 'utf8')).toBe('SECRET');
  });
});

describe('directory()', () => {
  it('answers the real path of a directory inside, and refuses everything else', async () => {
    await symlink('d', join(root, 'link'));
    await symlink('../outside', join(root, 'out'));
    expect(await workspace.directory('link')).toBe(join(root, 'd'));
    expect(await workspace.directory('.')).toBe(root);
    await expect(workspace.directory('out')).rejects.toMatchObject({ code: 'OUTSIDE_WORKSPACE' });
    await expect(workspace.directory('..')).rejects.toMatchObject({ code: 'OUTSIDE_WORKSPACE' });
    await expect(workspace.directory('d/f')).rejects.toMatchObject({ code: 'NOT_A_DIRECTORY' });
    await expect(workspace.directory('nosuch')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
