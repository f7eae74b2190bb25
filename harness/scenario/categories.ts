/** Text of categories.yaml -> compositions of the agent, with what they inherit merged in (pins.md, "Category"). Pure. */
import { suggestion } from '../document/nearest.ts';
import { FILE_START, pathText, type JsonValue, type Mistake, type Path } from '../document/position.ts';
import { checkShape } from '../document/shape.ts';
import { readYaml, type YamlDocument } from '../document/yaml.ts';
import type { Category } from './scenario.ts';
import { CONVERSATION_NAME } from './schema/parts.ts';
import { categoriesFile, type RawCategories } from './schema/project.ts';

export type ReadCategories = {
  readonly categories: ReadonlyMap<string, Category>;
  readonly mistakes: readonly Mistake[];
};

/** A topic may not be called that: `snapshots/<subject>/categories/` holds the categories' pins. */
export const RESERVED_TOPIC = 'categories';

type Overlay = { readonly [key: string]: JsonValue };
type RawCategory = NonNullable<RawCategories[string]>;

const PLAIN: Category = Object.freeze({
  name: 'base',
  extends: null,
  agent: Object.freeze({}),
  headers: Object.freeze({ varying: Object.freeze([]) }),
  position: FILE_START,
});

/** `base` exists in every project, also where no file names it. `topics` are the folders of the scenarios. */
export function readCategories(text: string | null, topics: ReadonlySet<string>): ReadCategories {
  if (text === null) return { categories: new Map([['base', PLAIN]]), mistakes: [] };
  const read = readYaml(text);
  if ('mistakes' in read) return { categories: new Map([['base', PLAIN]]), mistakes: read.mistakes };
  const shaped = checkShape(categoriesFile, read.document);
  if ('mistakes' in shaped) return { categories: new Map([['base', PLAIN]]), mistakes: shaped.mistakes };
  return new Inheritance(shaped.value, read.document).resolve(topics);
}

class Inheritance {
  readonly #raw: RawCategories;
  readonly #document: YamlDocument;
  readonly #mistakes: Mistake[] = [];
  readonly #resolved = new Map<string, Category>();

  constructor(raw: RawCategories, document: YamlDocument) {
    this.#raw = raw;
    this.#document = document;
  }

  resolve(topics: ReadonlySet<string>): ReadCategories {
    for (const name of Object.keys(this.#raw)) {
      this.#checkName(name, topics);
      this.#category(name, []);
    }
    const categories = new Map<string, Category>([
      ...(Object.hasOwn(this.#raw, 'base') ? [] : [['base', PLAIN] as const]),
    ]);
    for (const name of Object.keys(this.#raw)) {
      const category = this.#resolved.get(name);
      if (category !== undefined) categories.set(name, category);
    }
    return { categories, mistakes: this.#mistakes };
  }

  #checkName(name: string, topics: ReadonlySet<string>): void {
    if (!CONVERSATION_NAME.test(name)) {
      this.#note(
        [name],
        `"${name}" cannot be the name of a category: small letters, digits and hyphens, a letter first`,
      );
    } else if (name === RESERVED_TOPIC) {
      this.#note(
        [name],
        `a category may not be called "${RESERVED_TOPIC}"; the folder of that name holds them all`,
      );
    } else if (topics.has(name)) {
      this.#note(
        [name],
        `"${name}" is also a folder of scenarios, so that "${name}/…" would mean two things; rename the category`,
      );
    }
  }

  #category(name: string, below: readonly string[]): Category {
    const known = this.#resolved.get(name);
    if (known !== undefined) return known;
    const raw: RawCategory = this.#raw[name] ?? {};
    const parent = this.#parent(name, raw, [...below, name]);
    const varying = new Set([
      ...(parent?.headers.varying ?? []),
      ...(raw.headers?.varying ?? []).map((one) => one.toLowerCase()),
    ]);
    const category: Category = Object.freeze({
      name,
      extends: parent === null ? null : parent.name,
      agent: mergeOverlays(parent?.agent ?? {}, raw.agent ?? {}),
      headers: Object.freeze({ varying: Object.freeze([...varying]) }),
      position: this.#document.keyAt([name]),
    });
    this.#resolved.set(name, category);
    return category;
  }

  #parent(name: string, raw: RawCategory, chain: readonly string[]): Category | null {
    const parent = raw.extends;
    if (parent === undefined) return null;
    if (chain.includes(parent)) {
      const circle = [...chain.slice(chain.indexOf(parent)), parent];
      this.#note([name, 'extends'], `the categories extend one another in a circle: ${circle.join(' -> ')}`);
      return null;
    }
    if (Object.hasOwn(this.#raw, parent)) return this.#category(parent, chain);
    if (parent === 'base') return PLAIN;
    this.#note(
      [name, 'extends'],
      `there is no category "${parent}" to extend${suggestion(parent, Object.keys(this.#raw))}`,
    );
    return null;
  }

  #note(path: Path, message: string): void {
    this.#mistakes.push({ position: this.#document.keyAt(path), message, path: pathText(path) });
  }
}

/** Maps are merged key by key; everything else in `above` replaces what stands below it. */
export function mergeOverlays(below: Overlay, above: Overlay): Overlay {
  const merged: { [key: string]: JsonValue } = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const old = Object.hasOwn(merged, key) ? merged[key] : undefined;
    merged[key] = isMap(old) && isMap(value) ? mergeOverlays(old, value) : value;
  }
  return Object.freeze(merged);
}

function isMap(value: JsonValue | undefined): value is Overlay {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
