/** The sections that the core brings along: who the agent is, where it works, how to use its tools. */
import type { PromptSection } from './sections.ts';

/**
 * Where first-party sections stand. Hundreds are left between groups, so that others can place theirs. All per-tool
 * guidance lies in 2000..2899; `tool:report` follows it at 2900 (seed 002).
 */
export const SECTION_ORDER = {
  persona: 100,
  workspace: 1000,
  tools: 2000,
  'tool:read': 2100,
  'tool:write': 2200,
  'tool:edit': 2300,
  'tool:bash': 2400,
  'tool:subagent': 2500,
  'tool:goal': 2600,
  'tool:report': 2900,
} as const;

/** The persona of an agent whose configuration names none. */
export const DEFAULT_PERSONA = `You are a coding agent. You work on the user's files with the tools that you are given, until the task is done or you need an answer that only the user can give.

- Look before you act: read the code that you are about to change, and follow the conventions that you find there.
- Do what was asked, and no more. Mention what else you noticed rather than changing it.
- Check your work with the project's own means (tests, type checker, build) where it has them.
- Say plainly what you did, what you could not do, and what you did not check. Never claim a result that you have not seen.
- Keep answers short. The user sees your text, but not what your tools return.`;

export function personaSection(persona: string = DEFAULT_PERSONA): PromptSection {
  return { name: 'persona', order: SECTION_ORDER.persona, text: persona };
}

/** Facts about the workspace. Nothing here changes from one request to the next, or from day to day (REQ-2). */
export function workspaceSection(cwd: string): PromptSection {
  return {
    name: 'workspace',
    order: SECTION_ORDER.workspace,
    text: `Your workspace is the directory ${cwd}. Relative paths start there, and so does every shell command.`,
  };
}

const TOOLS = `Several calls in one answer are carried out in the order in which you write them, and you see all their results at once. Make independent calls together; make a call that needs another's result in a later answer. When a call fails, read its message and change something before you try again.`;

const TOOL_GUIDANCE = {
  read: `Use \`read\` to look at files instead of printing them in the shell. Read a file before you edit it.`,
  write: `Use \`write\` for new files and for complete rewrites. It replaces whatever the file held. For smaller changes use \`edit\`.`,
  edit: `Use \`edit\` for changes within a file. Copy \`old_string\` from the file exactly, without the line numbers that \`read\` puts in front, and make it long enough to occur only once.`,
  bash: `Use \`bash\` to run programs: builds, tests, version control, searches. No terminal is attached and standard input is empty, so pass flags that keep programs from asking. Processes that a command leaves behind are stopped when it ends. Do not run commands that destroy work or reach outside the workspace unless the user asked for that.`,
} as const;

/** Names of the tools that have guidance here. */
export type GuidedTool = keyof typeof TOOL_GUIDANCE;

/** General advice on calls. To be registered where the agent has any tool at all. */
export function toolsSection(): PromptSection {
  return { name: 'tools', order: SECTION_ORDER.tools, text: TOOLS };
}

/** The guidance for one first-party tool, `tool:<name>`. To be registered together with the tool. */
export function toolSection(tool: GuidedTool): PromptSection {
  return { name: `tool:${tool}`, order: SECTION_ORDER[`tool:${tool}`], text: TOOL_GUIDANCE[tool] };
}

/** Is there guidance for the tool of this name? */
export function isGuidedTool(name: string): name is GuidedTool {
  return Object.hasOwn(TOOL_GUIDANCE, name);
}
