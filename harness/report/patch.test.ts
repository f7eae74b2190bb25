import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renderPatch, type FileChange } from './patch.ts';

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'turnpin-patch-'));
  execFileSync('git', ['init', '-q'], { cwd: project });
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

/** Writes the old state, applies the patch with git in that folder, and expects the new one. */
function expectApplied(changes: readonly FileChange[], folder = ''): void {
  const place = join(project, folder);
  for (const { file, before } of changes) {
    mkdirSync(dirname(join(place, file)), { recursive: true });
    if (before !== null) writeFileSync(join(place, file), before);
  }
  execFileSync('git', ['apply', '-'], { cwd: place, input: renderPatch(changes) });
  for (const { file, after } of changes) {
    if (after === null) expect(existsSync(join(place, file)), file).toBe(false);
    else expect(readFileSync(join(place, file), 'utf8'), file).toBe(after);
  }
}

const CHANGES: readonly FileChange[] = [
  { file: 'snapshots/core/turns/a/transcript.expected.yaml', before: null, after: 'one\ntwo\n' },
  {
    file: 'snapshots/core/base.md',
    before: 'a\nb\nc\nd\ne\nf\ng\nh\n',
    after: 'b\nc\nd\ne\nX\nf\ng\nh\n\ni\n',
  },
  { file: 'snapshots/core/turns/b/system-prompt.1.expected.md', before: 'gone\n', after: null },
  { file: 'snapshots/open.md', before: 'no newline', after: 'no newline\n' },
  { file: 'snapshots/windows.md', before: 'one\r\ntwo\r\n', after: 'one\ntwo\n' },
  { file: 'scenarios/turns/windows.yaml', before: 'title: a\r\npins: [1]\r\n', after: 'title: a\r\n' },
  { file: 'snapshots/empty.md', before: '', after: 'one\n' },
  { file: 'snapshots/bom.md', before: '\uFEFFone\n', after: 'one\n' },
  { file: 'snapshots/dashes.md', before: '-- a/x\n++ b/y\n', after: '++ b/y\n-- a/z\n' },
];

describe('turnpin.patch', () => {
  it('is turned into the accepted state by git apply: files that are new, changed and gone', () => {
    expectApplied(CHANGES);
  });

  it('does so as well in a project that lies below the root of its repository', () => {
    expectApplied(CHANGES, 'packages/agent');
  });

  it('replaces a text that is too different to compare, in bounded time', () => {
    const text = (word: string): string =>
      Array.from({ length: 5000 }, (_, index) => `${word} ${(index * 7919) % 5003}`).join('\n');
    expectApplied([{ file: 'big.md', before: `${text('old')}\n`, after: text('new') }]);
  });

  it('is empty where nothing changes', () => {
    expect(renderPatch([{ file: 'a', before: 'x', after: 'x' }])).toBe('');
  });
});
