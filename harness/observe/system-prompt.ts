/** The system prompt file of pins.md. */

/** What an expected file cannot hold as it is: line ends other than LF, a byte order mark, other control characters, half a character. */
// eslint-disable-next-line no-control-regex
const UNWRITABLE = /[\u0000-\u0008\u000B-\u001F\u007F\uFEFF]|\p{Surrogate}/gu;
/** A line of the text that a reader of the file would take for one of its own, or for a merge conflict. */
const MISTAKABLE =
  /^(?:<(?=!-- (?:block|ends with|no system prompt)\b)|<(?=<{6}(?: |$))|>(?=>{6}(?: |$)))/gmu;

/**
 * Every system text in order, joined by a line `<!-- block n -->` where there are several. A text that itself ends with
 * newlines, or is blank, says so in a last line, since the file ends with exactly one and is never empty. The texts have their
 * placeholders already; `{{u+000D}}` stands for a character that the file cannot hold.
 */
export function systemPromptText(blocks: readonly string[]): string {
  if (blocks.length === 0) return '<!-- no system prompt -->\n';
  const joined = blocks
    .map(escaped)
    .map((block, index) => (index === 0 ? block : `<!-- block ${index + 1} -->\n${block}`))
    .join('\n');
  const trailing = /\n*$/.exec(joined)?.[0].length ?? 0;
  if (trailing === 0 && joined.trim() !== '') return `${joined}\n`;
  const kept = joined.slice(0, joined.length - trailing);
  return `${kept}\n<!-- ends with ${trailing} newline${trailing === 1 ? '' : 's'} -->\n`;
}

function escaped(block: string): string {
  return block.replace(UNWRITABLE, codePoint).replace(MISTAKABLE, codePoint);
}

function codePoint(character: string): string {
  return `{{u+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}}}`;
}
