/** The system prompt file of pins.md. */

/**
 * Every system text in order, joined by a line `<!-- block n -->` where there are several. A text that itself ends with
 * newlines says so in a last line, since the file ends with exactly one.
 */
export function systemPromptText(blocks: readonly string[]): string {
  const joined = blocks
    .map((block, index) => (index === 0 ? block : `<!-- block ${index + 1} -->\n${block}`))
    .join('\n');
  const trailing = /\n*$/.exec(joined)?.[0].length ?? 0;
  if (trailing === 0) return `${joined}\n`;
  return `${joined.slice(0, -trailing)}\n<!-- ends with ${trailing} newline${trailing === 1 ? '' : 's'} -->\n`;
}
