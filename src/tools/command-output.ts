/** Keeping a command's output within bounds: its beginning and its end for the model, all of it in a file. */
import { mkdir, mkdtemp, open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants } from 'node:fs';
import { codeOf } from '../session/thrown.ts';

/** Most bytes of one command's output that the model sees, and that the file holds. */
export const LARGEST_OUTPUT = 32 * 1024;
export const LARGEST_SPILL = 64 * 1024 * 1024;

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/** Where output that is too long goes. Files are named by call id; nothing is ever overwritten. */
export class SpillDirectory {
  readonly #configured: string | undefined;
  #directory: Promise<string> | null = null;

  /** Without `directory`, a fresh one of the user's own under the system's place for temporary files. */
  constructor(directory: string | undefined) {
    this.#configured = directory;
  }

  /** Creates a file that only its owner can read. Rejects with the system's error. */
  async create(callId: string): Promise<{ readonly path: string; readonly file: FileHandle }> {
    this.#directory ??= this.#make();
    const directory = await this.#directory;
    const name = callId.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 100);
    for (let attempt = 1; ; attempt += 1) {
      const path = join(directory, `${name}${attempt === 1 ? '' : `-${String(attempt)}`}.txt`);
      try {
        return { path, file: await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600) };
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error;
      }
    }
  }

  async #make(): Promise<string> {
    if (this.#configured === undefined) return mkdtemp(join(tmpdir(), 'turnpin-output-'));
    await mkdir(this.#configured, { recursive: true, mode: 0o700 });
    return this.#configured;
  }
}

export interface OutputLimits {
  readonly shown: number;
  readonly spilled: number;
}

/** Collects one command's output. Holds `limits.shown` bytes and one piece in memory, however much comes. */
export class CommandOutput {
  readonly #spill: () => Promise<{ readonly path: string; readonly file: FileHandle }>;
  readonly #limits: OutputLimits;
  #head: Buffer = Buffer.alloc(0);
  #tail: Buffer = Buffer.alloc(0);
  #size = 0;
  #file: FileHandle | null = null;
  /** Where the whole output is, or null where it could not be saved. Undefined while it fits. */
  #path: string | null | undefined;
  #saved = 0;

  constructor(
    spill: () => Promise<{ readonly path: string; readonly file: FileHandle }>,
    limits: OutputLimits,
  ) {
    this.#spill = spill;
    this.#limits = limits;
  }

  /** Takes the next piece. A disk that is full or missing costs the file, not the command. */
  async add(piece: Buffer): Promise<void> {
    const before = this.#size === this.#head.byteLength ? this.#head : null;
    this.#size += piece.byteLength;
    if (this.#path === undefined && this.#size <= this.#limits.shown) {
      this.#head = Buffer.concat([this.#head, piece]);
      return;
    }
    if (this.#path === undefined) await this.#overflow(before ?? Buffer.alloc(0));
    const half = this.#limits.shown >> 1;
    const missing = Math.max(0, half - this.#head.byteLength);
    if (missing > 0) this.#head = Buffer.concat([this.#head, piece.subarray(0, missing)]);
    this.#tail = lastBytes(Buffer.concat([this.#tail, piece.subarray(missing)]), this.#limits.shown - half);
    await this.#save(piece);
  }

  /** The text for the model: everything, or beginning and end with a line between that says where the rest is. */
  async finish(): Promise<string> {
    await this.#file?.close().catch(() => undefined);
    if (this.#path === undefined) return decode(this.#head);
    const hidden = this.#size - this.#head.byteLength - this.#tail.byteLength;
    if (hidden === 0) return decode(Buffer.concat([this.#head, this.#tail]));
    const note = `[${String(hidden)} bytes left out here; ${this.#whereabouts()}]`;
    return `${decode(wholeEnd(this.#head))}\n${note}\n${decode(wholeStart(this.#tail))}`;
  }

  #whereabouts(): string {
    if (this.#path === null || this.#path === undefined) return 'they could not be saved';
    const what =
      this.#saved < this.#size
        ? `the first ${String(this.#saved)} bytes of the output are`
        : 'the whole output is';
    return `${what} in ${this.#path}`;
  }

  async #overflow(soFar: Buffer): Promise<void> {
    const half = this.#limits.shown >> 1;
    this.#head = soFar.subarray(0, half);
    this.#tail = soFar.subarray(half);
    try {
      const { path, file } = await this.#spill();
      this.#path = path;
      this.#file = file;
    } catch {
      this.#path = null;
    }
    await this.#save(soFar);
  }

  async #save(piece: Buffer): Promise<void> {
    const room = piece.subarray(0, Math.max(0, this.#limits.spilled - this.#saved));
    if (this.#file === null || room.byteLength === 0) return;
    try {
      await this.#file.writeFile(room);
      this.#saved += room.byteLength;
    } catch {
      await this.#file.close().catch(() => undefined);
      this.#file = null;
      if (this.#saved === 0) this.#path = null;
    }
  }
}

function lastBytes(bytes: Buffer, most: number): Buffer {
  return bytes.byteLength <= most ? bytes : Buffer.from(bytes.subarray(bytes.byteLength - most));
}

function decode(bytes: Buffer): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** Without the beginning of a character that is cut at the end. */
function wholeEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(4, bytes.byteLength); back += 1) {
    const byte = bytes[bytes.byteLength - back] ?? 0;
    if (isContinuation(byte)) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.subarray(0, bytes.byteLength - back) : bytes;
  }
  return bytes;
}

/** Without the end of a character that is cut at the start. */
function wholeStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < Math.min(3, bytes.byteLength) && isContinuation(bytes[start] ?? 0)) start += 1;
  return bytes.subarray(start);
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
