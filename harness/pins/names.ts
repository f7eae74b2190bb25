/** The names of expected files and the keys of pins: the grammar of the snapshots folder (pins.md). */
import type { Driver } from '../verdict/vocabulary.ts';
import { DRIVERS } from '../verdict/vocabulary.ts';
import { HEADER_PARTS, type HeaderPart } from '../observe/observations.ts';

/** Below the folder of a subject, this topic is reserved for categories. */
export const CATEGORIES_TOPIC = 'categories';

/** The subject whose keys carry no prefix (report.md). */
export const REFERENCE_SUBJECT = 'core';

const EXTENSIONS: Readonly<Record<HeaderPart, string>> = {
  'request-header': 'json',
  'system-prompt': 'md',
  'tool-schemas': 'json',
};

/** `system-prompt.expected.md`, and with a number `system-prompt.1.expected.md`. */
export function headerFileName(part: HeaderPart, child?: number): string {
  return `${part}${child === undefined ? '' : `.${child}`}.expected.${EXTENSIONS[part]}`;
}

export const TRANSCRIPT_FILE_NAME = 'transcript.expected.yaml';

/** `wire.acp.expected.yaml`. */
export function wireFileName(driver: Driver): string {
  return `wire.${driver}.expected.yaml`;
}

/** `turns/x/transcript`; with the subject's name and a colon before it where that isn't the core. */
export function pinKey(subject: string, owner: string, pin: string): string {
  return `${subject === REFERENCE_SUBJECT ? '' : `${subject}:`}${owner}/${pin}`;
}

/** The name that was meant by a file name that is almost one of the grammar; null where it is none, or is right already. */
export function meantFileName(name: string): string | null {
  const found = /^([a-z-]+)(?:\.([a-z0-9]+))?\.expected\.([a-z]+)$/iu.exec(name);
  if (found === null) return null;
  const [, stem = '', middle] = found;
  const right = rightName(stem.toLowerCase(), middle?.toLowerCase());
  return right === null || right === name ? null : right;
}

function rightName(stem: string, middle: string | undefined): string | null {
  if (stem === 'transcript') return middle === undefined ? TRANSCRIPT_FILE_NAME : null;
  if (stem === 'wire') {
    const driver = DRIVERS.find((known) => known === middle);
    return driver === undefined ? null : wireFileName(driver);
  }
  const part = HEADER_PARTS.find((known) => known === stem);
  if (part === undefined) return null;
  if (middle === undefined) return headerFileName(part);
  const child = /^\d+$/u.test(middle) ? Number(middle) : 0;
  return child > 0 && part !== 'request-header' ? headerFileName(part, child) : null;
}
