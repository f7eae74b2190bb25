/** What must hold of a file's bytes before anybody reads a word of it. */
import type { Mistake, Position } from './position.ts';

/** Larger files are refused: nobody reviews them, and every parser slows down on them. */
export const LARGEST_FILE = 2 * 1024 * 1024;

export type Decoded = { readonly text: string } | { readonly mistake: Mistake };

/**
 * Bytes to text. Windows line ends become `\n`, so that a file means the same on every machine.
 * Refused by name: a byte order mark, bytes that are no UTF-8, lone carriage returns, control characters, huge files.
 */
export function decodeText(bytes: Uint8Array): Decoded {
  if (bytes.length > LARGEST_FILE) {
    return refuse(
      { line: 1, column: 1 },
      `the file is larger than ${String(LARGEST_FILE / 1024)} KiB; split it up`,
    );
  }
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return refuse(
      { line: 1, column: 1 },
      'the file begins with a byte order mark (BOM); save it as "UTF-8" without BOM',
    );
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse(
      firstBadByte(bytes),
      'these bytes are not UTF-8 text; save the file with the encoding UTF-8',
    );
  }
  return checkText(text);
}

/** The same for text that is already decoded. */
export function checkText(source: string): Decoded {
  const text = source.replaceAll('\r\n', '\n');
  if (text.startsWith('\uFEFF')) {
    return refuse({ line: 1, column: 1 }, 'the text begins with a byte order mark (BOM); remove it');
  }
  // eslint-disable-next-line no-control-regex
  const control = /[\u0000-\u0008\u000b-\u001f\u007f]/u.exec(text);
  if (control === null) return { text };
  const code = control[0].charCodeAt(0);
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return refuse(
    positionIn(text, control.index),
    code === 13
      ? 'a carriage return stands here without a line feed; save the file with LF line ends'
      : `the control character ${name} stands here; inside double quotes write "\\x${code.toString(16).padStart(2, '0')}"`,
  );
}

/** Line and column of an offset. */
export function positionIn(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const newline = before.lastIndexOf('\n');
  return { line: before.split('\n').length, column: offset - newline };
}

function refuse(position: Position, message: string): Decoded {
  return { mistake: { position, message, path: '' } };
}

/** Line by line, because a line end can never be part of another character in UTF-8. */
function firstBadByte(bytes: Uint8Array): Position {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline;
    try {
      decoder.decode(bytes.subarray(start, end));
    } catch {
      return { line, column: 1 };
    }
    start = end + 1;
  }
  return { line, column: 1 };
}
