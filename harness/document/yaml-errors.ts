/** The YAML library's complaints in words for somebody who writes a first file. */
import type { YAMLError } from 'yaml';

/** What is wrong and how to mend it. */
export function inPlainWords(error: YAMLError, text: string): string {
  const rest = lineFrom(text, error.pos[0]);
  switch (error.code) {
    case 'TAB_AS_INDENT':
      return `line ${String(lineOf(text, error.pos[0]))} is indented with a tab; YAML wants spaces`;
    case 'BAD_INDENT':
      if (error.message.startsWith('Flow')) {
        return 'a bracket or brace above is never closed, or closed by the wrong sign; put text with brackets in quotes';
      }
      return 'the indentation of this line fits nothing above it; align it with its neighbours, two spaces a level';
    case 'BLOCK_AS_IMPLICIT_KEY':
      return 'a value with another "key:" after it; if this is text with a colon, put it in quotes, such as key: "a: b"; if the next line is a key, align it with its neighbours';
    case 'MULTILINE_IMPLICIT_KEY':
      return 'this text goes on over several lines where a key was expected; is a colon or a quote missing?';
    case 'MISSING_CHAR':
      return missing(error.message, rest);
    case 'BAD_SCALAR_START':
      return `a text cannot begin with ${rest.slice(0, 1)}; put it in quotes`;
    case 'BAD_DQ_ESCAPE':
      return 'this backslash begins no escape that YAML knows; write \\\\ for a backslash, or use single quotes';
    case 'BLOCK_IN_FLOW':
      return 'between brackets a comma is missing, or a text with a colon needs quotes: [a, "b: c"] and {key: value, other: value}';
    case 'UNEXPECTED_TOKEN':
      return `"${rest.slice(0, 20)}" was not expected here; is a comma, a quote or a line break missing before it?`;
    case 'BAD_COLLECTION_TYPE':
    case 'TAG_RESOLVE_FAILED':
      return 'tags (words that begin with !) are not supported; put the text in quotes';
    case 'BAD_ALIAS':
      return 'a text that begins with an asterisk or an ampersand needs quotes';
    case 'ALIAS_PROPS':
    case 'BAD_PROP_ORDER':
    case 'MULTIPLE_ANCHORS':
    case 'MULTIPLE_TAGS':
      return 'an anchor (&name), alias (*name) or tag (!name) stands where it cannot; put the text in quotes if it is text';
    case 'BAD_DIRECTIVE':
      return 'a line that begins with % is a directive, and those are not supported; indent or quote it if it is text';
    case 'KEY_OVER_1024_CHARS':
      return 'a key is longer than 1024 characters; is a line break or a quote missing?';
    case 'RESOURCE_EXHAUSTION':
      return 'the file is nested too deeply to be read';
    case 'DUPLICATE_KEY':
    case 'MULTIPLE_DOCS':
    case 'NON_STRING_KEY':
    case 'IMPOSSIBLE':
      return error.message;
  }
}

function missing(message: string, rest: string): string {
  if (message.includes('closing "quote')) return 'a double quote is opened and never closed';
  if (message.includes("closing 'quote")) return 'a single quote is opened and never closed';
  if (message.includes('whitespace')) return `a space is missing before "${rest.slice(0, 20)}"`;
  if (message.includes(' and ] ') || message.includes(']'))
    return 'a square bracket is opened and never closed: ] is missing';
  if (message.includes('}')) return 'a brace is opened and never closed: } is missing';
  if (message.includes('&')) return 'a text that begins with & needs quotes';
  if (message.includes(',')) return 'a comma is missing between two parts of a list or map in brackets';
  return `"${rest.slice(0, 20)}" is no "key: value"; is a colon missing, or a space after it?`;
}

function lineFrom(text: string, offset: number): string {
  const end = text.indexOf('\n', offset);
  return text.slice(offset, end < 0 ? undefined : end);
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
