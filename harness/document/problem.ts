/** Mistakes in a file -> problems of the report, with the offending line shown. */
import { problem, type Problem } from '../verdict/problem.ts';
import type { Kind } from '../verdict/vocabulary.ts';
import type { Mistake } from './position.ts';

/** The file that mistakes are in, and what its problems are called. */
export interface Source {
  readonly kind: Extract<Kind, 'INVALID_SCENARIO' | 'INVALID_CONFIG' | 'INVALID_MANIFEST'>;
  /** Relative to the project, with `/`. */
  readonly file: string;
  /** First part of the problem's key: a scenario's id, or the file's name. */
  readonly key: string;
  readonly text: string;
}

/** One problem for each mistake: what is wrong, then the line itself with a caret below the column. */
export function mistakeProblems(source: Source, mistakes: readonly Mistake[]): Problem[] {
  const lines = source.text.split('\n');
  return mistakes.map((mistake) => {
    const { line, column } = mistake.position;
    return problem({
      kind: source.kind,
      key: mistake.path === '' ? source.key : `${source.key}/${mistake.path}`,
      file: source.file,
      line,
      column,
      message: `${mistake.message}${excerpt(lines[line - 1], line, column)}`,
    });
  });
}

const WIDEST = 100;

function excerpt(source: string | undefined, line: number, column: number): string {
  if (source === undefined || source.trim() === '') return '';
  const text = source.replace(/\r$/u, '').replaceAll('\t', '→');
  const from = column > WIDEST - 20 ? column - 40 : 0;
  const shown = `${from > 0 ? '…' : ''}${text.slice(from, from + WIDEST)}${text.length > from + WIDEST ? '…' : ''}`;
  const gutter = `  ${String(line)} | `;
  const caret = ' '.repeat(gutter.length + column - 1 - from + (from > 0 ? 1 : 0));
  return `\n${gutter}${shown}\n${caret}^`;
}
