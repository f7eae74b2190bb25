/** What the readers of the parts of a scenario share: where things stand, and a place for what is wrong. */
import { pathText, type Mistake, type Path, type Position } from '../../document/position.ts';
import type { YamlDocument } from '../../document/yaml.ts';

export class Reading {
  readonly #document: YamlDocument;
  readonly #mistakes: Mistake[] = [];

  constructor(document: YamlDocument) {
    this.#document = document;
  }

  /** Where the value at a path begins. */
  at(path: Path): Position {
    return this.#document.valueAt(path);
  }

  /** Something at this path is wrong, although its shape is right. */
  note(path: Path, message: string): void {
    this.#mistakes.push({ position: this.#document.keyAt(path), message, path: pathText(path) });
  }

  mistakes(): readonly Mistake[] {
    return this.#mistakes;
  }
}
