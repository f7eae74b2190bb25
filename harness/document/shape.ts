/** A document against a zod schema: every mistake, in plain words, at its place. */
import type { z } from 'zod';
import { nearest, suggestion } from './nearest.ts';
import { pathText, type JsonValue, type Mistake, type Path } from './position.ts';
import type { YamlDocument } from './yaml.ts';

export type Shaped<T> = { readonly value: T } | { readonly mistakes: readonly [Mistake, ...Mistake[]] };

/** What helps to explain a mistake: for a key that is right in another place, that place ("under `expect`"). */
export interface ShapeHints {
  readonly elsewhere?: ReadonlyMap<string, string>;
}

type Issue = z.core.$ZodIssue;

/** Checks and types a document. Never throws. */
export function checkShape<T>(
  schema: z.ZodType<T>,
  document: YamlDocument,
  hints: ShapeHints = {},
): Shaped<T> {
  const parsed = schema.safeParse(document.value, { error: knownKeys });
  if (parsed.success) return { value: parsed.data };
  const teller = new Teller(document, hints);
  const told = parsed.error.issues.flatMap((issue) => teller.tell(issue, []));
  const [first, ...rest] = distinct(withoutEchoes(told));
  if (first === undefined) throw new Error('zod refused a value and named no issue');
  return { mistakes: [first, ...rest] };
}

/** Unknown keys are told with what would be known: one line a key, in the order of `issue.keys`. */
function knownKeys(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'unrecognized_keys') return undefined;
  const shape: unknown = (issue.inst as { _zod?: { def?: { shape?: unknown } } } | undefined)?._zod?.def
    ?.shape;
  const known = typeof shape === 'object' && shape !== null ? Object.keys(shape) : [];
  return issue.keys.map((key) => suggestion(key, known)).join('\n');
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map (key: value)',
  record: 'a map (key: value)',
  null: 'null',
};

class Teller {
  readonly #document: YamlDocument;
  readonly #hints: ShapeHints;

  constructor(document: YamlDocument, hints: ShapeHints) {
    this.#document = document;
    this.#hints = hints;
  }

  tell(issue: Issue, above: Path): Mistake[] {
    const path: Path = [
      ...above,
      ...issue.path.map((step) => (typeof step === 'number' ? step : String(step))),
    ];
    switch (issue.code) {
      case 'unrecognized_keys':
        return this.#unknownKeys(issue, path);
      case 'invalid_union':
        return this.#union(issue, path);
      case 'invalid_key':
        return [
          this.#at(
            path,
            `"${String(path.at(-1))}" cannot be a key here: ${issue.issues[0]?.message ?? issue.message}`,
            'key',
          ),
        ];
      case 'invalid_type':
        return [this.#mismatch(path, EXPECTED[issue.expected] ?? issue.expected)];
      case 'invalid_value': {
        const words = issue.values.map(String);
        const found = this.#valueAt(path);
        if (found === undefined) return [this.#missing(path)];
        return [
          typeof found === 'string'
            ? this.#at(
                path,
                `"${found}" is not allowed here${suggestion(found, words) || `; it can be ${words.join(', ')}`}`,
              )
            : this.#mismatch(path, words.length === 1 ? `"${words.join('')}"` : `one of ${words.join(', ')}`),
        ];
      }
      case 'too_small':
        return [this.#at(path, tooSmall(issue))];
      case 'too_big':
        return [this.#at(path, `at most ${String(issue.maximum)} is allowed here`)];
      default:
        return [this.#at(path, issue.message)];
    }
  }

  #unknownKeys(issue: Extract<Issue, { code: 'unrecognized_keys' }>, path: Path): Mistake[] {
    const suggestions = issue.message.split('\n');
    return issue.keys.map((key, index) => {
      const where = this.#hints.elsewhere?.get(key);
      const near = suggestions[index] ?? '';
      const hint = near.startsWith('; did you') || where === undefined ? near : `; "${key}" belongs ${where}`;
      const quoted = /[\s]/u.test(key) ? '; if this is a text with a colon, put it in quotes' : '';
      return this.#at([...path, key], `unknown key "${key}"${quoted || hint}`, 'key');
    });
  }

  /** The branch that has the value's kind explains itself; where none or several have it, the union says what it takes. */
  #union(issue: Extract<Issue, { code: 'invalid_union' }>, path: Path): Mistake[] {
    if (this.#valueAt(path) === undefined) return [this.#missing(path)];
    const fitting = issue.errors.filter(
      (branch) =>
        !branch.some(
          (one) => one.path.length === 0 && (one.code === 'invalid_type' || one.code === 'invalid_value'),
        ),
    );
    const [only] = fitting;
    if (only !== undefined && fitting.length === 1 && !this.#wasText(issue.message, only, path))
      return only.flatMap((one) => this.tell(one as Issue, path));
    return this.#misspeltWord(issue, path) ?? [this.#mismatch(path, issue.message)];
  }

  /** `Error: not found` where a text was possible: a map of which no key is known, nor nearly known. */
  #wasText(expected: string, branch: readonly z.core.$ZodIssue[], path: Path): boolean {
    const found = this.#valueAt(path);
    if (!expected.includes('a text') || typeof found !== 'object' || found === null) return false;
    const strange = branch.flatMap((one) =>
      one.code === 'unrecognized_keys' && one.path.length === 0 && !one.message.includes('did you mean')
        ? one.keys
        : [],
    );
    return strange.length > 0 && strange.length === Object.keys(found).length;
  }

  /** Where one of the branches is a list of words, and the text is nearly one of them. */
  #misspeltWord(issue: Extract<Issue, { code: 'invalid_union' }>, path: Path): Mistake[] | null {
    const found = this.#valueAt(path);
    if (typeof found !== 'string') return null;
    for (const one of issue.errors.flat()) {
      if (one.code !== 'invalid_value' || one.path.length > 0) continue;
      if (nearest(found, one.values.map(String)).length > 0) return this.tell(one as Issue, path);
    }
    return null;
  }

  #mismatch(path: Path, expected: string): Mistake {
    const found = this.#valueAt(path);
    if (found === undefined) return this.#missing(path);
    const quote = expected.includes('a text') ? this.#quoteHint(path, found) : '';
    return this.#at(path, `expected ${expected}, found ${describe(found)}${quote}`);
  }

