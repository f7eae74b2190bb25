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

/** For sessions without a file: the log itself is all that there is. */
export function createMemoryStore(): SessionStore {
  return {
    append: () => {},
    flush: () => Promise.resolve(),
    close: () => {},
  };
}
