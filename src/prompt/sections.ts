/** The system prompt as sections with a place each (core.md, "Prompt, tools, composition"; REQ-1). */

export interface PromptSection {
  /** Unique in its scope; `tool:<name>` for a tool's guidance. */
  readonly name: string;
  /** Sections stand in ascending order; equal orders keep the sequence of registration. */
  readonly order: number;
  readonly text: string;
}

/** A section cannot be registered: its name is taken in this scope, or its order is no finite number. */
export class PromptSectionError extends Error {
  readonly code: 'DUPLICATE_SECTION' | 'INVALID_SECTION_ORDER';
  constructor(code: 'DUPLICATE_SECTION' | 'INVALID_SECTION_ORDER', message: string) {
    super(message);
    this.name = 'PromptSectionError';
    this.code = code;
  }
}

/**
 * The sections of one scope. A child scope sees its parent's sections as they are at the moment of asking, can add
 * its own, and shadows one of the same name; the parent and its other children see nothing of it.
 */
export class SystemPrompt {
  readonly #own = new Map<string, PromptSection>();
  readonly #parent: SystemPrompt | null;

  constructor(parent: SystemPrompt | null = null) {
    this.#parent = parent;
  }

  /** A scope that inherits from this one. */
  child(): SystemPrompt {
    return new SystemPrompt(this);
  }

  /** Registers a section and returns its disposer, which is idempotent. Throws `PromptSectionError`. */
  add(section: PromptSection): () => void {
    if (!Number.isFinite(section.order)) {
      throw new PromptSectionError(
        'INVALID_SECTION_ORDER',
        `The order of prompt section "${section.name}" must be a finite number, found ${String(section.order)}.`,
      );
    }
    if (this.#own.has(section.name)) {
      throw new PromptSectionError(
        'DUPLICATE_SECTION',
        `A prompt section named "${section.name}" is already registered in this scope. ` +
          'Dispose of it first, or register yours on a child scope to shadow it.',
      );
    }
    const kept = { ...section };
    this.#own.set(section.name, kept);
    return () => {
      if (this.#own.get(section.name) === kept) this.#own.delete(section.name);
    };
  }

  /** The sections in effect, in order. Among equal orders inherited ones come first. */
  sections(): readonly PromptSection[] {
    return this.#inEffect().sort((a, b) => a.order - b.order);
  }

  /** The whole prompt: the texts, trimmed, with a blank line between them. A section without text leaves no trace. */
  render(): string {
    return this.sections()
      .map(({ text }) => text.trim())
      .filter((text) => text !== '')
      .join('\n\n');
  }

  /** By registration. A shadowing section takes the place of the one that it shadows. */
  #inEffect(): PromptSection[] {
    const inherited = this.#parent === null ? [] : this.#parent.#inEffect();
    const names = new Set(inherited.map(({ name }) => name));
    const added = [...this.#own.values()].filter(({ name }) => !names.has(name));
    return [...inherited.map((section) => this.#own.get(section.name) ?? section), ...added];
  }
}
