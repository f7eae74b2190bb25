/** Several files that change together, or not at all. */

export interface FileChange {
  /** Relative to the project, with `/`. */
  readonly file: string;
  /** Digest of what stands there now; null: nothing. */
  readonly before: string | null;
  /** Null: the file goes. */
  readonly after: string | null;
}
