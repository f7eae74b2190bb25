/** A window of a text with line numbers, as `read` shows it. Pure. */
import { cutText } from './text-file.ts';

/** Most characters of one line, and of the whole window, that are shown. */
export const LONGEST_LINE = 2_000;
export const LARGEST_WINDOW = 64_000;

export interface Window {
  /** The first line, from 1. */
  readonly offset: number;
  /** Most lines. */
  readonly limit: number;
}

export interface NumberedLines {
  readonly text: string;
  /** Lines that are shown; 0 where the offset lies beyond the end. */
  readonly shown: number;
  readonly total: number;
}

/** A line feed ends a line; a carriage return before it is part of the line end. A final line end opens no new line. */
export function numberLines(text: string, { offset, limit }: Window): NumberedLines {
  const lines: string[] = [];
  let size = 0;
  let total = 0;
  let full = false;
  for (let start = 0; start < text.length;) {
    const feed = text.indexOf('\n', start);
    const end = feed === -1 ? text.length : feed;
    total += 1;
    if (total >= offset && lines.length < limit && !full) {
      const line = `${String(total).padStart(6)}\t${shorten(text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end))}`;
      size += line.length + 1;
      full = size > LARGEST_WINDOW;
      if (!full) lines.push(line);
    }
    start = end + 1;
  }
  return { text: lines.join('\n'), shown: lines.length, total };
}

function shorten(line: string): string {
  if (line.length <= LONGEST_LINE) return line;
  const kept = cutText(line, LONGEST_LINE);
  return `${kept} [${String(line.length - kept.length)} more characters]`;
}
