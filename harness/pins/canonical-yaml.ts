/**
 * Is a YAML text in canonical form? Reading and writing it with the yaml package says so, and takes milliseconds; this walks
 * over the lines and says yes in microseconds, or doesn't know. The audit of hundreds of transcripts lives from it. Pure.
 */

/** True only for text that `canonicalYaml(parse(text))` gives back unchanged; false also means "look closer". */
export function isPlainlyCanonical(text: string): boolean {
  return text.endsWith('\n') && !UNUSUAL.test(text) && new Walk(text).isCanonical();
}

// Control characters but tabs, halves of a character, and white space that some readers take for a line end.
// eslint-disable-next-line no-control-regex
const UNUSUAL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\uFEFF]|\p{Surrogate}/u;
const [LINE_END, SPACE, QUOTE, DASH, COLON] = [10, 32, 34, 45, 58];
const BLANK = charactersOf(/ /);
const KEY_START = charactersOf(/[A-Za-z_]/);
const IN_KEY = charactersOf(/[A-Za-z0-9_./-]/);
const NUMBER_START = charactersOf(/[1-9]/);
const IN_NUMBER = charactersOf(/[0-9]/);
const MOST_DIGITS = 15;
const VALUE_START = charactersOf(/[A-Za-z_/(<$]/);
const IN_VALUE = charactersOf(/[A-Za-z0-9_ /.,;(){}<>$'"!?=+*&|@%[\]-]/);
const IN_QUOTES = charactersOf(/[^"\\\t\n]/);
/** What looks like a word and is none. */
const NOT_A_WORD: ReadonlySet<string> = new Set(
  ['null', 'true', 'false'].flatMap((word) => [
    word,
    word.toUpperCase(),
    `${word.charAt(0).toUpperCase()}${word.slice(1)}`,
  ]),
);
const NOT_A_STRING =
  /^(?:~|null|Null|NULL|true|True|TRUE|false|False|FALSE|[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)?$/u;
/** What a plain text may not be; the same list that decides about quotes when it is written. */
const INDICATOR = /^[\n\t ,[\]{}#&*!|>'"%@`]|^[?-]$|^[?-][ \t]|[\n:][ \t]|[ \t]\n|[\n\t ]#|[\n\t :]$/u;
const CANONICAL_VALUE =
  /^(?:null|true|false|\[\]|\{\}|0|-?[1-9][0-9]{0,14}|-?(?:0|[1-9][0-9]{0,9})\.[0-9]{0,4}[1-9])$/u;
const BLOCK_TEXT = /^\|(2?)(-?)$/;

const LONGEST_WORD = 5;
const LIST = -1;
/** Maps with more keys are looked at more closely. */
const MOST_KEYS = 64;

/** Goes over the characters once: no line and no value is cut out that is like nearly all of them. */
class Walk {
  readonly #text: string;
  /** Of each map or list that is open: the column at which its lines begin, and where the keys of a map do; `LIST` for a list. */
  readonly #columns: number[] = [];
  readonly #starts: number[] = [];
  /** Of all open maps, the innermost last. */
  readonly #keys: string[] = [];
  /** Column at which the value of the last key has to begin; null where it has one. */
  #due: number | null = 0;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isCanonical(): boolean {
    while (this.#at < this.#text.length) if (!this.#line()) return false;
    return this.#due === null;
  }

  #line(): boolean {
    const start = this.#at;
    const indent = this.#skip(BLANK, start) - start;
    const column = this.#behindDashes(start + indent) - start;
    const isItem = column > indent;
    if (!this.#resumes(indent, isItem)) return false;
    for (let inner = indent + 2; inner < column; inner += 2) this.#opens(inner, true);
    const colon = this.#endOfKey(start + column);
    if (colon === null) return isItem && this.#value(start + column, column);
    if (isItem) this.#opens(column, false);
    if (!this.#takesKey(this.#text.slice(start + column, colon))) return false;
    if (this.#text.charCodeAt(colon + 1) !== LINE_END) return this.#value(colon + 2, column + 2);
    this.#at = colon + 2;
    this.#due = column + 2;
    return true;
  }

  #opens(column: number, isList: boolean): void {
    this.#columns.push(column);
    this.#starts.push(isList ? LIST : this.#keys.length);
  }

  #closes(): void {
    this.#columns.pop();
    const start = this.#starts.pop() ?? LIST;
    if (start !== LIST) this.#keys.length = start;
  }

  /** Closes what ends before a line of this indentation, and opens what begins with it. */
  #resumes(indent: number, isItem: boolean): boolean {
    if (this.#due !== null) {
      if (this.#due !== indent) return false;
      this.#due = null;
      this.#opens(indent, isItem);
      return true;
    }
    while ((this.#columns.at(-1) ?? 0) > indent) this.#closes();
    return this.#columns.at(-1) === indent && (this.#starts.at(-1) === LIST) === isItem;
  }

  #takesKey(key: string): boolean {
    const start = this.#starts.at(-1) ?? LIST;
    if (start === LIST || this.#keys.length - start === MOST_KEYS) return false;
    if (this.#keys.includes(key, start) || NOT_A_WORD.has(key)) return false;
    this.#keys.push(key);
    return true;
  }

  /** The first place that is none of these characters. */
  #skip(these: Uint8Array, from: number): number {
    const text = this.#text;
    let at = from;
    while (these[text.charCodeAt(at)] === 1) at += 1;
    return at;
  }

  #behindDashes(from: number): number {
    let at = from;
    while (this.#text.charCodeAt(at) === DASH && this.#text.charCodeAt(at + 1) === SPACE) at += 2;
    return at;
  }

  /** The colon of `key:` or `key: value`; null for anything else. */
  #endOfKey(from: number): number | null {
    if (KEY_START[this.#text.charCodeAt(from)] !== 1) return null;
    const end = this.#skip(IN_KEY, from);
    if (this.#text.charCodeAt(end) !== COLON) return null;
    const next = this.#text.charCodeAt(end + 1);
    if (next === LINE_END) return end;
    if (next !== SPACE) return null;
    const first = this.#text.charCodeAt(end + 2);
    return first === SPACE || first === LINE_END ? null : end;
  }

  /** The end of a value that can be nothing else: words, a whole number, or a placeholder in quotes; null for any other. */
  #endOfUsual(from: number): number | null {
    const first = this.#text.charCodeAt(from);
    if (NUMBER_START[first] === 1) {
      const end = this.#skip(IN_NUMBER, from);
      return end - from <= MOST_DIGITS && this.#text.charCodeAt(end) === LINE_END ? end : null;
    }
    if (first === QUOTE && this.#text.startsWith('{{', from + 1)) {
      const end = this.#skip(IN_QUOTES, from + 1);
      return this.#text.charCodeAt(end) === QUOTE && this.#text.charCodeAt(end + 1) === LINE_END
        ? end + 1
        : null;
    }
    if (VALUE_START[first] !== 1) return null;
    const end = this.#skip(IN_VALUE, from);
    if (this.#text.charCodeAt(end) !== LINE_END || this.#text.charCodeAt(end - 1) === SPACE) return null;
    return end - from <= LONGEST_WORD && NOT_A_WORD.has(this.#text.slice(from, end)) ? null : end;
  }

  /** `column`: where the lines of a block text begin. */
  #value(from: number, column: number): boolean {
    const usual = this.#endOfUsual(from);
    const end = usual ?? this.#text.indexOf('\n', from);
    this.#at = end + 1;
    if (usual !== null) return true;
    const rest = this.#text.slice(from, end);
    const block = BLOCK_TEXT.exec(rest);
    if (block !== null)
      return this.#blockText(column, { stripped: block[2] === '-', indented: block[1] === '2' });
    if (rest === '' || rest.includes('\t')) return false;
    if (CANONICAL_VALUE.test(rest)) return true;
    const [quote] = rest;
    if (quote === '"') return isDoubleQuoted(rest);
    if (quote === "'") return isSingleQuoted(rest);
    return !INDICATOR.test(rest) && !NOT_A_STRING.test(rest) && /^[\p{L}0-9_/(<$.]/u.test(rest);
  }

  /** `stripped`: without a line end at its end. `indented`: its first line begins with a blank, so that the indentation had to be said. */
  #blockText(
    column: number,
    { stripped, indented }: { readonly stripped: boolean; readonly indented: boolean },
  ): boolean {
    const lines = blockLines(column);
    lines.lastIndex = this.#at;
    const text = lines.exec(this.#text)?.[0] ?? '';
    this.#at += text.length;
    // An empty line is written without white space.
    if (text === '' || /^ +$/m.test(text)) return false;
    const first = text.slice(0, text.indexOf('\n'));
    const last = text.slice(text.lastIndexOf('\n', text.length - 2) + 1, -1);
    const begins = (first[column] === ' ') === indented && first.trim() !== '';
    const ends = last.trim() !== '' && (stripped || !last.endsWith(' '));
    return begins && ends && (!stripped || first.length + 1 < text.length);
  }
}

/** Lines that are indented at least so far, and empty ones. */
function blockLines(column: number): RegExp {
  return (BLOCK_LINES[column] ??= new RegExp(`(?: {${String(column)}}.*\\n|\\n)*`, 'y'));
}
const BLOCK_LINES: RegExp[] = [];

/** By code, 1 for each ASCII character that the expression takes. */
function charactersOf(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
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
