/** What is wrong with a configuration, said so that its author can mend it. */

/** One fault. `line` and `column` count from 1; null where the configuration came as a value, not as a file. */
export interface ConfigProblem {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
  /** The offending line as it stands in the file. */
  readonly source: string | null;
  /** What is wrong, and what was expected. One or two sentences. */
  readonly message: string;
}

/** A configuration that cannot be used (core.md, "Prompt, tools, composition"). Names every fault, not the first alone. */
export class ConfigError extends Error {
  readonly code = 'INVALID_CONFIG';
  readonly problems: readonly ConfigProblem[];
  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(render).join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** An error about the configuration as a whole: a file that cannot be read, a value from the environment. */
export function configError(file: string, message: string): ConfigError {
  return new ConfigError([{ file, line: null, column: null, source: null, message }]);
}

function render(problem: ConfigProblem): string {
  const { file, line, column, source, message } = problem;
  if (line === null || column === null) return `${file}: ${message}`;
  const head = `${file}:${line}:${column}: ${message}`;
  if (source === null) return head;
  const gutter = String(line);
  const pointer = source.slice(0, column - 1).replace(/[^\t]/g, ' ');
  return `${head}\n  ${gutter} | ${source}\n  ${' '.repeat(gutter.length)} | ${pointer}^`;
}
