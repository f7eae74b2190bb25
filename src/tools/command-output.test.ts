import { open, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandOutput } from './command-output.ts';

let directory: string;
let files = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'turnpin-output-test-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const spill = async () => {
  const path = join(directory, `${String(files++)}.txt`);
  return { path, file: await open(path, 'wx') };
};

async function collect(
  pieces: readonly Buffer[],
  shown: number,
  spilled = 1_000_000,
): Promise<{ text: string; saved: string | null }> {
  let path: string | null = null;
  const output = new CommandOutput(
    async () => {
      const made = await spill();
      path = made.path;
      return made;
    },
    { shown, spilled },
  );
  for (const piece of pieces) await output.add(piece);
  const text = await output.finish();
  return { text, saved: path === null ? null : await readFile(path, 'utf8') };
}

describe('CommandOutput', () => {
  it('shows what fits as it is, and makes no file for it', async () => {
    expect(await collect([Buffer.from('ab'), Buffer.from('cd')], 4)).toEqual({ text: 'abcd', saved: null });
    expect(await collect([], 4)).toEqual({ text: '', saved: null });
  });

  it('shows beginning and end of what does not', async () => {
    const { text, saved } = await collect([Buffer.from('abc'), Buffer.from('defgh'), Buffer.from('ij')], 4);
    expect(text).toMatch(/^ab\n\[6 bytes left out here; the whole output is in .*\.txt\]\nij$/);
    expect(saved).toBe('abcdefghij');
  });

  it('splits no character', async () => {
    const { text } = await collect([Buffer.from('那那那那那那')], 8);
    expect(text).toMatch(/^那\n\[.*\]\n那$/);
  });

  it('says how much was saved where the file has its limit', async () => {
    const { text, saved } = await collect([Buffer.from('abcdefghij')], 4, 5);
    expect(text).toContain('the first 5 bytes of the output are in');
    expect(saved).toBe('abcde');
  });

  it('shows the same, and saves everything, however the output is cut into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ minLength: 1, maxLength: 12, size: 'max' }), { maxLength: 12, size: 'max' }),
        fc.integer({ min: 2, max: 40 }),
        async (words, shown) => {
          const all = Buffer.from(words.join(''));
          const strip = (text: string) => text.replace(/is in .*\.txt/, 'is in F');
          const pieces = await collect(
            words.map((word) => Buffer.from(word)),
            shown,
          );
          const whole = await collect(all.byteLength === 0 ? [] : [all], shown);
          expect(strip(pieces.text)).toBe(strip(whole.text));
          expect(pieces.saved).toBe(all.byteLength > shown ? all.toString() : null);
        },
      ),
      { numRuns: 150 },
    );
  });
});
