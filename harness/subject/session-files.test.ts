import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readSessions } from './session-files.ts';

const header = (id: string, facts: object = {}): string =>
  JSON.stringify({
    type: 'session',
    version: 0,
    id,
    createdAt: `2026-01-01T00:00:00.00${id.length}Z`,
    ...facts,
  });
const event = (seq: number): string =>
  JSON.stringify({ type: 'turn/start', seq, time: '2026-01-01T00:00:01.000Z', data: { turn: 1 } });

function directory(files: Record<string, string>): string {
  const made = mkdtempSync(join(tmpdir(), 'turnpin-sessions-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(made, name), text);
  return made;
}

it('sessions without a parent come first, each group in order of creation', () => {
  const made = directory({
    'a.jsonl': `${header('ccc', { parentSession: 'b' })}\n`,
    'b.jsonl': `${header('bb')}\n${event(0)}\n${event(1)}\n`,
    'c.jsonl': `${header('a')}\n`,
  });
  expect(readSessions(made).map(({ id, parent, events }) => [id, parent, events.length])).toEqual([
    ['a', null, 0],
    ['bb', null, 2],
    ['ccc', 'b', 0],
  ]);
});

it('a torn last line is left out, and so are a file without a header and what is no session', () => {
  const made = directory({
    'a.jsonl': `${header('a')}\n${event(0)}\n{"type":"tur`,
    'b.jsonl': '',
    'c.jsonl': '{"type"',
    'a.lock': 'x',
  });
  expect(readSessions(made).map(({ id, events }) => [id, events.length])).toEqual([['a', 1]]);
});

it('a directory that is not there has no sessions', () => {
  expect(readSessions('/no/such/directory')).toEqual([]);
});
