/** The edge that reads a project from disk: turnpin.yaml, scenarios, categories, requirements (architecture.md). */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import type { Mistake } from '../document/position.ts';
import { mistakeProblems, type Source } from '../document/problem.ts';
import { decodeText } from '../document/text.ts';
import { readRequirements } from '../requirements/registry.ts';
import { problem, sortProblems, type Problem } from '../verdict/problem.ts';
import { readCategories } from './categories.ts';
import { inventory, type Inventory } from './inventory.ts';
import { lintSuite } from './lint/suite.ts';
import { ParsedScenarios, PARSED } from './parsed-scenarios.ts';
import { PROJECT_FILE, readProject } from './project-file.ts';
import type { Scenario } from './scenario.ts';
import type { Suite } from './suite.ts';

/**
 * Reads everything that a project declares and says everything that is wrong with it (`turnpin lint`).
 * `root` is the absolute folder of the project; `parsed` knows the scenarios that were read before. Throws only where the disk does.
 */
export function loadSuite(root: string, parsed = new ParsedScenarios(join(root, PARSED))): Suite {
  const files = new FilesRead(root, parsed);
  const project = readProject(root, files.config(PROJECT_FILE));
  files.mistakes(PROJECT_FILE, project.mistakes);
  const { paths } = project;
  const found = inventory({ folder: paths.scenarios, files: files.below(paths.scenarios) });
  const scenarios = found.scenarios.flatMap(({ id, file }) => files.scenario(id, file));
  const categoriesAt = `${paths.scenarios}/categories.yaml`;
  const categories = readCategories(files.config(categoriesAt), topicsOf(found));
  files.mistakes(categoriesAt, categories.mistakes);
  const requirementsAt = `${paths.scenarios}/requirements.yaml`;
  const registry = readRequirements(files.config(requirementsAt));
  files.mistakes(requirementsAt, registry.mistakes);
  const parts = { scenarios, categories: categories.categories, requirements: registry.requirements };
  const linted = lintSuite({
    ...parts,
    files: new Set(found.scenarios.map(({ id }) => id)),
    textOf: files.textOf,
  });
  return Object.freeze({
    paths,
    ...parts,
    digest: files.digest(),
    problems: sortProblems([...files.problems, ...found.problems, ...linted]),
  });
}

function topicsOf(found: Inventory): ReadonlySet<string> {
  return new Set(found.scenarios.map(({ id }) => id.slice(0, id.indexOf('/'))));
}

const READ_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EISDIR: 'it is a folder, and a file is wanted',
  ENOTDIR: 'it is a file, and a folder is wanted',
  ELOOP: 'its links go in a circle',
};

/** Reads files, remembers them for the digest, and turns what is wrong with them into problems. */
class FilesRead {
  readonly problems: Problem[] = [];
  readonly #root: string;
  readonly #parsed: ParsedScenarios;
  readonly #texts = new Map<string, string>();

  constructor(root: string, parsed: ParsedScenarios) {
    this.#root = root;
    this.#parsed = parsed;
  }

  readonly textOf = (file: string): string => this.#texts.get(file) ?? '';

  /** Null where the file is missing or is no text; the latter is a problem. */
  config(file: string): string | null {
    const source: Source = { kind: 'INVALID_CONFIG', file, key: file, text: '' };
    const bytes = this.#bytes(source);
    return bytes === null ? null : this.#decode(bytes, source);
  }

  scenario(id: string, file: string): Scenario[] {
    const source: Source = { kind: 'INVALID_SCENARIO', file, key: id, text: '' };
    const bytes = this.#bytes(source);
    const text = bytes === null ? null : this.#decode(bytes, source);
    if (text === null) return [];
    const parsed = this.#parsed.parse({ text, file, id });
    if ('scenario' in parsed) return [parsed.scenario];
    this.problems.push(...parsed.problems);
    return [];
  }

  mistakes(file: string, mistakes: readonly Mistake[]): void {
    const source: Source = { kind: 'INVALID_CONFIG', file, key: file, text: this.textOf(file) };
    this.problems.push(...mistakeProblems(source, mistakes));
  }

  /** Every file below a folder, relative to the project, sorted; none where the folder is missing. */
  below(folder: string): string[] {
    const found: string[] = [];
    for (const entry of this.#entries(folder)) {
      const file = `${folder}/${entry.name}`;
      if (entry.isDirectory()) found.push(...this.below(file));
      else found.push(file);
    }
    return found.sort();
  }

  #entries(folder: string): Dirent[] {
    try {
      return readdirSync(join(this.#root, folder), { withFileTypes: true });
    } catch (error) {
      this.#unreadable(error, { kind: 'INVALID_CONFIG', file: folder, key: folder, text: '' });
      return [];
    }
  }

  digest(): string {
    const hash = createHash('sha256');
    for (const [file, text] of [...this.#texts].sort(([a], [b]) => (a < b ? -1 : 1))) {
      hash.update(JSON.stringify([file, text]));
    }
    return hash.digest('hex');
  }

  #bytes(source: Source): Uint8Array | null {
    try {
      return readFileSync(join(this.#root, source.file));
    } catch (error) {
      this.#unreadable(error, source);
      return null;
    }
  }

  /** What is missing is no mistake: everything has a default. */
  #unreadable(error: unknown, { kind, file, key }: Source): void {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    if (code === 'ENOENT') return;
    const what = READ_ERRORS[code] ?? `reading it gave ${code}`;
    this.problems.push(problem({ kind, key, file, message: `${file} cannot be read: ${what}` }));
  }

  #decode(bytes: Uint8Array, source: Source): string | null {
    const decoded = decodeText(bytes);
    if ('text' in decoded) {
      this.#texts.set(source.file, decoded.text);
      return decoded.text;
    }
    this.problems.push(...mistakeProblems(source, [decoded.mistake]));
    return null;
  }
}
