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

function applied(changes: readonly FileChange[]): void {
  for (const { file, before } of changes) {
    if (before === null) continue;
    mkdirSync(dirname(join(project, file)), { recursive: true });
    writeFileSync(join(project, file), before);
  }
  execFileSync('git', ['apply', '-'], { cwd: project, input: renderPatch(changes) });
}

describe('turnpin.patch', () => {
  it('is turned into the accepted state by git apply: files that are new, changed and gone', () => {
    const changes = [
      { file: 'snapshots/core/turns/a/transcript.expected.yaml', before: null, after: 'one\ntwo\n' },
      {
        file: 'snapshots/core/base.md',
        before: 'a\nb\nc\nd\ne\nf\ng\nh\n',
        after: 'b\nc\nd\ne\nX\nf\ng\nh\n\ni\n',
      },
      { file: 'snapshots/core/turns/a/system-prompt.1.expected.md', before: 'gone\n', after: null },
      { file: 'snapshots/open.md', before: 'no newline', after: 'no newline\n' },
    ];
    applied(changes);
    for (const { file, after } of changes) {
      if (after === null) expect(existsSync(join(project, file))).toBe(false);
      else expect(readFileSync(join(project, file), 'utf8')).toBe(after);
    }
  });

  it('replaces a text that is too different to compare, in bounded time', () => {
    const text = (word: string): string =>
      Array.from({ length: 5000 }, (_, index) => `${word} ${(index * 7919) % 5003}`).join('\n');
    const change = { file: 'big.md', before: `${text('old')}\n`, after: text('new') };
    applied([change]);
    expect(readFileSync(join(project, 'big.md'), 'utf8')).toBe(change.after);
  });

  it('is empty where nothing changes', () => {
    expect(renderPatch([{ file: 'a', before: 'x', after: 'x' }])).toBe('');
  });
});
