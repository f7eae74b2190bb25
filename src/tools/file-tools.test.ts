import { execFileSync } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json, ToolCall } from '../session/events.ts';
import { createFirstPartyTools } from './first-party.ts';
import { ToolRegistry } from './registry.ts';
import { createToolRunner } from './scheduler.ts';
import type { ToolOutcome } from './tool.ts';

let base: string;
let ws: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'turnpin-tools-'));
  ws = join(base, 'ws');
  await mkdir(ws);
  await mkdir(join(base, 'outside'));
  await writeFile(join(base, 'outside', 'secret'), 'SECRET');
});

afterEach(() => rm(base, { recursive: true, force: true }));

/** Runs one call as the loop does: arguments as text, checked against the schema. */
async function call(
  name: string,
  args: { readonly [key: string]: Json },
  confine = true,
): Promise<ToolOutcome> {
  const registry = new ToolRegistry();
  for (const tool of createFirstPartyTools({ confine })) registry.add(tool);
  const calls: ToolCall[] = [{ id: 'c', name, arguments: JSON.stringify(args) }];
  const outcomes: ToolOutcome[] = [];
  await createToolRunner(registry).run(
    calls,
    { cwd: ws, env: process.env, signal: new AbortController().signal },
    (_, outcome) => outcomes.push(outcome),
  );
  const [outcome] = outcomes;
  if (outcome === undefined) throw new Error('no outcome');
  return outcome;
}

const put = (path: string, content: string | Uint8Array) => writeFile(join(ws, path), content);
const got = (path: string) => readFile(join(ws, path), 'utf8');

describe('read', () => {
  it('shows lines with numbers, and how to go on', async () => {
    await put('f', 'a\nb\nc\n');
    expect(await call('read', { path: 'f' })).toEqual({
      content: '     1\ta\n     2\tb\n     3\tc',
      isError: false,
    });
    expect((await call('read', { path: 'f', offset: 2, limit: 1 })).content).toBe(
      '     2\tb\n[lines 2 to 2 of 3; go on with offset 3]',
    );
    expect((await call('read', { path: join(ws, 'f'), offset: 3 })).content).toBe('     3\tc');
  });

  it('shows 2,000 lines at most, whatever the limit', async () => {
    await put('f', 'x\n'.repeat(3_000));
    expect((await call('read', { path: 'f', limit: 5_000 })).content).toMatch(
      /\[lines 1 to 2000 of 3000; go on with offset 2001\]$/,
    );
  });

  it('says that a file is empty, and where a file ends', async () => {
    await put('f', '');
    expect(await call('read', { path: 'f' })).toEqual({ content: '[the file is empty]', isError: false });
    await put('f', 'a\n');
    expect(await call('read', { path: 'f', offset: 2 })).toMatchObject({ code: 'OFFSET_BEYOND_END' });
  });

  it('shows text without its byte order mark, and bytes that are no UTF-8 as replacement signs', async () => {
    await put('f', Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff]));
    expect((await call('read', { path: 'f' })).content).toBe('     1\ta\uFFFD');
  });

  it('refuses binary files, too large ones, directories and pipes, without waiting', async () => {
    await put('bin', Buffer.from([1, 0, 2]));
    await put('big', '');
    await truncate(join(ws, 'big'), 10 * 1024 * 1024 + 1);
    execFileSync('mkfifo', [join(ws, 'pipe')]);
    expect(await call('read', { path: 'bin' })).toMatchObject({ isError: true, code: 'BINARY_FILE' });
    expect(await call('read', { path: 'big' })).toMatchObject({ code: 'FILE_TOO_LARGE' });
    expect(await call('read', { path: '.' })).toMatchObject({ code: 'IS_DIRECTORY' });
    expect(await call('read', { path: 'pipe' })).toMatchObject({ code: 'NOT_A_FILE' });
  });

  it('says what is missing with the path as it was given', async () => {
    expect(await call('read', { path: './no/such' })).toEqual({
      content: './no/such does not exist.',
      isError: true,
      code: 'NOT_FOUND',
    });
    await put('f', 'x');
    expect(await call('read', { path: 'f/x' })).toMatchObject({ code: 'NOT_A_DIRECTORY' });
    expect(await call('read', { path: 'x'.repeat(300) })).toMatchObject({ code: 'INVALID_PATH' });
    expect(await call('read', { path: 'a\0b' })).toMatchObject({ code: 'INVALID_PATH' });
  });
});

