import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MessageId, SessionId, UserMessage } from './events.ts';
import { readSessionBytes } from './recovery.ts';
import { createSession, listSessions, openSession, readSession, sessionFile } from './session.ts';

const HEADER = '{"type":"session","version":0,"id":"s","createdAt":"2026-01-01T00:00:00.000Z"}';
const START = '{"type":"turn/start","seq":0,"time":"2026-01-01T00:00:00.000Z","data":{"turn":1}}';
const END =
  '{"type":"turn/end","seq":1,"time":"2026-01-01T00:00:00.000Z","data":{"turn":1,"reason":{"kind":"completed"}}}';
const ID = 's' as SessionId;

let dir: string;
beforeEach(() => (dir = fs.mkdtempSync(path.join(os.tmpdir(), 'turnpin-session-'))));
afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

function plant(content: string | Buffer): string {
  const file = sessionFile(dir, ID);
  fs.writeFileSync(file, content);
  return file;
}

function message(text: string): UserMessage {
  return { id: text as MessageId, role: 'user', content: [{ type: 'text', text }], source: { kind: 'user' } };
}

function read(content: string): ReturnType<typeof readSessionBytes> {
  return readSessionBytes(Buffer.from(content), 's.jsonl');
}

describe('reading a session file', () => {
  it('keeps a whole last line that lacks only its newline, and the next event stands on a line of its own', () => {
    const file = plant(`${HEADER}\n${START}\n${END}`);
    const session = openSession({ dir, id: ID });
    expect(session.resumed).toEqual({ tail: { kind: 'unterminated' }, repairs: 0 });
    session.log.append('turn/start', { turn: 2 });
    session.close();
    expect(fs.readFileSync(file, 'utf8').split('\n').slice(0, 3)).toEqual([HEADER, START, END]);
    expect(readSession(file).events).toHaveLength(3);
  });

  it.each([
    ['half a line', `${HEADER}\n${START}\n${END.slice(0, 40)}`],
    [
      'a line cut inside a character',
      Buffer.concat([Buffer.from(`${HEADER}\n${START}\n{"type":"`), Buffer.from('那').subarray(0, 2)]),
    ],
    ['a whole line with a wrong number', `${HEADER}\n${START}\n${END.replace('"seq":1', '"seq":7')}`],
    ['zeros', `${HEADER}\n${START}\n\0\0\0\0`],
  ])('LOG-3: a torn last line is dropped: %s', (_, content) => {
    const file = plant(content);
    const session = openSession({ dir, id: ID });
    expect(session.resumed?.tail.kind).toBe('torn');
    session.close();
    const { events } = readSession(file);
    expect(events.map((event) => event.type)).toEqual(['turn/start', 'turn/end']);
    expect(events[1]?.data).toEqual({ turn: 1, reason: { kind: 'interrupted' } });
  });

  it('a file that ends after its header is an empty session', () => {
    plant(`${HEADER}\n`);
    const session = openSession({ dir, id: ID });
    expect(session.log.events).toEqual([]);
    session.close();
  });

  it.each([
    ['SESSION_NO_HEADER', 'an empty file', ''],
    ['SESSION_NO_HEADER', 'half a header', HEADER.slice(0, 30)],
    ['SESSION_NO_HEADER', 'a header without its newline', HEADER],
    ['SESSION_NO_HEADER', 'something else', '{"hello":1}\n'],
    ['SESSION_VERSION', 'another version', `${HEADER.replace('"version":0', '"version":2')}\n`],
    [
      'SESSION_UNKNOWN_EVENT',
      'an unknown event',
      `${HEADER}\n${START.replace('turn/start', 'turn/paused')}\n`,
    ],
    [
      'SESSION_UNKNOWN_EVENT',
      'an unknown last event without newline',
      `${HEADER}\n${START.replace('turn/start', 'turn/paused')}`,
    ],
    ['SESSION_CORRUPT', 'a bad line before the end', `${HEADER}\n{"type"\n${END}\n`],
    ['SESSION_CORRUPT', 'a bad whole last line', `${HEADER}\n${START}\n{"type"\n`],
    [
      'SESSION_CORRUPT',
      'a gap in the numbers',
      `${HEADER}\n${START}\n${END.replace('"seq":1', '"seq":2')}\n`,
    ],
    [
      'SESSION_CORRUPT',
      'data of the wrong shape',
      `${HEADER}\n${START.replace('{"turn":1}', '{"turn":"one"}')}\n`,
    ],
    ['SESSION_CORRUPT', 'an end without a start', `${HEADER}\n${END.replace('"seq":1', '"seq":0')}\n`],
  ])('LOG-6: refuses with %s and leaves untouched: %s', (code, _, content) => {
    const file = plant(content);
    expect(() => openSession({ dir, id: ID })).toThrow(expect.objectContaining({ code }));
    expect(fs.readFileSync(file, 'utf8')).toBe(content);
    expect(fs.readdirSync(dir)).toEqual(['s.jsonl']);
  });

  it('LOG-6: the refusal names version, event type and line', () => {
    expect(() => read(`${HEADER.replace('"version":0', '"version":2')}\n`)).toThrow(/version 2/);
    expect(() => read(`${HEADER}\n${START}\n${END.replace('turn/end', 'x/y')}\n`)).toThrow(/line 3.*"x\/y"/);
  });

  it('LOG-6: an unknown event that is marked ignorable is kept and changes nothing', () => {
    const ignorable = START.replace('"turn/start"', '"turn/mood"').replace(
      '"seq":0',
      '"seq":1,"ignorable":true',
    );
    const { events, state } = read(`${HEADER}\n${START}\n${ignorable}\n`);
    expect(events).toHaveLength(2);
    expect(state.openTurn).toMatchObject({ turn: 1 });
  });
});

