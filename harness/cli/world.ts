/** What the command line may touch of the process around it; the tests of a command hand in another. */

export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Width of the terminal; something sensible where there is none. */
  columns(): number;
}

export interface World {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborted by Ctrl-C and by SIGTERM. */
  readonly interrupt: AbortSignal;
  /** Rejects with what was thrown where nobody could catch it; never resolves. */
  readonly fault: Promise<never>;
  readonly now: () => Date;
  /** Milliseconds from some fixed point, never running backwards. */
  readonly ticks: () => number;
  /** Version of turnpin itself. */
  readonly turnpin: string;
}