describe('write', () => {
  it('creates a file and the directories on its way, and replaces one', async () => {
    expect(await call('write', { path: 'a/b/c.txt', content: 'é\n' })).toEqual({
      content: 'Created a/b/c.txt (3 bytes).',
      isError: false,
    });
    expect(await got('a/b/c.txt')).toBe('é\n');
    expect((await call('write', { path: 'a/b/c.txt', content: '' })).content).toBe(
      'Replaced a/b/c.txt (0 bytes).',
    );
    expect(await got('a/b/c.txt')).toBe('');
    expect(await readdir(join(ws, 'a/b'))).toEqual(['c.txt']);
  });

  it('keeps the mode of a file that it replaces', async () => {
    await put('run.sh', 'old');
    await chmod(join(ws, 'run.sh'), 0o751);
    await call('write', { path: 'run.sh', content: 'new' });
    expect((await stat(join(ws, 'run.sh'))).mode & 0o7777).toBe(0o751);
    expect(await got('run.sh')).toBe('new');
  });

  it('writes through a link that stays inside, and keeps the link', async () => {
    await put('target', 'old');
    await symlink('target', join(ws, 'link'));
    await symlink('sub/new', join(ws, 'dangling'));
    await call('write', { path: 'link', content: 'new' });
    expect(await got('target')).toBe('new');
    await call('write', { path: 'dangling', content: 'made' });
    expect(await got('sub/new')).toBe('made');
  });

  it('refuses directories, a file as a directory, and pipes', async () => {
    await mkdir(join(ws, 'd'));
    await put('f', 'x');
    execFileSync('mkfifo', [join(ws, 'pipe')]);
    expect(await call('write', { path: 'd', content: '' })).toMatchObject({ code: 'IS_DIRECTORY' });
    expect(await call('write', { path: '.', content: '' })).toMatchObject({ code: 'IS_DIRECTORY' });
    expect(await call('write', { path: 'new/', content: '' })).toMatchObject({ code: 'IS_DIRECTORY' });
    expect(await call('write', { path: 'f/x', content: '' })).toMatchObject({ code: 'NOT_A_DIRECTORY' });
    expect(await call('write', { path: 'pipe', content: '' })).toMatchObject({ code: 'NOT_A_FILE' });
    expect((await readdir(ws)).sort()).toEqual(['d', 'f', 'pipe']);
  });

  it('leaves nothing behind when the file cannot take its name', async () => {
    const result = await call('write', { path: 'x'.repeat(255) + 'y', content: 'z' });
    expect(result).toMatchObject({ code: 'INVALID_PATH' });
    expect(await readdir(ws)).toEqual([]);
  });
});

describe('edit', () => {
  it('changes one place and keeps mode, line ends and byte order mark', async () => {
    await put('f', '\uFEFFa\r\nb\r\n');
    await chmod(join(ws, 'f'), 0o600);
    expect(await call('edit', { path: 'f', old_string: 'a\nb', new_string: 'x\ny' })).toEqual({
      content: 'Edited f: 1 replacement.',
      isError: false,
    });
    expect(await got('f')).toBe('\uFEFFx\r\ny\r\n');
    expect((await stat(join(ws, 'f'))).mode & 0o7777).toBe(0o600);
  });

  it('changes every place on request', async () => {
    await put('f', 'a a');
    expect(
      (await call('edit', { path: 'f', old_string: 'a', new_string: 'b', replace_all: true })).content,
    ).toBe('Edited f: 2 replacements.');
    expect(await got('f')).toBe('b b');
  });

  it.each([
    ['zzz', 'x', false, 'NO_MATCH'],
    ['foo\nfoo\n', 'x', false, 'AMBIGUOUS_MATCH'],
    ['foo\nfoo\n', 'x', true, 'OVERLAPPING_MATCH'],
    ['', 'x', false, 'EMPTY_OLD_STRING'],
    ['foo', 'foo', false, 'NO_CHANGE'],
    ['foo\n', 'foo\r\n', true, 'NO_CHANGE'],
  ])(
    'old %j, new %j, all %s: %s, and the file is untouched',
    async (old_string, new_string, replace_all, code) => {
      const text = 'foo\nfoo\nfoo\n';
      await put('f', text);
      expect(await call('edit', { path: 'f', old_string, new_string, replace_all })).toMatchObject({
        isError: true,
        code,
      });
      expect(await got('f')).toBe(text);
    },
  );

  it('tells how often an ambiguous text occurs', async () => {
    await put('f', 'a a a');
    expect((await call('edit', { path: 'f', old_string: 'a', new_string: 'b' })).content).toContain(
      'occurs 3 times in f',
    );
  });

  it('refuses bytes that it could not write back', async () => {
    const bytes = Buffer.from([0x61, 0xe9, 0x62]);
    await put('latin1', bytes);
    expect(await call('edit', { path: 'latin1', old_string: 'a', new_string: 'b' })).toMatchObject({
      code: 'NOT_UTF8',
    });
    expect(await readFile(join(ws, 'latin1'))).toEqual(bytes);
  });
});

