/** Where a text stops being JSON, in words that no version of the JavaScript engine changes. */

/** What the grammar allows next. */
type State = 'value' | 'value-or-]' | 'key-or-}' | 'key' | ':' | ',-or-]' | ',-or-}' | 'end';

const WANTED: Readonly<Record<State, string>> = {
  value: 'a value',
  'value-or-]': 'a value or "]"',
  'key-or-}': 'a quoted key or "}"',
  key: 'a quoted key',
  ':': '":"',
  ',-or-]': '"," or "]"',
  ',-or-}': '"," or "}"',
  end: 'the end',
};

type Token =
  | { readonly kind: 'mark'; readonly mark: string; readonly end: number }
  | { readonly kind: 'string' | 'scalar'; readonly end: number }
  | { readonly kind: 'broken-string'; readonly at: number };

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Names the first offset (in UTF-16 units, from 0) at which `text` breaks JSON's grammar, and what was expected there.
 * Only for texts that `JSON.parse` has refused.
 */
export function findJsonError(text: string): string {
  const open: ('{' | '[')[] = [];
  let state: State = 'value';
  let at = skipSpace(text, 0);
  for (;;) {
    const token = readToken(text, at);
    if (token?.kind === 'broken-string') return brokenString(text, token.at);
    const next: State | null = token === null ? null : step(state, token, open);
    if (token === null || next === null) return complaint(text, at, WANTED[state]);
    state = next;
    at = skipSpace(text, token.end);
  }
}

function complaint(text: string, at: number, wanted: string): string {
  if (at >= text.length) return `they end at character ${String(at)} where ${wanted} was expected`;
  return `at character ${String(at)}, expected ${wanted}, found ${characterAt(text, at)}`;
}

function brokenString(text: string, at: number): string {
  if (at >= text.length) return `they end at character ${String(at)} in the middle of a string`;
  return `at character ${String(at)}, a string cannot hold ${characterAt(text, at)} like this; escape it`;
}

function characterAt(text: string, at: number): string {
  return JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0));
}

function skipSpace(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.test(text);
  return SPACE.lastIndex;
}

/** The token that starts at `at`; null where none does. */
function readToken(text: string, at: number): Token | null {
  const first = text[at];
  if (first === undefined) return null;
  if ('{}[]:,'.includes(first)) return { kind: 'mark', mark: first, end: at + 1 };
  if (first === '"') return readString(text, at);
  SCALAR.lastIndex = at;
  return SCALAR.test(text) ? { kind: 'scalar', end: SCALAR.lastIndex } : null;
}

/** By hand: an argument can hold a whole file, which is too much for a regular expression's stack. */
function readString(text: string, start: number): Token {
  let at = start + 1;
  while (at < text.length) {
    const character = text.charAt(at);
    if (character === '"') return { kind: 'string', end: at + 1 };
    if (character < ' ') return { kind: 'broken-string', at };
    if (character === '\\') {
      ESCAPE.lastIndex = at;
      if (!ESCAPE.test(text)) return { kind: 'broken-string', at: at + 6 > text.length ? text.length : at };
      at = ESCAPE.lastIndex;
    } else {
      at += 1;
    }
  }
  return { kind: 'broken-string', at: text.length };
}

/** The state after a token, or null where the grammar does not allow it. `open` is the stack of open brackets. */
function step(
  state: State,
  token: Exclude<Token, { kind: 'broken-string' }>,
  open: ('{' | '[')[],
): State | null {
  const wantsValue = state === 'value' || state === 'value-or-]';
  if (token.kind === 'string' && (state === 'key' || state === 'key-or-}')) return ':';
  if (token.kind !== 'mark') return wantsValue ? afterValue(open) : null;
  switch (token.mark) {
    case '{':
    case '[':
      if (!wantsValue) return null;
      open.push(token.mark);
      return token.mark === '{' ? 'key-or-}' : 'value-or-]';
    case '}':
      return state === 'key-or-}' || state === ',-or-}' ? closeBracket(open) : null;
    case ']':
      return state === 'value-or-]' || state === ',-or-]' ? closeBracket(open) : null;
    case ':':
      return state === ':' ? 'value' : null;
    default:
      if (state === ',-or-}') return 'key';
      return state === ',-or-]' ? 'value' : null;
  }
}

function closeBracket(open: ('{' | '[')[]): State {
  open.pop();
  return afterValue(open);
}

function afterValue(open: readonly ('{' | '[')[]): State {
  const last = open.at(-1);
  if (last === undefined) return 'end';
  return last === '{' ? ',-or-}' : ',-or-]';
}
