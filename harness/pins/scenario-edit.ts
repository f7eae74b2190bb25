/** Edits of a scenario file's `pinsChild…` keys that leave every other character, comments too, as it is. Pure. */
import { isDeepStrictEqual } from 'node:util';
import {
  isCollection,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  type Document,
  type Node,
  type Pair,
} from 'yaml';
import { CHILD_PARTS, type ChildPart } from './child-pins.ts';

/** What becomes of one declared child. */
export type ChildEdit =
  | { readonly do: 'remove'; readonly part: ChildPart; readonly child: number }
  /** The file belongs to another scenario: `[1]` becomes `{1: owner}`, or the owner's name changes. */
  | { readonly do: 'refer'; readonly part: ChildPart; readonly child: number; readonly owner: string }
  /** The file belongs to this scenario: `{1: owner}` becomes `[1]`. */
  | { readonly do: 'own'; readonly part: ChildPart; readonly child: number };

/** The file's text after an edit; the same text where the child is not declared. */
export function editChild(text: string, edit: ChildEdit): string {
  const document = parseDocument(text, { keepSourceTokens: true });
  const key = CHILD_PARTS[edit.part];
  const pair = pairOf(document, key);
  if (pair === null) return edit.do === 'own' ? appended(text, `${key}: [${edit.child}]`) : text;
  const declared = read(pair.value);
  const wanted = changed(declared, edit);
  if (isDeepStrictEqual(declared, wanted)) return text;
  const spliced = wanted === null ? withoutPair(text, pair) : withValue(text, pair, { wanted, edit });
  return says(spliced, key, wanted) ? spliced : rewritten(document, key, wanted);
}

type Declared = readonly number[] | Readonly<Record<string, string>>;

function pairOf(document: Document, key: string): Pair<Node, Node> | null {
  if (!isMap(document.contents)) return null;
  const found = document.contents.items.find((item) => isScalar(item.key) && item.key.value === key);
  return found === undefined ? null : (found as Pair<Node, Node>);
}

function read(value: Node | null): Declared {
  const plain: unknown = isCollection(value) ? value.toJSON() : [];
  return plain as Declared;
}

function isList(declared: Declared): declared is readonly number[] {
  return Array.isArray(declared);
}

/** Null: nothing is declared any more. */
function changed(declared: Declared, edit: ChildEdit): Declared | null {
  const child = String(edit.child);
  switch (edit.do) {
    case 'remove': {
      const left = isList(declared)
        ? declared.filter((one) => one !== edit.child)
        : Object.fromEntries(Object.entries(declared).filter(([one]) => one !== child));
      return Object.keys(left).length === 0 ? null : left;
    }
    case 'refer':
      return { ...(isList(declared) ? {} : declared), [child]: edit.owner };
    case 'own':
      return isList(declared) ? [...new Set([...declared, edit.child])].sort((a, b) => a - b) : [edit.child];
  }
}

function flow(declared: Declared): string {
  if (isList(declared)) return `[${declared.join(', ')}]`;
  return `{${Object.entries(declared)
    .map(([child, owner]) => `${child}: ${owner}`)
    .join(', ')}}`;
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end + 1;
}

function endOf(node: Node | null | undefined): number {
  return node?.range?.[1] ?? 0;
}

function withoutPair(text: string, pair: Pair<Node, Node>): string {
  const start = lineStart(text, pair.key.range?.[0] ?? 0);
  const last = Math.max(endOf(pair.key), endOf(pair.value) - 1);
  return text.slice(0, start) + text.slice(lineEnd(text, last));
}

function withValue(
  text: string,
  pair: Pair<Node, Node>,
  how: { readonly wanted: Declared; readonly edit: ChildEdit },
): string {
  const { value } = pair;
  if (how.edit.do === 'remove' && isCollection(value) && value.flow !== true) {
    const item = itemOf(value, how.edit.child);
    const start = item?.range?.[0];
    if (start !== undefined) return text.slice(0, lineStart(text, start)) + text.slice(lineEnd(text, start));
  }
  const from = pair.key.range?.[0] ?? 0;
  const key = isScalar(pair.key) ? String(pair.key.value) : '';
  const end = endOf(value);
  const newline = text.slice(0, end).endsWith('\n') ? '\n' : '';
  return `${text.slice(0, from)}${key}: ${flow(how.wanted)}${newline}${text.slice(end)}`;
}

function itemOf(value: Node, child: number): Node | null {
  if (isSeq(value)) {
    return (value.items as Node[]).find((item) => isScalar(item) && Number(item.value) === child) ?? null;
  }
  if (!isMap(value)) return null;
  const keys = value.items.map((item) => item.key as Node);
  return keys.find((key) => isScalar(key) && Number(key.value) === child) ?? null;
}

function appended(text: string, line: string): string {
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`;
}

/** Did the splice say what was meant? An unusual layout goes through the document instead. */
function says(text: string, key: string, wanted: Declared | null): boolean {
  const document = parseDocument(text);
  const found = pairOf(document, key);
  if (document.errors.length > 0) return false;
  return wanted === null ? found === null : found !== null && isDeepStrictEqual(read(found.value), wanted);
}

function rewritten(document: Document, key: string, wanted: Declared | null): string {
  if (wanted === null) document.delete(key);
  else document.set(key, document.createNode(wanted, { flow: true }));
  return document.toString({ lineWidth: 0 });
}