describe('a path that leads outside the workspace', () => {
  const attempts: readonly (readonly [what: string, path: string])[] = [
    ['..', '../outside/secret'],
    ['.. in the middle', 'd/../../outside/secret'],
    ['an absolute path', '/etc/hostname'],
    ['a name that begins like the workspace', '../ws2/x'],
    ['a link to a file', 'file-link'],
    ['a link to a directory', 'dir-link/secret'],
    ['a link to what does not exist yet', 'dangling'],
    ['a link to a directory that does not exist yet', 'dangling-dir/x'],
    ['a chain of links', 'chain'],
    ['an absolute link', 'absolute'],
    ['.. behind a link', 'inner-link/../../outside/secret'],
    ['a link that leads to itself', 'loop'],
  ];

  beforeEach(async () => {
    await mkdir(join(ws, 'd'));
    await mkdir(join(base, 'ws2'));
    await symlink('../outside/secret', join(ws, 'file-link'));
    await symlink('../outside', join(ws, 'dir-link'));
    await symlink('../outside/new.txt', join(ws, 'dangling'));
    await symlink('../outside/new', join(ws, 'dangling-dir'));
    await symlink('d/../file-link', join(ws, 'chain'));
    await symlink(join(base, 'outside', 'secret'), join(ws, 'absolute'));
    await symlink('d', join(ws, 'inner-link'));
    await symlink('loop', join(ws, 'loop'));
  });

  it.each(attempts)(
    'by %s is refused by all file tools, and nothing appears or changes there',
    async (_, path) => {
      const codes = ['OUTSIDE_WORKSPACE', ...(path === 'loop' ? ['INVALID_PATH'] : [])];
      const results = [
        await call('read', { path }),
        await call('write', { path, content: 'PWNED' }),
        await call('edit', { path, old_string: 'SECRET', new_string: 'PWNED' }),
      ];
      for (const result of results) {
        expect(codes).toContain(result.code);
        expect(result.content).not.toContain('SECRET');
        expect(result.content).not.toContain(base);
      }
      expect(await readdir(join(base, 'outside'))).toEqual(['secret']);
      expect(await readdir(join(base, 'ws2'))).toEqual([]);
      expect(await readFile(join(base, 'outside', 'secret'), 'utf8')).toBe('SECRET');
    },
  );

  it('is allowed where the tools are not confined', async () => {
    expect((await call('read', { path: '../outside/secret' }, false)).content).toContain('SECRET');
    await call('write', { path: 'dangling', content: 'x' }, false);
    expect(await readFile(join(base, 'outside', 'new.txt'), 'utf8')).toBe('x');
  });

  it('does not keep a path from leaving and coming back, or a workspace from being a link itself', async () => {
    await put('f', 'inside');
    expect((await call('read', { path: '../ws/f' })).content).toContain('inside');
    const real = ws;
    await symlink('ws', join(base, 'ws-link'));
    ws = join(base, 'ws-link');
    expect((await call('read', { path: join(ws, 'f') })).content).toContain('inside');
    expect((await call('read', { path: join(real, 'f') })).content).toContain('inside');
  });

  it('names a workspace that does not exist', async () => {
    ws = join(base, 'gone');
    expect(await call('read', { path: 'x' })).toMatchObject({ code: 'NOT_FOUND' });
  });
});
