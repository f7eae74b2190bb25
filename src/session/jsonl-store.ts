/** The JSONL file of a session (core.md, "Store"; LOG-2). */
import path from 'node:path';
import { StoreError } from './errors.ts';
import { nodeFileSystem, type LogFileSystem } from './file-system.ts';
import type { RecoveredFile } from './recovery.ts';
import type { SessionStore } from './store.ts';

interface OpenFile {
  readonly file: string;
  readonly fd: number;
  /** Bytes of whole lines that the file has; writing goes on there. */
  readonly size: number;
  /** Was the file created just now, so that its name has to be made durable too? */
  readonly created: boolean;
}

/** What `readSessionBytes` found: how much of the file stays. */
export type KeptLines = Pick<RecoveredFile, 'keepBytes' | 'tail'>;

/**
 * Each append is written before it returns, unsynced, so it survives the death of the process; `flush()` syncs, so it
 * survives the death of the machine. After a failed write lines only queue up; the next flush writes them in order at
 * the end of the last whole line, over a half-written one. After a failed fsync the kernel may have dropped what it
 * held, so everything since the last good one is written again.
 */
export class JsonlStore implements SessionStore {
  readonly file: string;
  readonly #fs: LogFileSystem;
  #fd: number | null;
  /** Lines that the last good fsync does not cover, oldest first. */
  #unsynced: Buffer[] = [];
  /** How many of `#unsynced` are whole in the file. */
  #written = 0;
  /** Where the first of `#unsynced` begins. */
  #syncedSize: number;
  /** Where the next line goes. */
  #size: number;
  #failure: StoreError | null = null;
  #nameIsDurable: boolean;
  #flushing: Promise<void> = Promise.resolve();

  private constructor(opened: OpenFile, fileSystem: LogFileSystem) {
    this.file = opened.file;
    this.#fs = fileSystem;
    this.#fd = opened.fd;
    this.#size = opened.size;
    this.#syncedSize = opened.size;
    this.#nameIsDurable = !opened.created;
  }

  /** A new file, which must not exist. Throws the file system's error. */
  static create(file: string, fileSystem: LogFileSystem = nodeFileSystem): JsonlStore {
    return new JsonlStore({ file, fd: fileSystem.create(file), size: 0, created: true }, fileSystem);
  }

  /** An existing file: what stands behind its kept lines is cut off, and a missing last newline is added. */
  static resume(file: string, kept: KeptLines, fileSystem: LogFileSystem = nodeFileSystem): JsonlStore {
    const fd = fileSystem.open(file);
    try {
      if (kept.tail.kind === 'torn') fileSystem.truncate(fd, kept.keepBytes);
    } catch (error) {
      fileSystem.close(fd);
      throw error;
    }
    const store = new JsonlStore({ file, fd, size: kept.keepBytes, created: false }, fileSystem);
    if (kept.tail.kind === 'unterminated') store.append('');
    return store;
  }

  append(line: string): void {
    if (this.#fd === null) return;
    this.#unsynced.push(Buffer.from(`${line}\n`, 'utf8'));
    if (this.#failure === null) this.#write(this.#fd);
  }

  flush(): Promise<void> {
    const flushed = this.#flushing.then(() => this.#flush());
    this.#flushing = flushed.catch(() => {});
    return flushed;
  }

  close(): void {
    if (this.#fd === null) return;
    const fd = this.#fd;
    this.#fd = null;
    this.#unsynced = [];
    this.#fs.close(fd);
  }

  async #flush(): Promise<void> {
    if (this.#fd === null) throw new StoreError('flush', this.file, new Error('the session is closed'));
    this.#failure = null;
    this.#write(this.#fd);
    if (this.#failure !== null) throw this.#failure;
    if (this.#unsynced.length > 0) await this.#sync(this.#fd);
    if (!this.#nameIsDurable) await this.#syncName();
  }

  /** Writes what is not written yet; a failure is kept for the flush that reports it. */
  #write(fd: number): void {
    try {
      for (
        let next = this.#unsynced[this.#written];
        next !== undefined;
        next = this.#unsynced[this.#written]
      ) {
        this.#writeLine(fd, next);
        this.#size += next.byteLength;
        this.#written += 1;
      }
    } catch (error) {
      this.#failure = new StoreError('write', this.file, error);
    }
  }

  #writeLine(fd: number, line: Buffer): void {
    for (let done = 0; done < line.byteLength;) {
      const count = this.#fs.write(fd, line.subarray(done), this.#size + done);
      if (count === 0) throw new Error('no byte could be written');
      done += count;
    }
  }

  async #sync(fd: number): Promise<void> {
    const covered = this.#written;
    const size = this.#size;
    try {
      await this.#fs.fsync(fd);
    } catch (error) {
      this.#written = 0;
      this.#size = this.#syncedSize;
      this.#failure = new StoreError('sync', this.file, error);
      throw this.#failure;
    }
    if (this.#fd === null) return;
    this.#unsynced.splice(0, covered);
    this.#written -= covered;
    this.#syncedSize = size;
  }

  async #syncName(): Promise<void> {
    try {
      await this.#fs.fsyncDirectory(path.dirname(this.file));
      this.#nameIsDurable = true;
    } catch (error) {
      throw new StoreError('make durable the name of', this.file, error);
    }
  }
}
