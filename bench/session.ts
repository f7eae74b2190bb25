/** What the session log costs: an append at any length, a turn after 10,000 others, opening 100,000 events. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent } from '../src/agent/agent.ts';
import { createUserMessage } from '../src/agent/message.ts';
import type { Model } from '../src/model/model.ts';
import { createSession, openSession, type Session } from '../src/session/session.ts';
import { median, timed } from './measure.ts';

export interface SessionFigures {
  /** Cost of an append to a log of 100,000 events through one to an empty log. Goal: near 1. */
  readonly appendRatio: number;
  /** Cost of a turn after 10,000 turns through one at the start, with a history that is not copied out. Goal: near 1. */
  readonly turnRatio: number;
  /** Milliseconds to open a log of 100,000 events under its lock. */
  readonly openMs: number;
}

export async function benchSession(): Promise<SessionFigures> {
  const dir = mkdtempSync(join(tmpdir(), 'turnpin-bench-'));
  try {
    const { appendRatio, openMs } = await appends(dir);
    return { appendRatio, turnRatio: await turns(dir), openMs };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const EVENTS = 100_000;
const BATCH = 1_000;

async function appends(dir: string): Promise<{ appendRatio: number; openMs: number }> {
  const session = createSession({ dir });
  const batches: number[] = [];
  for (let batch = 0; batch < EVENTS / BATCH; batch += 1) {
    batches.push(await timed(() => appendTitles(session)));
    // Bytes reach the file between batches, as they do between turns of the event loop.
    await session.log.store.flush();
  }
  const { id } = session;
  session.close();
  const openMs = await timed(() => openSession({ dir, id }).close());
  return { appendRatio: median(batches.slice(-20)) / median(batches.slice(10, 30)), openMs };
}

function appendTitles(session: Session): void {
  for (let index = 0; index < BATCH; index += 1) {
    session.log.append('session/title', { title: 'An event of a usual size, with a line of text in it.' });
  }
}

const TURNS = 10_000;

/** Answers at once, and never looks at the history: what is measured is everything but the request's own bytes. */
const instant: Model = {
  header: () => ({ method: 'POST', path: '/', headers: {}, parameters: {}, systemPrompt: '', tools: [] }),
  attempt: (_request, onChunk) => {
    onChunk({ kind: 'finish', reason: 'stop' });
    return Promise.resolve({
      message: { role: 'assistant', text: 'Answer.', toolCalls: [] },
      finish: 'stop',
    });
  },
};

async function turns(dir: string): Promise<number> {
  const session = createSession({ dir });
  const agent = createAgent({
    session,
    model: instant,
    tools: { schemas: () => [], run: () => Promise.resolve() },
    systemPrompt: () => '',
    cwd: dir,
  });
  const times: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    times.push(
      await timed(async () => {
        agent.followup(createUserMessage('A question.'));
        await agent.whenIdle();
      }),
    );
  }
  await agent.dispose();
  return median(times.slice(-500)) / median(times.slice(500, 1_000));
}
