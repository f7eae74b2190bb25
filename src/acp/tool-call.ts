/** A tool call as a client shows it: a title, a kind, and the file that it touches. Pure. */
import path from 'node:path';
import type { ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';
import type { Json } from '../session/events.ts';

export interface ShownCall {
  readonly title: string;
  readonly kind: ToolKind;
  /** The arguments as a value; as the model wrote them where they are no JSON. */
  readonly rawInput: Json;
  readonly locations: ToolCallLocation[];
}

const KINDS: Readonly<Record<string, ToolKind>> = {
  read: 'read',
  write: 'edit',
  edit: 'edit',
  bash: 'execute',
};

const LONGEST_TITLE = 120;

/** `args` is the raw text of the arguments, `cwd` the absolute path of the workspace. */
export function shownCall(name: string, args: string, cwd: string): ShownCall {
  const rawInput = parsed(args);
  const file = text(rawInput, 'path');
  const subject = text(rawInput, 'command') ?? file;
  return {
    title: cut(subject === null ? name : `${name}: ${subject.split('\n', 1)[0] ?? ''}`),
    kind: KINDS[name] ?? 'other',
    rawInput,
    locations: file === null ? [] : [{ path: path.resolve(cwd, file) }],
  };
}

function parsed(args: string): Json {
  if (args.trim() === '') return {};
  try {
    return JSON.parse(args) as Json;
  } catch {
    return args;
  }
}

function text(value: Json, key: string): string | null {
  if (typeof value !== 'object' || value === null) return null;
  const found: unknown = Reflect.get(value, key);
  return typeof found === 'string' ? found : null;
}

function cut(title: string): string {
  return title.length <= LONGEST_TITLE ? title : `${title.slice(0, LONGEST_TITLE - 1)}…`;
}
