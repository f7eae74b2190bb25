import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { StoreError } from './errors.ts';
import { FaultyDisk } from './fixtures/disk.ts';
import { JsonlStore } from './jsonl-store.ts';

function storeOn(disk: FaultyDisk): JsonlStore {
  return JsonlStore.create('s.jsonl', disk);
}

describe('JsonlStore', () => {
  it('writes each append before it returns, unsynced', () => {
    const disk = new FaultyDisk();
    const store = storeOn(disk);
    store.append('{"a":1}');
    expect(disk.content.toString()).toBe('{"a":1}\n');
    expect(disk.durable.toString()).toBe('');
  });

  it('LOG-2: what a settled flush covers is on disk', async () => {
    const disk = new FaultyDisk();
    const store = storeOn(disk);
    store.append('one');
    await store.flush();
    store.append('two');
    expect(disk.durable.toString()).toBe('one\n');
  });

  it('writes a line that the system takes in pieces', async () => {
    const disk = new FaultyDisk();
    disk.most = 3;
    const store = storeOn(disk);
    store.append('one two three');
    await store.flush();
    expect(disk.durable.toString()).toBe('one two three\n');
  });

  it('a full disk: the flush is rejected, and the next one writes over the half-written line, in order', async () => {
    const disk = new FaultyDisk();
    const store = storeOn(disk);
    store.append('first');
    disk.room = 9;
    store.append('second');
    store.append('third');
    await expect(store.flush()).rejects.toThrow(StoreError);
    expect(disk.content.toString()).toBe('first\nsec');
    store.append('fourth');
    await expect(store.flush()).rejects.toThrow(/no space left/);
    disk.room = Infinity;
    await store.flush();
    expect(disk.durable.toString()).toBe('first\nsecond\nthird\nfourth\n');
  });

  it('a disk that has become read-only rejects the flush and loses nothing', async () => {
    const disk = new FaultyDisk();
    const store = storeOn(disk);
    store.append('first');
    disk.failing.add('write');
    store.append('second');
    await expect(store.flush()).rejects.toThrow(/EROFS/);
    disk.failing.clear();
    await store.flush();
    expect(disk.durable.toString()).toBe('first\nsecond\n');
  });

  it('TURN-4: after a failed fsync everything that it should have covered is written again', async () => {
    const disk = new FaultyDisk();
    const store = storeOn(disk);
    store.append('first');
    await store.flush();
    store.append('second');
    disk.failing.add('fsync');
    await expect(store.flush()).rejects.toThrow(/sync/);
    store.append('third');
    disk.failing.clear();
    await store.flush();
    expect(disk.durable.toString()).toBe('first\nsecond\nthird\n');
  });

  it('a name that could not be made durable is tried again', async () => {
    const disk = new FaultyDisk();
    const store = storeOn(disk);
    disk.failing.add('fsyncDirectory');
    await expect(store.flush()).rejects.toThrow(StoreError);
    disk.failing.clear();
    await expect(store.flush()).resolves.toBeUndefined();
  });

  it('closed, it takes nothing more and its flush is rejected', async () => {
    const disk = new FaultyDisk();
    const store = storeOn(disk);
    store.close();
    store.close();
    store.append('late');
    expect(disk.content.toString()).toBe('');
    await expect(store.flush()).rejects.toThrow(/closed/);
  });

  it('under faults at any call, a flush that resolves covers every line before it, once and in order', async () => {
    const fault = fc.constantFrom('append', 'flush', 'full', 'short', 'write', 'fsync', 'well');
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { maxLength: 30, size: 'max' }), async (program) => {
        const disk = new FaultyDisk();
        const store = storeOn(disk);
        const lines: string[] = [];
        const heal = (): void => {
          disk.room = Infinity;
          disk.most = Infinity;
          disk.failing.clear();
        };
        const flush = async (): Promise<void> => {
          try {
            await store.flush();
          } catch {
            return;
          }
          expect(disk.durable.toString()).toBe(lines.map((line) => `${line}\n`).join(''));
        };
        for (const move of program) {
          if (move === 'append') {
            lines.push(`line ${lines.length}`);
            store.append(`line ${lines.length - 1}`);
          } else if (move === 'flush') await flush();
          else if (move === 'full') disk.room = disk.content.length + 4;
          else if (move === 'short') disk.most = 2;
          else if (move === 'well') heal();
          else disk.failing.add(move);
        }
        heal();
        await store.flush();
        expect(disk.durable.toString()).toBe(lines.map((line) => `${line}\n`).join(''));
      }),
      { numRuns: 500 },
    );
  });
});
