/** What stands below the snapshots folder, as read once at the start. Pure. */
import type { DiskFile } from './contract.ts';
import { conflictMarkers } from '../document/conflict-markers.ts';
import { canonicalText, digestOf, plainText } from './expected-file.ts';
import { splitTranscript } from './transcript-file.ts';

export interface ExpectedFile {
  readonly file: string;
  /** Null: no UTF-8. A byte order mark and the line ends are kept. */
  readonly text: string | null;
}

/** The files by name. */
export class Disk {
  readonly #files: ReadonlyMap<string, DiskFile>;
  readonly #canonical = new Map<string, { readonly text: string | null; readonly isCanonical: boolean }>();

  constructor(files: readonly DiskFile[]) {
    this.#files = new Map(files.map((file) => [file.file, file]));
  }

  has(file: string): boolean {
    return this.#files.has(file);
  }

  get(file: string): ExpectedFile | null {
    const found = this.#files.get(file);
    if (found === undefined) return null;
    return { file, text: typeof found.content === 'string' ? found.content : null };
  }

  /** Of the bytes; null where there is no such file. */
  digest(file: string): string | null {
    const found = this.#files.get(file);
    return found === undefined ? null : digestOf(found.content);
  }

  /**
   * The text to compare live values with: canonical, so that a file that is only badly formatted is NON_CANONICAL and not
   * changed as well; as it stands where it has no canonical form. Null: no such file.
   */
  expected(file: string): string | null {
    return this.#read(file).text;
  }

  /**
   * Does it say something that live values can be held against? Not where it is empty, in conflict, no UTF-8, no JSON or YAML,
   * or has a section that nobody reads: the audit refuses such a file, and it is compared with nothing.
   */
  isComparable(file: string): boolean {
    const { text, isCanonical } = this.#read(file);
    if (text === null || !isCanonical) return false;
    return !isTranscript(file) || splitTranscript(text).rest === '';
  }

  #read(file: string): { readonly text: string | null; readonly isCanonical: boolean } {
    const known = this.#canonical.get(file);
    if (known !== undefined) return known;
    const found = this.get(file);
    const canonical = found === null || found.text === null ? null : canonicalText(file, found.text);
    const read = {
      text: canonical ?? (found === null ? null : (found.text ?? '')),
      isCanonical: canonical !== null,
    };
    this.#canonical.set(file, read);
    return read;
  }

  /** Does a merge conflict stand in it? Somebody has to choose first; until then it is compared with nothing. */
  isInConflict(file: string): boolean {
    const text = this.get(file)?.text ?? null;
    return text !== null && conflictMarkers(plainText(text)).length > 0;
  }

  /** Would writing the canonical form change the file, and is there one? */
  reformats(file: string): boolean {
    const found = this.get(file);
    return (
      found !== null &&
      found.text !== null &&
      canonicalText(file, found.text) !== null &&
      this.expected(file) !== found.text
    );
  }

  /** Is the file's text this one, byte for byte or in canonical form? Cheap where it is. */
  says(file: string, text: string): boolean {
    return this.get(file)?.text === text || this.expected(file) === text;
  }
}

/** Is it the file of a scenario's transcript, which has sections? */
export function isTranscript(file: string): boolean {
  return file.endsWith('/transcript.expected.yaml');
}
