/** Reading text files within bounds. */
import type { FileHandle } from 'node:fs/promises';
import { ToolError } from './tool.ts';

/** The largest file that `read` and `edit` take on: 10 MiB. */
export const LARGEST_FILE = 10 * 1024 * 1024;

/** A NUL byte this early makes a file binary. */
const PROBE = 8 * 1024;

/** The bytes of a text file. Rejects with `ToolError` `FILE_TOO_LARGE` or `BINARY_FILE`. */
export async function readTextBytes(file: FileHandle, given: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  // One byte more than allowed tells a file that is too large, also one whose size the system does not know.
  for await (const piece of file.createReadStream({ start: 0, end: LARGEST_FILE, autoClose: false })) {
    pieces.push(piece as Buffer);
  }
  const bytes = Buffer.concat(pieces);
  if (bytes.byteLength > LARGEST_FILE) {
    throw new ToolError(
      'FILE_TOO_LARGE',
      `${given} is larger than 10 MiB. Look at parts of it in the shell, with grep, head, tail or sed.`,
    );
  }
  if (bytes.subarray(0, PROBE).includes(0)) {
    throw new ToolError('BINARY_FILE', `${given} is a binary file. Only text can be shown or edited.`);
  }
  return bytes;
}

/** Cuts `text` to at most `most` UTF-16 units without splitting a character. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}
