import { describe, expect, it } from 'vitest';
import { forEachInPool } from './pool.ts';

const never = new AbortController().signal;

describe('forEachInPool', () => {
  it('starts in order and never more than its width at a time', async () => {
    const started: number[] = [];
    let running = 0;
    let most = 0;
    await forEachInPool([0, 1, 2, 3, 4, 5, 6], {
      width: 3,
      signal: never,
      work: async (item) => {
        started.push(item);
        most = Math.max(most, ++running);
        await Promise.resolve();
        running -= 1;
      },
    });
    expect(started).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(most).toBe(3);
  });

  it('starts nothing more once it is aborted, and waits for what runs', async () => {
    const stop = new AbortController();
    const ended: number[] = [];
    await forEachInPool([0, 1, 2, 3], {
      width: 2,
      signal: stop.signal,
      work: async (item) => {
        if (item === 1) stop.abort();
        await Promise.resolve();
        ended.push(item);
        if (item === 0) throw new Error('aborted');
      },
    });
    expect(ended.sort()).toEqual([0, 1]);
  });

  it('rejects with the first error, and starts nothing after it', async () => {
    const started: number[] = [];
    const work = async (item: number): Promise<void> => {
      started.push(item);
      await Promise.resolve();
      if (item === 0) throw new Error('broken');
    };
    await expect(forEachInPool([0, 1, 2, 3, 4], { width: 1, signal: never, work })).rejects.toThrow('broken');
    expect(started).toEqual([0]);
  });
});