  #quoteHint(path: Path, found: JsonValue): string {
    if (found === null) {
      return this.#document.sourceAt(path) === ''
        ? '; a text that begins with # needs quotes, and an empty one is written ""'
        : '; put it in quotes';
    }
    if (typeof found === 'number' || typeof found === 'boolean') return '; put it in quotes';
    if (Array.isArray(found)) return '; a text that begins with a bracket needs quotes';
    const [key] = Object.keys(found);
    if (key === undefined) return '; a text that begins with a brace needs quotes';
    return `; a colon and a space make a map of it, so put the whole text in quotes: "${key}: …"`;
  }

  #missing(path: Path): Mistake {
    const key = path.at(-1);
    return this.#at(
      path,
      typeof key === 'string' ? `the key "${key}" is missing` : 'something is missing here',
      'key',
    );
  }

  #at(path: Path, message: string, which: 'key' | 'value' = 'value'): Mistake {
    const position = which === 'key' ? this.#document.keyAt(path) : this.#document.valueAt(path);
    return { position, message, path: pathText(path) };
  }

  #valueAt(path: Path): JsonValue | undefined {
    let value: JsonValue | undefined = this.#document.value;
    for (const step of path) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
      value = (value as { readonly [key: string]: JsonValue })[step];
    }
    return value;
  }
}

function tooSmall(issue: Extract<Issue, { code: 'too_small' }>): string {
  if (issue.origin === 'array')
    return issue.minimum === 1 ? 'the list is empty' : `at least ${String(issue.minimum)} are needed here`;
  if (issue.origin === 'string') return 'the text is empty';
  return `at least ${String(issue.minimum)} is needed here`;
}

/** What stands there, in words. */
export function describe(value: JsonValue): string {
  if (value === null) return 'nothing';
  if (typeof value === 'number') return `the number ${String(value)}`;
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return value.length > 40 ? 'a text' : `the text "${value}"`;
  if (Array.isArray(value)) return 'a list';
  const keys = Object.keys(value);
  return keys.length === 0
    ? 'an empty map'
    : `a map with ${keys.length === 1 ? 'the key' : 'the keys'} ${keys
        .slice(0, 3)
        .map((key) => `"${key}"`)
        .join(', ')}`;
}

/** A misspelt key is missing, too; saying so adds nothing. */
function withoutEchoes(mistakes: readonly Mistake[]): Mistake[] {
  const meant = new Set(
    mistakes.flatMap(({ path, message }) => {
      const [, key] = /; did you mean "([^"]+)"/u.exec(message) ?? [];
      return key === undefined ? [] : [sibling(path, key)];
    }),
  );
  return mistakes.filter(({ path, message }) => !message.endsWith(' is missing') || !meant.has(path));
}

function sibling(path: string, key: string): string {
  const dot = path.lastIndexOf('.');
  return dot < 0 ? key : `${path.slice(0, dot)}.${key}`;
}

function distinct(mistakes: readonly Mistake[]): Mistake[] {
  const seen = new Set<string>();
  return mistakes.filter((mistake) => {
    const identity = `${mistake.path}\n${mistake.message}`;
    if (seen.has(identity)) return false;
    seen.add(identity);
    return true;
  });
}
