/** Which tools an agent's scope offers (core.md, "Vocabulary": scope). */
import type { ToolSchema } from '../session/events.ts';
import type { Tool } from './tool.ts';

/** A tool cannot be registered: its name is taken in this scope, or no endpoint would accept it. */
export class ToolRegistrationError extends Error {
  readonly code: 'DUPLICATE_TOOL' | 'INVALID_TOOL_NAME';
  constructor(code: 'DUPLICATE_TOOL' | 'INVALID_TOOL_NAME', message: string) {
    super(message);
    this.name = 'ToolRegistrationError';
    this.code = code;
  }
}

/** What model endpoints accept as a function's name. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

export interface ChildScope {
  /** Of the inherited tools, only these; absent means all. Tools of the child's own are never filtered. */
  readonly filter?: readonly string[] | undefined;
}

/**
 * The tools of one scope. A child scope sees what its parent offers at the moment of asking, can filter that, add to
 * it and shadow it; the parent and its other children see nothing of it.
 */
export class ToolRegistry {
  readonly #own = new Map<string, Tool>();
  readonly #parent: ToolRegistry | null;
  readonly #filter: ReadonlySet<string> | null;

  constructor(parent: ToolRegistry | null = null, scope: ChildScope = {}) {
    this.#parent = parent;
    this.#filter = scope.filter === undefined ? null : new Set(scope.filter);
  }

  /** A scope that inherits from this one. */
  child(scope: ChildScope = {}): ToolRegistry {
    return new ToolRegistry(this, scope);
  }

  /** Registers a tool and returns its disposer, which is idempotent. Throws `ToolRegistrationError`. */
  add(tool: Tool): () => void {
    if (!TOOL_NAME.test(tool.name)) {
      const shown = JSON.stringify(tool.name);
      throw new ToolRegistrationError(
        'INVALID_TOOL_NAME',
        `A tool's name is 1 to 64 ASCII letters, digits, _ and -, found ${shown}.`,
      );
    }
    if (this.#own.has(tool.name)) {
      throw new ToolRegistrationError(
        'DUPLICATE_TOOL',
        `A tool named "${tool.name}" is already registered in this scope. Dispose of it first, or choose another name.`,
      );
    }
    this.#own.set(tool.name, tool);
    return () => {
      if (this.#own.get(tool.name) === tool) this.#own.delete(tool.name);
    };
  }

  get(name: string): Tool | undefined {
    const own = this.#own.get(name);
    if (own !== undefined) return own;
    if (this.#filter !== null && !this.#filter.has(name)) return undefined;
    return this.#parent?.get(name);
  }

  /** All tools that this scope offers, by name: an order that no sequence of registrations can change (REQ-2). */
  tools(): readonly Tool[] {
    const inherited = (this.#parent?.tools() ?? []).filter(
      ({ name }) => !this.#own.has(name) && (this.#filter === null || this.#filter.has(name)),
    );
    return [...inherited, ...this.#own.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The same as the model is told of them. */
  schemas(): readonly ToolSchema[] {
    return this.tools().map(({ name, description, parameters }) => ({ name, description, parameters }));
  }
}
