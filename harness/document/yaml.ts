/** YAML text -> one document with positions. Everything that would make two readers see two things is refused by name. */
import { LineCounter, parseAllDocuments, type Document, type YAMLError } from 'yaml';
import { conflictMarkers } from './conflict-markers.ts';
import { convert, type Entry } from './conversion.ts';
import { tooDeepAt } from './nesting.ts';
import { FILE_START, type JsonValue, type Mistake, type Path, type Position } from './position.ts';
import { checkText, positionIn } from './text.ts';
import { inPlainWords } from './yaml-errors.ts';

const TOO_DEEP = 'brackets or lists are nested too deeply here to be read; is one never closed?';

/** A file that was read without mistakes. */
export interface YamlDocument {
  readonly value: JsonValue;
  /** Where the value at this path begins; where it is missing, the nearest thing around it. */
  readonly valueAt: (path: Path) => Position;
  /** Where the key (or list item) at this path begins; where it is missing, the nearest thing around it. */
  readonly keyAt: (path: Path) => Position;
  /** The same for a dotted path such as `expect.files.notes.txt.is`, whose keys may have dots themselves. */
  readonly placeOf: (dotted: string) => Position;
  /** How the value was written: a text that only looks like a number has its quotes. */
  readonly sourceAt: (path: Path) => string;
}

export type YamlReading =
  { readonly document: YamlDocument } | { readonly mistakes: readonly [Mistake, ...Mistake[]] };

/** Reads one YAML 1.2 document. Never throws; all mistakes that can be told apart are collected. */
export function readYaml(source: string): YamlReading {
  const checked = checkText(source);
  if ('mistake' in checked) return { mistakes: [checked.mistake] };
  const { text } = checked;
  const [marker, ...markers] = conflictMarkers(text);
  if (marker !== undefined) return { mistakes: [marker, ...markers] };
  const directive = /^%.*/mu.exec(text);
  if (directive !== null && /^(?:\s*(?:#[^\n]*)?\n)*$/u.test(text.slice(0, directive.index))) {
    return refused(
      text,
      directive.index,
      `directives such as "${directive[0]}" are not supported; remove this line`,
    );
  }
  const deep = tooDeepAt(text);
  if (deep !== null) return refused(text, deep, TOO_DEEP);
  return readDocuments(text);
}

function readDocuments(text: string): YamlReading {
  const lines = new LineCounter();
  let documents: readonly Document[];
  try {
    documents = parseAllDocuments(text, {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
      merge: false,
      version: '1.2',
      logLevel: 'silent',
    }) as readonly Document[];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return refused(text, 0, TOO_DEEP);
  }
  const [document, ...rest] = documents;
  if (document === undefined || (document.contents === null && document.errors.length === 0)) return empty();
  const second = rest.find((other) => !isBlank(other));
  if (second !== undefined) {
    return refused(
      text,
      second.range?.[0] ?? 0,
      'a second document begins here; a file holds one document, so remove the line "---" or "..." before it',
    );
  }
  const position = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const flaws: readonly YAMLError[] = [...document.errors, ...document.warnings];
  const [flaw, ...others] = flaws;
  if (flaw !== undefined) {
    const told = [flaw, ...others].map((error) => ({
      position: position(error.pos[0]),
      message: inPlainWords(error, text),
      path: '',
    }));
    return { mistakes: firstOfEachLine(told) };
  }
  const converted = convert(document.contents, position);
  const [mistake, ...mistakes] = converted.mistakes;
  if (mistake !== undefined) return { mistakes: [mistake, ...mistakes] };
  if (converted.root.value === null) return empty();
  return { document: located(converted.root, text, position) };
}

/** One fault often draws others on its line; the first says it. */
function firstOfEachLine(told: readonly Mistake[]): [Mistake, ...Mistake[]] {
  const seen = new Map<number, Mistake>();
  for (const mistake of told) {
    if (!seen.has(mistake.position.line)) seen.set(mistake.position.line, mistake);
  }
  return [...seen.values()].slice(0, 5) as [Mistake, ...Mistake[]];
}

function isBlank(document: Document): boolean {
  const { contents } = document;
  if (contents === null) return document.errors.length === 0;
  return 'value' in contents && contents.value === null && !('source' in contents && contents.source !== '');
}

function empty(): YamlReading {
  return { mistakes: [{ position: FILE_START, message: 'the file is empty', path: '' }] };
}

function refused(text: string, offset: number, message: string): YamlReading {
  return { mistakes: [{ position: positionIn(text, offset), message, path: '' }] };
}

function located(root: Entry, text: string, position: (offset: number) => Position): YamlDocument {
  const nearest = (path: Path): { entry: Entry; whole: boolean } => {
    let entry = root;
    for (const step of path) {
      const next = entry.children?.get(String(step));
      if (next === undefined) return { entry, whole: false };
      entry = next;
    }
    return { entry, whole: true };
  };
  return Object.freeze({
    value: root.value,
    valueAt: (path: Path) => {
      const { entry, whole } = nearest(path);
      return position(whole ? entry.start : entry.keyStart);
    },
    keyAt: (path: Path) => position(nearest(path).entry.keyStart),
    placeOf: (dotted: string) => position(placed(root, dotted === '' ? [] : dotted.split('.')).keyStart),
    sourceAt: (path: Path) => {
      const { entry, whole } = nearest(path);
      return whole ? text.slice(entry.start, entry.end).trim() : '';
    },
  });
}

/** Takes the longest key that fits, so that `a.b` is found before `a` with `b` in it. */
function placed(entry: Entry, words: readonly string[]): Entry {
  for (let length = words.length; length > 0; length -= 1) {
    const child = entry.children?.get(words.slice(0, length).join('.'));
    if (child !== undefined) return placed(child, words.slice(length));
  }
  return entry;
}
