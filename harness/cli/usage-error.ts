/** A mistake on the command line. Its message says what was expected, what was found, and what to do next. */
export class UsageError extends Error {
  readonly code = 'USAGE';
  /** What the mistake is about: `--jobs`, `turns/no-such`, `chek`. */
  readonly subject: string;
  constructor(subject: string, message: string) {
    super(message);
    this.name = 'UsageError';
    this.subject = subject;
  }
}
