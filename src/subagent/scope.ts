/** Where an agent's tools and prompt sections are registered (core.md, "Vocabulary": scope). */
import { SECTION_ORDER, personaSection } from '../prompt/first-party.ts';
import type { SystemPrompt } from '../prompt/sections.ts';
import type { ToolRegistry } from '../tools/registry.ts';

export interface Scope {
  readonly tools: ToolRegistry;
  readonly prompt: SystemPrompt;
}

/** How a child's composition differs from its parent's; kept in its `subagent/descriptor`. */
export interface ChildComposition {
  /** Shadows the parent's persona. */
  readonly persona?: string | undefined;
  /** Of the inherited tools, only these; absent means all. */
  readonly tools?: readonly string[] | undefined;
}

/** A scope that inherits everything from `scope` and can add to it. */
export function innerScope(scope: Scope): Scope {
  return { tools: scope.tools.child(), prompt: scope.prompt.child() };
}

/** The composition of a child below `parent`'s: a tool that is filtered out takes its guidance along. */
export function composeChild(parent: Scope, child: ChildComposition): Scope {
  const { persona, tools } = child;
  const composed = { tools: parent.tools.child({ filter: tools }), prompt: parent.prompt.child() };
  if (persona !== undefined) composed.prompt.add(personaSection(persona));
  if (tools !== undefined) hideGuidance(parent, composed);
  return composed;
}

/** An empty section shadows the one of its name, and leaves no trace. */
function hideGuidance(parent: Scope, composed: Scope): void {
  const nothing = composed.tools.tools().length === 0;
  for (const { name, order } of parent.prompt.sections()) {
    const tool = /^tool:(.+)$/.exec(name)?.[1];
    const unused = tool === undefined ? nothing && order === SECTION_ORDER.tools : isHidden(tool, composed);
    if (unused) composed.prompt.add({ name, order, text: '' });
  }
}

function isHidden(tool: string, { tools }: Scope): boolean {
  return tools.get(tool) === undefined;
}
