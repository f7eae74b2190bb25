/** A client's prompt -> the text blocks of a message. Pure. */
import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { TextBlock } from '../session/events.ts';

/** The blocks, or what is wrong with them in the words of an error message. Links and embedded texts are told as text. */
export function promptContent(
  blocks: readonly ContentBlock[],
):
  | { readonly ok: true; readonly blocks: readonly TextBlock[] }
  | { readonly ok: false; readonly message: string } {
  if (blocks.length === 0) return { ok: false, message: 'a prompt needs one content block or more' };
  const texts: TextBlock[] = [];
  for (const block of blocks) {
    const text = textOf(block);
    if (text === null) {
      return {
        ok: false,
        message: `this agent reads text, resource links and embedded texts, and no content of type "${block.type}"`,
      };
    }
    texts.push({ type: 'text', text });
  }
  return { ok: true, blocks: texts };
}

function textOf(block: ContentBlock): string | null {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link':
      return `[${block.title ?? block.name}](${block.uri})`;
    case 'resource':
      return 'text' in block.resource
        ? `<resource uri="${block.resource.uri}">\n${block.resource.text}\n</resource>`
        : null;
    case 'image':
    case 'audio':
      return null;
  }
}
