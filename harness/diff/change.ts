/** What changed between an expected text and an actual one, said in the way that suits the kind of file. Pure. */
import { renderRows } from './render.ts';
import { textDiff } from './text.ts';

export interface Change {
  /** One line: `1 line of 221, 3 words`. */
  readonly summary: string;
  /** Many lines, folded; cut with a notice where it would be endless. No final newline. */
  readonly diff: string;
}

/** `file` is the expected file's name: it decides how the two are compared. */
export function changeOf(_file: string, before: string, after: string): Change {
  const found = textDiff(before, after);
  if (found === null) return { summary: 'nothing', diff: '' };
  return { summary: found.summary, diff: renderRows(found.rows) };
}
