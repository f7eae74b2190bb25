import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FaultyDisk } from '../session/fixtures/disk.ts';
import { readSessionBytes } from '../session/recovery.ts';
import { createSession } from '../session/session.ts';
import { outline, rehearse, say, seen } from './fixtures/rehearsal.ts';
import { tick } from './fixtures/stage.ts';

describe('checkpoints', () => {
  it('TURN-1, TURN-3: a delayed checkpoint keeps the next turn waiting, and status running', async () => {
    const { agent, model, store } = rehearse();
    model.script = (request) => `re ${seen(request).at(-1)}`;
    store.hold();
    agent.followup(say('a'));
    agent.followup(say('b'));
    await tick();
    await tick();
    expect(outline(agent.events()).at(-1)).toBe('turn/end 1 completed');
    expect(agent.status).toBe('running');
    store.release();
    await agent.whenIdle();
    expect(outline(agent.events()).at(-1)).toBe('turn/end 2 completed');
  });

  it('TURN-4: a rejected checkpoint is reported once with its cause; the next turn runs and sees the answer before', async () => {
    const { agent, model, store, live } = rehearse();
    model.script = (request) => `re ${seen(request).at(-1)}`;
    store.failure = new Error('disk full');
    agent.followup(say('a'));
    agent.followup(say('b'));
    agent.subscribe((published) => {
      if (published.kind === 'live' && published.live.type === 'agent/error') store.failure = null;
    });
    await agent.whenIdle();
    const errors = live.filter((one) => one.type === 'agent/error');
    expect(errors).toEqual([
      {
        type: 'agent/error',
        error: expect.objectContaining({
          code: 'CHECKPOINT_FAILED',
          cause: expect.objectContaining({ message: 'disk full' }) as unknown,
        }) as Error,
      },
    ]);
    expect(seen(model.attempts[1]?.request ?? { systemPrompt: '', tools: [], history: [] })).toEqual([
      'u:a',
      'a:re u:a',
      'u:b',
    ]);
  });

  it('TURN-5: one checkpoint a turn', async () => {
    const { agent, model, store } = rehearse();
    model.script = () => 'ok';
    agent.followup(say('a'));
    agent.followup(say('b'));
    await agent.whenIdle();
    expect(store.flushes).toBe(2);
  });

  it('cancel() never shortens a checkpoint, and dispose() waits for it', async () => {
    const { agent, model, store } = rehearse();
    model.script = () => 'ok';
    store.hold();
    agent.followup(say('a'));
    await tick();
    agent.cancel();
    let disposed = false;
    const disposal = agent.dispose().then(() => (disposed = true));
    await tick();
    expect([agent.status, disposed]).toEqual(['running', false]);
    store.release();
    await disposal;
    expect(outline(agent.events()).at(-1)).toBe('turn/end 1 completed');
  });
});

describe('a session on a disk that fails', () => {
  let dir: string;
  beforeEach(() => (dir = fs.mkdtempSync(path.join(os.tmpdir(), 'turnpin-disk-'))));
  afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

  it.each([
    ['full from the beginning', (disk: FaultyDisk) => (disk.room = 20)],
    ['full after some lines', (disk: FaultyDisk) => (disk.room = 500)],
    ['read-only', (disk: FaultyDisk) => disk.failing.add('write')],
    ['failing at fsync', (disk: FaultyDisk) => disk.failing.add('fsync')],
  ])(
    'TURN-4: %s: turns run on and each checkpoint is reported; once it is mended all is written, in order',
    async (_, breakIt) => {
      const disk = new FaultyDisk();
      breakIt(disk);
      const session = createSession({ dir, fileSystem: disk });
      const { agent, model, live } = rehearse({ session });
      model.script = (request) => `re ${seen(request).at(-1)}`;
      agent.followup(say('a'));
      agent.followup(say('b'));
      await agent.whenIdle();
      const codes = live.flatMap((one) =>
        one.type === 'agent/error' ? [(one.error as Error & { code: string }).code] : [],
      );
      expect(codes).toEqual(['CHECKPOINT_FAILED', 'CHECKPOINT_FAILED']);
      expect(disk.durable.toString()).not.toContain('turn/end');
      disk.room = Infinity;
      disk.failing.clear();
      agent.followup(say('c'));
      await agent.whenIdle();
      expect(readSessionBytes(disk.durable, 'disk').events).toEqual(agent.events());
      await agent.dispose();
    },
  );

  it('a file that cannot be created is refused before anything runs, and its lock is given back', () => {
    const disk = new FaultyDisk();
    disk.failing.add('create');
    expect(() => createSession({ dir, fileSystem: disk })).toThrow(
      expect.objectContaining({ code: 'SESSION_UNWRITABLE' }),
    );
    expect(fs.readdirSync(dir)).toEqual([]);
  });
});
