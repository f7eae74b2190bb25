/** The sessions of children as their files grow: a way in that tells of the main session alone is watched through them. */
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  watch,
  type FSWatcher,
} from 'node:fs';
import { join } from 'node:path';
import type { JsonValue } from '../scenario/scenario.ts';
import { stringField } from './event-view.ts';
import { recordedEvent } from './session-files.ts';
import type { ShownRecord } from './shown-record.ts';

/** How far one file has been read. */
interface ReadFile {
  offset: number;
  /** What stands behind the last newline. */
  rest: Buffer;
  /** Null before the header was read; false for a session that is no child's. */
  child: string | false | null;
}

export class ChildFiles {
  readonly #directory: string;
  readonly #record: ShownRecord;
  readonly #files = new Map<string, ReadFile>();
  readonly #beforeChild: () => void;
  readonly #watcher: FSWatcher;

  /** Watches a directory, which is made if need be, until `close()`. `beforeChild` makes the main session known first. */
  constructor(directory: string, record: ShownRecord, beforeChild: () => void) {
    this.#directory = directory;
    this.#record = record;
    this.#beforeChild = beforeChild;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#watcher = watch(directory, () => this.#read((event, id) => this.#record.event(id, event)));
    this.#watcher.on('error', () => {});
  }

  /** What the files hold now is known already; only what comes later is shown. */
  skip(): void {
    this.#read(() => {});
    // Half a line that a killed process left is cut off when its session is resumed.
    for (const file of this.#files.values()) {
      file.offset -= file.rest.length;
      file.rest = Buffer.alloc(0);
    }
  }

  close(): void {
    this.#watcher.close();
  }

  #read(show: (event: NonNullable<ReturnType<typeof recordedEvent>>, child: string) => void): void {
    for (const name of readdirSync(this.#directory).filter((each) => each.endsWith('.jsonl'))) {
      const file = this.#files.get(name) ?? { offset: 0, rest: Buffer.alloc(0), child: null };
      this.#files.set(name, file);
      if (file.child === false) continue;
      for (const value of newLines(join(this.#directory, name), file)) {
        if (file.child === null) {
          file.child = this.#begin(value);
          continue;
        }
        const event = recordedEvent(value);
        if (event !== null && file.child !== false) show(event, file.child);
      }
    }
  }

  #begin(header: JsonValue | undefined): string | false {
    const [id, parent] = [stringField(header, 'id'), stringField(header, 'parentSession')];
    if (id === null || parent === null) return false;
    this.#beforeChild();
    this.#record.session(id, { label: null, parent });
    return id;
  }
}

/** The whole lines that a file has gained. */
function newLines(path: string, file: ReadFile): readonly (JsonValue | undefined)[] {
  const bytes = Buffer.concat([file.rest, newBytes(path, file)]);
  const end = bytes.lastIndexOf(0x0a) + 1;
  file.rest = bytes.subarray(end);
  return bytes.toString('utf8', 0, end).split('\n').slice(0, -1).map(parsed);
}

function newBytes(path: string, file: ReadFile): Buffer {
  const descriptor = openSync(path, 'r');
  try {
    const gained = Buffer.alloc(Math.max(0, fstatSync(descriptor).size - file.offset));
    const count = readSync(descriptor, gained, 0, gained.length, file.offset);
    file.offset += count;
    return gained.subarray(0, count);
  } finally {
    closeSync(descriptor);
  }
}

function parsed(line: string): JsonValue | undefined {
  try {
    return JSON.parse(line) as JsonValue;
  } catch {
    return undefined;
  }
}
