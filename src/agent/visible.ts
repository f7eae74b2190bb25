/** The part of an unfinished answer that a user has already seen (CANCEL-3, CANCEL-9). */
import type { AssistantChunk, AssistantMessage } from '../session/events.ts';

export class VisiblePart {
  #text = '';
  #reasoning = '';
  #calls = false;

  add(chunk: AssistantChunk): void {
    switch (chunk.kind) {
      case 'text-delta':
        this.#text += chunk.text;
        return;
      case 'reasoning-delta':
        this.#reasoning += chunk.text;
        return;
      case 'block-start':
        this.#calls ||= chunk.block === 'tool-call';
        return;
      case 'tool-call-delta':
        this.#calls = true;
        return;
      case 'block-end':
      case 'usage':
      case 'finish':
        return;
      default:
        chunk satisfies never;
    }
  }

  /** Has anything come that a second attempt would repeat? */
  get any(): boolean {
    return this.#text !== '' || this.#reasoning !== '' || this.#calls;
  }

  /** Text and reasoning as a message; partial calls are dropped. Null where there is neither. */
  message(): AssistantMessage | null {
    if (this.#text === '' && this.#reasoning === '') return null;
    const reasoning = this.#reasoning === '' ? {} : { reasoning: this.#reasoning };
    return { role: 'assistant', text: this.#text, ...reasoning, toolCalls: [] };
  }
}
