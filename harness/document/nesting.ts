/**
 * A bound on nesting, checked before the YAML library recurses: near the end of the stack V8 can end the whole process
 * when it compiles a regular expression, and no `catch` helps then.
 */

/** Far more than any file has, far less than any stack bears. */
const MOST_OPEN_BRACKETS = 500;
const DEEPEST_COLUMN = 500;
const COMPACT = /^[ ]*(?:[-?:][ ]+){100}/u;

/** Offset where a text may nest too deeply; null where it cannot. Brackets inside of texts count, too. */
export function tooDeepAt(text: string): number | null {
  let open = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) {
      open += 1;
      if (open > MOST_OPEN_BRACKETS) return at;
    } else if ((code === 0x5d || code === 0x7d) && open > 0) {
      open -= 1;
    }
  }
  const deep = new RegExp(`^ {${String(DEEPEST_COLUMN)}}`, 'mu').exec(text);
  if (deep !== null) return deep.index;
  let start = 0;
  for (const line of text.split('\n')) {
    if (COMPACT.test(line)) return start;
    start += line.length + 1;
  }
  return null;
}
