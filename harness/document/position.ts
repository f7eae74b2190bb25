/** Places in a file, and what is wrong at one of them. */

/** 1-based. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export const FILE_START: Position = Object.freeze({ line: 1, column: 1 });

/** Keys and list indices from the top of a document down. */
export type Path = readonly (string | number)[];

/** What a document means once the YAML around it is gone. */
export type JsonValue =
  null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** One thing that is wrong in one place, in words for the person who wrote the file. */
export interface Mistake {
  readonly position: Position;
  readonly message: string;
  /** The part of the document that it concerns, such as `steps.2.wait`; `` where that is the file itself. */
  readonly path: string;
}

/** `['expect', 'turns', 0]` as `expect.turns.0`. */
export function pathText(path: Path): string {
  return path.join('.');
}
