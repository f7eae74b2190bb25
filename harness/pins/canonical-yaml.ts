/**
 * Is a YAML text in canonical form? Reading and writing it with the yaml package says so, and takes milliseconds; this walks
 * over the lines and says yes in microseconds, or doesn't know. The audit of hundreds of transcripts lives from it. Pure.
 */

/** True only for text that `canonicalYaml(parse(text))` gives back unchanged; false also means "look closer". */
export function isPlainlyCanonical(text: string): boolean {
  if (!text.endsWith('\n') || UNUSUAL.test(text)) return false;
  const walk = new Walk(text.slice(0, -1).split('\n'));
  return walk.block(0) && walk.done;
}

// Control characters but tabs, halves of a character, and white space that some readers take for a line end.
// eslint-disable-next-line no-control-regex
const UNUSUAL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\uFEFF]|\p{Surrogate}/u;
const KEY = /^[A-Za-z_][A-Za-z0-9_./-]*$/;
const NOT_A_STRING =
  /^(?:~|null|Null|NULL|true|True|TRUE|false|False|FALSE|[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)?$/u;
/** What a plain text may not be; the same list that decides about quotes when it is written. */
const INDICATOR = /^[\n\t ,[\]{}#&*!|>'"%@`]|^[?-]$|^[?-][ \t]|[\n:][ \t]|[ \t]\n|[\n\t ]#|[\n\t :]$/u;
const CANONICAL_VALUE =
  /^(?:null|true|false|\[\]|\{\}|0|-?[1-9][0-9]{0,14}|-?(?:0|[1-9][0-9]{0,9})\.[0-9]{0,4}[1-9])$/u;

class Walk {
  readonly #lines: readonly string[];
  /** Column at which what is left of each line begins: after its indentation, and after the dashes that were read. */
  readonly #indents: number[];
  #at = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
    this.#indents = lines.map(indentOf);
  }

  get done(): boolean {
    return this.#at === this.#lines.length;
  }

  /** A map or a list whose lines begin at this column. */
  block(column: number): boolean {
    const line = this.#lines[this.#at];
    if (line === undefined || this.#indents[this.#at] !== column) return false;
    return line.startsWith('- ', column) ? this.#list(column) : this.#map(column);
  }

  #list(column: number): boolean {
    for (;;) {
      const line = this.#lines[this.#at];
      const indent = this.#indents[this.#at];
      if (line === undefined || indent === undefined || indent < column) return true;
      if (indent !== column || !line.startsWith('- ', column)) return false;
      const rest = line.slice(column + 2);
      if (rest.startsWith('- ') || keyOf(rest) !== null) {
        this.#indents[this.#at] = column + 2;
        if (!this.block(column + 2)) return false;
      } else if (!this.#value(rest, column)) return false;
    }
  }

  #map(column: number): boolean {
    const keys = new Set<string>();
    for (;;) {
      const line = this.#lines[this.#at];
      const indent = this.#indents[this.#at];
      if (line === undefined || indent === undefined || indent < column) return true;
      if (indent !== column) return false;
      const entry = line.slice(column);
      const key = keyOf(entry);
      if (key === null || keys.has(key) || NOT_A_STRING.test(key)) return false;
      keys.add(key);
      if (entry.length === key.length + 1) {
        this.#at += 1;
        if (!this.block(column + 2)) return false;
      } else if (!this.#value(entry.slice(key.length + 2), column)) return false;
    }
  }

  #value(rest: string, column: number): boolean {
    this.#at += 1;
    const block = /^\|(?<indented>2?)(?<stripped>-?)$/u.exec(rest)?.groups;
    if (block !== undefined)
      return this.#blockText(column + 2, {
        fewest: block['stripped'] === '-' ? 2 : 1,
        indented: block['indented'] === '2',
      });
    if (rest.includes('\t')) return false;
    if (CANONICAL_VALUE.test(rest)) return true;
    const [quote] = rest;
    if (quote === '"') return isDoubleQuoted(rest);
    if (quote === "'") return isSingleQuoted(rest);
    return !INDICATOR.test(rest) && !NOT_A_STRING.test(rest) && /^[\p{L}0-9_/(<$.]/u.test(rest);
  }

  /** `indented`: its first line begins with a blank, so that the indentation had to be said. */
  #blockText(
    column: number,
    { fewest, indented }: { readonly fewest: number; readonly indented: boolean },
  ): boolean {
    const start = this.#at;
    while (this.#at < this.#lines.length) {
      const line = this.#lines[this.#at] ?? '';
      const indent = this.#indents[this.#at] ?? 0;
      if (line !== '' && indent < column) break;
      if (line !== '' && indent === line.length) return false; // White space alone: an empty line is written without.
      this.#at += 1;
    }
    const first = this.#lines[start] ?? '';
    const last = this.#lines[this.#at - 1] ?? '';
    const begins = first.length > column && (first[column] === ' ') === indented && first.trim() !== '';
    return this.#at - start >= fewest && begins && last.trim() !== '' && !(fewest === 1 && / $/u.test(last));
  }
}

/** The key of `key:` or `key: value`; null for anything else. */
function keyOf(entry: string): string | null {
  const colon = entry.indexOf(':');
  if (colon < 1) return null;
  const more = entry.length > colon + 1;
  if (more && (entry[colon + 1] !== ' ' || entry.length < colon + 3 || entry[colon + 2] === ' ')) return null;
  const key = entry.slice(0, colon);
  return KEY.test(key) ? key : null;
}

function indentOf(line: string): number {
  let column = 0;
  while (line[column] === ' ') column += 1;
  return column;
}

function wantsQuotes(value: string): boolean {
  return NOT_A_STRING.test(value) || INDICATOR.test(value);
}

function isDoubleQuoted(source: string): boolean {
  const inside = source.slice(1, -1);
  if (source.length > 1 && source.endsWith('"') && !inside.includes('\\') && !inside.includes('"')) {
    return wantsQuotes(inside);
  }
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    return false;
  }
  if (typeof value !== 'string' || value.includes('\n') || JSON.stringify(value) !== source) return false;
  return wantsQuotes(value) && (!value.includes('"') || value.includes("'")) && !/\\u/u.test(source);
}

function isSingleQuoted(source: string): boolean {
  const value = source.slice(1, -1);
  if (source.length < 3 || !source.endsWith("'") || value.includes("'")) return false;
  return value.includes('"') && wantsQuotes(value);
}
