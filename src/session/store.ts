/** Where a session's lines go. The checkpoint is `flush()` (core.md, "Store"). */

export interface SessionStore {
  /**
   * Takes one line, without its newline. Never throws: what could not be written is reported by the next `flush()` and
   * written, in order, before anything later.
   */
  append(line: string): void;
  /**
   * Everything appended before the call is durable when this resolves. Rejects with the reason where it is not.
   */
  flush(): Promise<void>;
  /** Lets go of the file without flushing. Idempotent; later appends go nowhere. */
  close(): void;
}

/** A store in memory, for sessions without a file. `lines` are all lines so far. */
export interface MemoryStore extends SessionStore {
  readonly lines: readonly string[];
}

export function createMemoryStore(): MemoryStore {
  const lines: string[] = [];
  return {
    lines,
    append: (line) => void lines.push(line),
    flush: () => Promise.resolve(),
    close: () => {},
  };
}
