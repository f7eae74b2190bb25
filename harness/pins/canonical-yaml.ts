/**
 * Is a YAML text in canonical form? Reading and writing it with the yaml package says so, and takes milliseconds; this walk
 * over the lines says yes in microseconds, or doesn't know. The audit of hundreds of transcripts lives from it. Pure.
 */

/** True only for text that `canonicalYaml(parse(text))` gives back unchanged; false also means "look closer". */
export function isPlainlyCanonical(text: string): boolean {
  return text.endsWith('\n') && !UNUSUAL.test(text) && isStructured(text.split('\n'));
}

// Control characters but tabs, halves of a character, and white space that some readers take for a line end.
// eslint-disable-next-line no-control-regex
const UNUSUAL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\uFEFF]|\p{Surrogate}/u;
/** Blanks, dashes, a key with its colon, and the rest. */
const LINE =
  /^(?<blanks>(?: {2})*)(?<dashes>(?:- )*)(?:(?<key>[A-Za-z_][A-Za-z0-9_./-]*):(?: (?=[^ ])|$))?(?<value>.*)$/;
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

const LIST = -1;
/** Maps with more keys are looked at more closely. */
const MOST_KEYS = 64;

/** A line that is canonical by itself. A level is two blanks of indentation. */
interface Line {
  readonly level: number;
  /** Level of what stands behind its dashes; its own where it has none. */
  readonly inner: number;
  readonly key: string | null;
  /** Its value begins on the next line. */
  readonly opens: boolean;
  /** Its value is the text on the lines below. */
  readonly block: BlockText | null;
}

interface BlockText {
  /** Without a line end at its end. */
  readonly stripped: boolean;
  /** Its first line begins with a blank, so that the indentation had to be said. */
  readonly indented: boolean;
}

/**
 * Lines by their text, null for one that is not plainly canonical. Nearly nine in ten lines of a suite stand elsewhere too, and
 * code that has hardly run is slow with characters.
 */
const KNOWN = new Map<string, Line | null>();
const MOST_KNOWN = 10_000;

function lineOf(text: string): Line | null {
  const line = readLine(text);
  if (KNOWN.size === MOST_KNOWN) KNOWN.clear();
  KNOWN.set(text, line);
  return line;
}

function readLine(text: string): Line | null {
  const { blanks = '', dashes = '', key = null, value = '' } = LINE.exec(text)?.groups ?? {};
  if (key === null ? dashes === '' : NOT_A_WORD.has(key)) return null;
  const opens = key !== null && value === '';
  const block = BLOCK_TEXT.exec(value);
  if (!opens && block === null && !isValue(value)) return null;
  const level = blanks.length / 2;
  return {
    level,
    inner: level + dashes.length / 2,
    key,
    opens,
    block: block === null ? null : { stripped: block[2] === '-', indented: block[1] === '2' },
  };
}

function isValue(text: string): boolean {
  if (text === '' || text.includes('\t')) return false;
  if (CANONICAL_VALUE.test(text)) return true;
  if (text.startsWith('"')) return isDoubleQuoted(text);
  if (text.startsWith("'")) return isSingleQuoted(text);
  return !INDICATOR.test(text) && !NOT_A_STRING.test(text) && /^[\p{L}0-9_/(<$.]/u.test(text);
}

/** Does each line stand where it may? What follows the last line end is no line. */
function isStructured(lines: readonly string[]): boolean {
  const end = lines.length - 1;
  // By level, of what is open there: where the keys of a map begin; `LIST` for a list.
  const starts: number[] = [];
  // Of all open maps, the innermost last.
  const keys: string[] = [];
  let depth = 0;
  // The level at which the value of the last key has to begin; null where it has one.
  let due: number | null = 0;
  for (let at = 0; at < end; at += 1) {
    const text = lines[at] ?? '';
    const line = KNOWN.get(text) ?? lineOf(text);
    if (line === null) return false;
    const { level, inner, key, block } = line;
    const isItem = inner > level;
    if (due === null) {
      if (level >= depth) return false;
      for (; depth > level + 1; depth -= 1) {
        const start = starts[depth - 1] ?? LIST;
        if (start !== LIST) keys.length = start;
      }
      if ((starts[level] === LIST) !== isItem) return false;
    } else {
      if (level !== due) return false;
      starts[level] = isItem ? LIST : keys.length;
      due = null;
    }
    for (depth = level + 1; depth < inner; depth += 1) starts[depth] = LIST;
    if (key !== null) {
      if (isItem) starts[inner] = keys.length;
      depth = inner + 1;
      const start = starts[inner] ?? 0;
      if (keys.length - start === MOST_KEYS || keys.includes(key, start)) return false;
      keys.push(key);
      if (line.opens) due = depth;
    }
    if (block !== null) {
      const column = 2 * (key === null ? inner : inner + 1);
      const margin = ' '.repeat(column);
      const first = at + 1;
      while (at + 1 < end && isWithin(lines[at + 1] ?? '', margin)) at += 1;
      if (!isCanonicalBlock(lines.slice(first, at + 1), column, block)) return false;
    }
  }
  return due === null;
}

function isWithin(line: string, margin: string): boolean {
  return line === '' || line.startsWith(margin);
}

function isCanonicalBlock(
  lines: readonly string[],
  column: number,
  { stripped, indented }: BlockText,
): boolean {
  const [first, last] = [lines[0], lines.at(-1)];
  if (first === undefined || last === undefined) return false;
  // An empty line is written without white space.
  if (lines.some((line) => line !== '' && line.trim() === '')) return false;
  const begins = (first[column] === ' ') === indented && first !== '';
  const ends = last !== '' && (stripped || !last.endsWith(' '));
  return begins && ends && (!stripped || lines.length > 1);
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
