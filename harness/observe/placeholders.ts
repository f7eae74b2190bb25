/** Typed, numbered placeholders for what varies from run to run (pins.md, rule 5). Pure. */
import type { JsonValue } from '../scenario/scenario.ts';
import { isList, isObject } from '../subject/event-view.ts';

/** Kinds whose values are told apart by a number, given at first appearance. */
export type NumberedKind = 'session' | 'message' | 'call';

/** One value that varies. */
export interface Volatile {
  readonly raw: string;
  /** A numbered kind, or the text that always stands for this value. */
  readonly as: { readonly kind: NumberedKind } | { readonly text: string };
  /** `path`: no further name character may follow. `word`: none may stand on either side. */
  readonly edge: 'path' | 'word' | 'none';
}

/** Fields whose whole value is an id; there even a short one is replaced. */
const ID_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'callId',
  'call',
  'sessionId',
  'senderSessionId',
  'parentSession',
]);
/** An id shorter than this would be found in texts that have nothing to do with it. */
const SHORTEST_IN_TEXT = 6;

const BRACES = '{{';
const ESCAPED_BRACES = '{{{{';

/** What to look for, compiled once for a run; each text or group of texts numbers anew with its own `Normaliser`. */
export class VolatileTable {
  readonly pattern: RegExp;
  readonly #byRaw = new Map<string, Volatile>();
  readonly #dates: ReadonlySet<string>;

  /** `dates`: days as `2026-11-30`; a time or date of another day is no matter of this run and stays. */
  constructor(values: readonly Volatile[], dates: readonly string[]) {
    for (const value of values)
      if (value.raw !== '' && !this.#byRaw.has(value.raw)) this.#byRaw.set(value.raw, value);
    this.#dates = new Set(
      dates.flatMap((date) => [date, new Date(`${date}T00:00:00Z`).toUTCString().slice(0, 16)]),
    );
    this.pattern = new RegExp(this.#alternatives().join('|'), 'gu');
  }

  lookUp(raw: string): Volatile | undefined {
    return this.#byRaw.get(raw);
  }

  /** Placeholder -> value, of those that have a name and no number. */
  named(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#byRaw.values()].flatMap(({ raw, as }) => ('text' in as ? [[as.text, raw] as const] : [])),
    );
  }

  #alternatives(): readonly string[] {
    const inText = [...this.#byRaw.values()].filter(
      ({ raw, as }) => 'text' in as || raw.length >= SHORTEST_IN_TEXT,
    );
    const known = inText.sort((a, b) => b.raw.length - a.raw.length).map(bounded);
    const dates = [...this.#dates].map(escaped);
    const time = String.raw`[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?`;
    const days = dates.length === 0 ? [] : [`(?<!\\d)(?:${dates.join('|')})(?:${time})?(?!\\d)`];
    return [...known, ...days, escaped(BRACES)];
  }
}

/**
 * Replaces in one pass, longest first. The same value gives the same placeholder, different values different ones; a literal
 * `{{` is written `{{{{`, so that nothing in a text can pass for a placeholder.
 */
export class Normaliser {
  readonly #table: VolatileTable;
  readonly #given = new Map<string, string>();
  readonly #counts = new Map<NumberedKind, number>();

  constructor(table: VolatileTable) {
    this.#table = table;
  }

  text(raw: string): string {
    return raw.replace(this.#table.pattern, (found) => this.#replacement(found));
  }

  /** Every string in a JSON value, keys included. `delayMs` shows as `{{ms}}`. */
  value(raw: JsonValue, key: string | null = null): JsonValue {
    if (key === 'delayMs' && typeof raw === 'number') return '{{ms}}';
    if (typeof raw === 'string') return key !== null && ID_FIELDS.has(key) ? this.id(raw) : this.text(raw);
    if (isList(raw)) return raw.map((item) => this.value(item));
    if (!isObject(raw)) return raw;
    return Object.fromEntries(
      Object.entries(raw).map(([name, item]) => [this.text(name), this.value(item, name)]),
    );
  }

  /** A string that is an id as a whole, known or not. */
  id(raw: string): string {
    const known = this.#table.lookUp(raw);
    return known === undefined ? this.text(raw) : this.#placeholder(known);
  }

  /** Placeholder -> the value that it stands for, of those that were given out. */
  placeholders(): ReadonlyMap<string, string> {
    return new Map([...this.#given].map(([raw, placeholder]) => [placeholder, raw]));
  }

  #replacement(found: string): string {
    if (found === BRACES) return ESCAPED_BRACES;
    const known = this.#table.lookUp(found);
    if (known !== undefined) return this.#placeholder(known);
    return /\d{2}:\d{2}/.test(found) ? '{{time}}' : '{{date}}';
  }

  #placeholder({ raw, as }: Volatile): string {
    const before = this.#given.get(raw);
    if (before !== undefined) return before;
    const placeholder = 'text' in as ? as.text : `{{${as.kind}:${this.#next(as.kind)}}}`;
    this.#given.set(raw, placeholder);
    return placeholder;
  }

  #next(kind: NumberedKind): number {
    const number = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, number);
    return number;
  }
}

/** A text for people: placeholders for what varies, and braces as they are. */
export function readableText(raw: string, table: VolatileTable): string {
  return new Normaliser(table).text(raw).replaceAll(ESCAPED_BRACES, BRACES);
}

/** The raw text again, from a normalised one; the inverse of `Normaliser.text` where no time or date was replaced. */
export function restore(normal: string, placeholders: ReadonlyMap<string, string>): string {
  const longest = [...placeholders.keys()].sort((a, b) => b.length - a.length).map(escaped);
  const pattern = new RegExp([escaped(ESCAPED_BRACES), ...longest].join('|'), 'gu');
  return normal.replace(pattern, (found) =>
    found === ESCAPED_BRACES ? BRACES : (placeholders.get(found) ?? found),
  );
}

function bounded({ raw, edge }: Volatile): string {
  const text = escaped(raw);
  switch (edge) {
    case 'path':
      return `${text}(?![\\w-])`;
    case 'word':
      return `(?<!\\w)${text}(?!\\w)`;
    case 'none':
      return text;
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
