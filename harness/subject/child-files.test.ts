import { appendFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { ChildFiles } from './child-files.ts';
import { ShownRecord } from './shown-record.ts';

const open: ChildFiles[] = [];
afterEach(() => {
  for (const files of open.splice(0)) files.close();
});

function watched(): { readonly directory: string; readonly record: ShownRecord; readonly files: ChildFiles } {
  const directory = join(mkdtempSync(join(tmpdir(), 'turnpin-children-')), 'sessions');
  const record = new ShownRecord(true);
  const files = new ChildFiles(directory, record, () =>
    record.session('main', { label: null, parent: null }),
  );
  open.push(files);
  return { directory, record, files };
}

function shows(record: ShownRecord, events: number): Promise<void> {
  const count = (): number => record.view().sessions.reduce((sum, session) => sum + session.events.length, 0);
  return new Promise((resolve) => {
    const look = (): void => {
      if (count() >= events) resolve();
    };
    record.onChange(look);
    look();
  });
}

const header = (id: string, parent?: string): string =>
  `${JSON.stringify({ type: 'session', version: 0, id, createdAt: '', parentSession: parent })}\n`;
const event = (seq: number): string =>
  `${JSON.stringify({ type: 'turn/start', seq, time: '', data: { turn: 1 } })}\n`;

it('shows the events of a child while its file grows, half a line not before its end', async () => {
  const { directory, record } = watched();
  const file = join(directory, 'c.jsonl');
  writeFileSync(file, header('c', 'p') + event(0));
  await shows(record, 1);
  appendFileSync(file, event(1).slice(0, 10));
  appendFileSync(file, event(1).slice(10) + event(2));
  await shows(record, 3);
  expect(record.view().sessions).toMatchObject([{ id: 'main' }, { id: 'c', parent: 'p', label: null }]);
  expect(record.view().sessions[1]?.events.map(({ seq }) => seq)).toEqual([0, 1, 2]);
});

it('leaves the main session to whoever tells of it, and what is known already alone', async () => {
  const { directory, record, files } = watched();
  writeFileSync(join(directory, 'main.jsonl'), header('main') + event(0));
  writeFileSync(join(directory, 'old.jsonl'), header('old', 'main') + event(0));
  files.skip();
  appendFileSync(join(directory, 'old.jsonl'), event(1));
  await shows(record, 1);
  expect(record.view().sessions.map(({ id }) => id)).toEqual(['main', 'old']);
  expect(record.view().sessions[1]?.events.at(-1)?.seq).toBe(1);
});
