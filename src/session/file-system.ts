/** The disk as a session file needs it: an edge of its own, so that every call can be made to fail in a test. */
import fs from 'node:fs';
import { promisify } from 'node:util';

export interface LogFileSystem {
  /** Creates the file for writing; fails where it exists. */
  create(path: string): number;
  /** Opens an existing file for writing without changing it. */
  open(path: string): number;
  /** Writes at `position` and returns how many bytes went in; may be fewer than given. */
  write(fd: number, bytes: Uint8Array, position: number): number;
  truncate(fd: number, length: number): void;
  fsync(fd: number): Promise<void>;
  /** Makes the names in a directory durable. */
  fsyncDirectory(path: string): Promise<void>;
  close(fd: number): void;
}

const fsync = promisify(fs.fsync);

/** Session files are private to their user. */
const MODE = 0o600;

export const nodeFileSystem: LogFileSystem = {
  create: (path) => fs.openSync(path, 'wx', MODE),
  open: (path) => fs.openSync(path, 'r+'),
  write: (fd, bytes, position) => fs.writeSync(fd, bytes, 0, bytes.byteLength, position),
  truncate: (fd, length) => fs.ftruncateSync(fd, length),
  fsync: (fd) => fsync(fd),
  fsyncDirectory: async (path) => {
    const fd = fs.openSync(path, 'r');
    try {
      await fsync(fd);
    } finally {
      fs.closeSync(fd);
    }
  },
  close: (fd) => fs.closeSync(fd),
};
