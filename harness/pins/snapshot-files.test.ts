import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { Disk } from './disk.ts';
import { digestOf } from './expected-file.ts';
import { readSnapshots } from './snapshot-files.ts';

const paths = {
  root: mkdtempSync(join(tmpdir(), 'turnpin-snapshots-')),
  scenarios: 'scenarios',
  snapshots: 'snapshots',
  pending: '.turnpin/pending',
};

function write(file: string, content: string | Uint8Array): void {
  const path = join(paths.root, 'snapshots', file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

it('reads each file as its text, or as its bytes where they are no UTF-8, and digests the bytes either way', () => {
  expect(readSnapshots(paths)).toEqual([]);
  const contents = {
    'b/blank.md': '',
    'b/bom.md': '\uFEFFa\r\n',
    'b/latin-1.md': Uint8Array.of(0x61, 0xe4, 0x0a),
    'b/replacement.md': 'an \uFFFD that is meant, \u{1F600}\n',
    'b/surrogate.md': Uint8Array.of(0xed, 0xa0, 0x80),
    'b.md': '# Rôle\n',
    'c/replacement.md': Buffer.concat([Buffer.from('an \uFFFD and '), Uint8Array.of(0xff)]),
  };
  for (const [file, content] of Object.entries(contents)) write(file, content);
  for (const ignored of ['.hidden', 'b/.DS_Store', 'b/Thumbs.db']) write(ignored, 'nobody minds');
  symlinkSync('b.md', join(paths.root, 'snapshots/linked.md'));
  const found = readSnapshots(paths);
  expect(found.map(({ file }) => file)).toEqual(
    [...Object.keys(contents), 'linked.md'].map((file) => `snapshots/${file}`).sort(),
  );
  const disk = new Disk(found);
  for (const [file, content] of Object.entries({ ...contents, 'linked.md': contents['b.md'] })) {
    const text = typeof content === 'string' ? content : null;
    expect(disk.get(`snapshots/${file}`), file).toEqual({ file: `snapshots/${file}`, text });
    const bytes = readFileSync(join(paths.root, 'snapshots', file));
    expect(disk.digest(`snapshots/${file}`), file).toBe(digestOf(bytes));
  }
});
