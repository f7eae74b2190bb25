import { describe, expect, it } from 'vitest';
import { SessionFileError } from '../session/errors.ts';
import type { SessionEvent } from '../session/events.ts';
import { SessionLog } from '../session/log.ts';
import { readSessionBytes, SessionReader, type RecoveredFile } from '../session/recovery.ts';
import { repairSession } from '../session/repair.ts';
import { createMemoryStore } from '../session/store.ts';
import { balanceFaults, strictFaults } from './fixtures/invariants.ts';
import { rehearse, say, seen } from './fixtures/rehearsal.ts';
import { Stage, type Move } from './fixtures/stage.ts';

const all = (...names: string[]): Move[] => names.map((name) => ({ do: name }) as Move);
const reply = (kind: 'text' | 'call' | 'calls' | 'length' | 'nothing'): Move => ({ do: 'reply', with: kind });

/** One of everything that a log can hold: tools, steering, context, cancels, a retry, a block, a move, pending input. */
const CHAPTER: readonly Move[] = [
  ...all('inject', 'followup', 'tick'),
  reply('calls'),
  ...all('tick', 'steer', 'tool', 'tick', 'tool', 'tick'),
  reply('text'),
  ...all('tick', 'block', 'followup', 'inject', 'tick', 'followup', 'tick', 'say'),
  { do: 'cancel', keepInbox: true },
  ...all('followup', 'tick'),
  { do: 'fail', retryable: true },
  ...all('tick', 'hold'),
  reply('length'),
  ...all('tick', 'steer', 'steer', 'release', 'tick'),
  reply('nothing'),
  ...all('tick'),
  reply('text'),
  ...all('tick', 'followup', 'followup', 'tick', 'inject', 'steer'),
];

async function record(chapters: number): Promise<Buffer> {
  const stage = new Stage();
  for (let chapter = 0; chapter < chapters; chapter += 1) {
    for (const move of CHAPTER) await stage.play(move);
    if (chapter + 1 < chapters) await stage.settle();
  }
  return Buffer.from(stage.lines.map((line) => `${line}\n`).join(''));
}

/** What a crash left, brought to rest in memory. */
function repaired(recovered: RecoveredFile): SessionLog {
  const log = new SessionLog({ ...recovered, store: createMemoryStore() });
  repairSession(log.state, log.append);
  return log;
}

function faultsOf(log: SessionLog, before: readonly SessionEvent[]): readonly string[] {
  const faults = [...balanceFaults(log.events), ...strictFaults({ history: log.state.history })];
  const length = log.events.length;
  repairSession(log.state, log.append);
  if (log.events.length !== length) faults.push('a second repair adds events');
  if (log.events.slice(0, before.length).some((event, index) => event !== before[index]))
    faults.push('an earlier event was changed');
  if (log.state.claimed.length > 0 || log.state.moving.length > 0)
    faults.push('a message is on its way for ever');
  return faults;
}

async function answersAPrompt(log: SessionLog): Promise<readonly string[]> {
  const { header } = log;
  const session = { id: header.id, header, log, file: null, resumed: null, close: () => {} };
  const { agent, model } = rehearse({ session });
  model.script = () => 'on with it';
  const turns = log.state.turns;
  if (agent.status !== 'idle') return ['a turn has started by itself'];
  agent.followup(say('go on'));
  await agent.whenIdle();
  const last = model.attempts.at(-1);
  if (last === undefined || !seen(last.request).includes('u:go on')) return ['the prompt was not asked'];
  if (log.state.turns <= turns) return ['no turn was run'];
  return [...strictFaults(last.request), ...balanceFaults(log.events)];
}

const NEWLINE = 0x0a;

/** The whole lines of a log, without their newlines. */
function linesOf(bytes: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, start);
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

function readerOf(lines: readonly Buffer[]): SessionReader {
  const [header = Buffer.of(), ...events] = lines;
  const reader = new SessionReader(header, 'cut');
  for (const line of events) reader.line(line);
  return reader;
}

describe('LOG-3: a log of some hundred events that is cut anywhere', { timeout: 180_000 }, () => {
  it('within its header line it is refused', async () => {
    const bytes = await record(1);
    for (let cut = 0; cut <= bytes.indexOf(NEWLINE); cut += 1) {
      expect(() => readSessionBytes(bytes.subarray(0, cut), 'cut'), `cut at ${cut}`).toThrow(
        SessionFileError,
      );
    }
  });

  it('at every other byte offset the half line is dropped, and a line that is whole but for its newline is kept', async () => {
    const lines = linesOf(await record(4));
    expect(lines.length).toBeGreaterThan(300);
    // A torn tail leaves the reader as it was, so the lines before a cut are read once for all cuts of one line.
    const reader = readerOf(lines.slice(0, 1));
    for (const [index, line] of lines.slice(1).entries()) {
      for (let cut = 0; cut < line.length; cut += 1) {
        const tail = reader.tail(line.subarray(0, cut));
        const expected = cut === 0 ? { kind: 'clean' } : { kind: 'torn', bytes: cut };
        if (tail.kind !== expected.kind) expect.fail(`event ${index} cut after ${cut} bytes: ${tail.kind}`);
      }
      expect(reader.events).toHaveLength(index);
      expect(reader.tail(line)).toEqual({ kind: 'unterminated' });
    }
  });

  it('what is left after each event is repaired to balance, resumes, and answers a prompt', async () => {
    const lines = linesOf(await record(4));
    for (let count = 1; count <= lines.length; count += 1) {
      const left = Buffer.concat(lines.slice(0, count).flatMap((line) => [line, Buffer.of(NEWLINE)]));
      const recovered = readSessionBytes(left, 'cut');
      const log = repaired(recovered);
      const faults = [...faultsOf(log, recovered.events), ...(await answersAPrompt(log))];
      if (faults.length > 0) expect.fail(`cut after ${count - 1} events: ${faults.join('; ')}`);
    }
  });
});
