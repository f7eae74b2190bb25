/** A command that was called in a way that it cannot carry out. Exit code 2, no stack trace. */
export class UsageError extends Error {
  readonly code = 'USAGE';
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
