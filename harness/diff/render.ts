/** Rows of a diff as plain text (pins.md, Diffs). Pure; colours are the console's. */
import type { Row } from './text.ts';

/** One line each, line numbers aligned, no final newline. */
export function renderRows(rows: readonly Row[]): string {
  const width = Math.max(1, ...rows.map((row) => ('line' in row ? String(row.line).length : 1)));
  return rows.map((row) => renderRow(row, width)).join('\n');
}

function renderRow(row: Row, width: number): string {
  switch (row.kind) {
    case 'heading':
      return row.text;
    case 'note':
      return row.text;
    case 'fold':
      return `… ${row.count} unchanged lines`;
    case 'same':
      return numbered('', row.line, width, row.text);
    case 'removed':
      return numbered('-', row.line, width, row.text);
    case 'added':
      return numbered('+', row.line, width, row.text);
  }
}

function numbered(sign: string, line: number, width: number, text: string): string {
  return `  ${`${sign}${line}`.padStart(width + 1)}   ${text}`.trimEnd();
}
