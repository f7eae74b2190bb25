import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unwritable } from './writable.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'turnpin-writable-'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('unwritable', () => {
  it('has nothing against a folder that is not there yet', () => {
    expect(unwritable(root, '.turnpin/pending')).toEqual([]);
  });

  it('tells a file that stands in the way, wherever it stands', () => {
    writeFileSync(join(root, '.turnpin'), '');
    expect(unwritable(root, '.turnpin/pending').map((problem) => `${problem.kind} ${problem.key}`)).toEqual([
      'UNWRITABLE .turnpin/pending',
    ]);
    rmSync(join(root, '.turnpin'));
    mkdirSync(join(root, '.turnpin'));
    writeFileSync(join(root, '.turnpin/pending'), '');
    expect(unwritable(root, '.turnpin/pending')[0]?.message).toContain('a file stands in its place');
  });
});