describe('resuming a session', () => {
  it('LOG-4: pending messages stay pending, once each, and a move that was cut in two is completed', () => {
    const made = createSession({ dir, id: ID });
    const splice = 'agent/inbox/spliced';
    made.log.append(splice, { target: 'next-turn', start: 0, inserted: [message('ordinary')] });
    made.log.append(splice, { target: 'next-step', start: 0, inserted: [message('context')], quiet: true });
    made.log.append(splice, {
      target: 'next-step',
      start: 1,
      inserted: [message('first'), message('second')],
    });
    made.log.append(splice, {
      target: 'next-step',
      start: 1,
      removedCount: 1,
      inserted: [],
      outcome: 'moved',
    });
    made.close();
    const resumed = openSession({ dir, id: ID });
    const ids = (target: 'next-turn' | 'next-step'): string[] =>
      resumed.log.state.list(target).map((item) => item.message.id);
    expect(ids('next-turn')).toEqual(['ordinary', 'first', 'second']);
    expect(ids('next-step')).toEqual(['context']);
    resumed.close();
    const again = openSession({ dir, id: ID });
    expect(again.resumed?.repairs).toBe(0);
    again.close();
  });

  it('LOG-3: calls without a result get one that says so; which depends on whether any can have begun', () => {
    const made = createSession({ dir, id: ID });
    const { append } = made.log;
    const calls = [1, 2].map((n) => ({ id: `c${n}`, name: 'bash', arguments: '{}' }));
    append('turn/start', { turn: 1 });
    append('step/start', { turn: 1, step: 1 });
    append('assistant/message', {
      turn: 1,
      step: 1,
      message: { role: 'assistant', text: '', toolCalls: calls },
    });
    append('tool/call', { turn: 1, step: 1, callId: 'c1', name: 'bash', arguments: '{}' });
    made.close();
    const resumed = openSession({ dir, id: ID });
    expect(
      resumed.log.events.slice(4).map(({ type, data }) => [type, 'code' in data ? data.code : null]),
    ).toEqual([
      ['tool/call', null],
      ['tool/result', 'ABORTED_BEFORE_DISPATCH'],
      ['tool/result', 'ABORTED_BEFORE_DISPATCH'],
      ['step/end', null],
      ['turn/end', null],
    ]);
    expect(resumed.log.state.history.map((entry) => entry.role)).toEqual(['assistant', 'tool', 'tool']);
    resumed.close();
  });

  it('LOG-3: an answered call is left as it is, an open one is told to be of unknown outcome', () => {
    const made = createSession({ dir, id: ID });
    const { append } = made.log;
    const at = { turn: 1, step: 1 };
    // The same id twice in one step: paired by place (TURN-12).
    const calls = [1, 2].map(() => ({ id: 'c', name: 'bash', arguments: '{}' }));
    append('turn/start', { turn: 1 });
    append('step/start', at);
    append('assistant/message', { ...at, message: { role: 'assistant', text: '', toolCalls: calls } });
    for (const { id, name } of calls) append('tool/call', { ...at, callId: id, name, arguments: '{}' });
    append('tool/result', { ...at, callId: 'c', content: 'done', isError: false });
    made.close();
    const resumed = openSession({ dir, id: ID });
    const results = resumed.log.events
      .filter((event) => event.type === 'tool/result')
      .map((event) => event.data.code ?? event.data.content);
    expect(results).toEqual(['done', 'INTERRUPTED']);
    resumed.close();
  });
});

describe('a directory of sessions', () => {
  it('one writer: a session that is open is refused, and free once it is closed', () => {
    const made = createSession({ dir, id: ID });
    expect(() => openSession({ dir, id: ID })).toThrow(expect.objectContaining({ code: 'SESSION_LOCKED' }));
    made.close();
    openSession({ dir, id: ID }).close();
    expect(listSessions(dir)).toEqual(['s']);
  });

  it('refuses an id that is no safe file name, a second session of one id, and one that is not there', () => {
    for (const id of ['../s', '', '.', '..', 'a/b', '.hidden', 'x'.repeat(129)]) {
      expect(() => createSession({ dir, id: id as SessionId })).toThrow(
        expect.objectContaining({ code: 'SESSION_ID_UNSAFE' }),
      );
    }
    createSession({ dir, id: ID }).close();
    expect(() => createSession({ dir, id: ID })).toThrow(expect.objectContaining({ code: 'SESSION_EXISTS' }));
    expect(() => openSession({ dir, id: 't' as SessionId })).toThrow(
      expect.objectContaining({ code: 'SESSION_NOT_FOUND' }),
    );
  });

  it('says so where the directory cannot be made', () => {
    const blocked = path.join(plant('a file'), 'below');
    expect(() => createSession({ dir: blocked, id: ID })).toThrow(
      expect.objectContaining({ code: 'SESSION_UNWRITABLE' }),
    );
  });

  it('reading a session changes nothing and needs no lock', () => {
    const made = createSession({ dir, id: ID });
    made.log.append('turn/start', { turn: 1 });
    const before = fs.readFileSync(sessionFile(dir, ID));
    expect(readSession(sessionFile(dir, ID)).events).toHaveLength(1);
    expect(fs.readFileSync(sessionFile(dir, ID))).toEqual(before);
    made.close();
  });
});
