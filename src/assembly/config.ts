/**
 * The shape of `agent.yaml` (core.md, "Prompt, tools, composition"): strict at every level, every key optional.
 * `zod/mini` because it loads in a tenth of the time of `zod`, and every command starts here.
 */
import { closest, distance } from 'fastest-levenshtein';
import * as z from 'zod/mini';
import { ConfigError } from './config-error.ts';
import type { ConfigProblem } from './config-error.ts';
import { parseDuration } from './duration.ts';
import { DEFAULT_RETRY } from '../agent/retry.ts';
import { REPORT_DELIVERIES } from '../subagent/family.ts';

/** The tools that can be switched off, by name. */
export const CONFIGURABLE_TOOLS = ['read', 'write', 'edit', 'bash'] as const;

/** The tools that `subagents.tools` can leave to children. */
const INHERITABLE_TOOLS = [
  ...CONFIGURABLE_TOOLS,
  'subagent',
  'send_message',
  'list_agents',
  'interrupt_agent',
] as const;

const text = z.string().check(z.minLength(1));
const positive = z.int().check(z.gte(1));
const duration = z.pipe(
  z.unknown(),
  z.transform((value: unknown, context): number => {
    const milliseconds = parseDuration(value);
    if (milliseconds !== null) return milliseconds;
    context.issues.push({
      code: 'custom',
      message: 'expected a duration such as 500ms, 2s or 1m, or a number of milliseconds',
      input: value,
    });
    return z.NEVER;
  }),
);
/** The agent waits no longer than this for anything, so a longer first wait would be cut in silence. */
const firstDelay = z.pipe(
  duration,
  z.number().check(
    z.refine((milliseconds) => milliseconds <= DEFAULT_RETRY.maxDelayMs, {
      error: `expected at most ${DEFAULT_RETRY.maxDelayMs / 60_000}m: the agent never waits longer before it asks again`,
    }),
  ),
);
const url = z.string().check(
  z.refine((value) => /^https?:\/\/[^\s/]+/.test(value) && URL.canParse(value), {
    error: 'expected a URL that starts with http:// or https://',
  }),
);

/** The keys below each top-level key, and the top-level keys that hold a plain value. */
const SECTIONS = {
  model: {
    /** Model name as the endpoint knows it. */
    name: z.optional(text),
    /** Endpoint without `/chat/completions`. */
    baseUrl: z.optional(url),
    apiKey: z.optional(text),
    /** Ceiling of one answer, in tokens. */
    maxTokens: z.optional(positive),
    /** DeepSeek's thinking mode; absent leaves it to the endpoint. */
    thinking: z.optional(z.enum(['enabled', 'disabled'])),
  },
  tools: {
    read: z.optional(z.boolean()),
    write: z.optional(z.boolean()),
    edit: z.optional(z.boolean()),
    bash: z.optional(z.boolean()),
    /** Lets the file tools leave the workspace. */
    outsideWorkspace: z.optional(z.boolean()),
  },
  retry: {
    /** Further attempts after the first. */
    retries: z.optional(z.int().check(z.gte(0))),
    /** Wait before the first retry; doubles with each further one. */
    firstDelay: z.optional(firstDelay),
  },
  sessions: {
    /** Relative to the file, or to the working directory where there is none; `~/` is the home directory. */
    dir: z.optional(text),
  },
  hooks: {
    /** Shell command, asked about each message of the user. */
    userPromptSubmit: z.optional(text),
    /** How long a hook may take. */
    timeout: z.optional(duration),
  },
  subagents: {
    /** How a report reaches the parent: waking it, or with its next request (seed 002). */
    reportDelivery: z.optional(z.enum(REPORT_DELIVERIES)),
    /** How deep agents may be nested below the main one. */
    depthLimit: z.optional(positive),
    /** Whether children can go on in the background. */
    continuable: z.optional(z.boolean()),
    /** The persona of children, where it is not the agent's own. */
    persona: z.optional(text),
    /** The tools that children have, where they do not have all of the agent's. `report` is never among those left out. */
    tools: z.optional(z.array(z.enum(INHERITABLE_TOOLS))),
  },
};

/** A section that stands there without a value says nothing: `model:` with its keys commented out is no error. */
function section<S extends z.core.$ZodLooseShape>(shape: S) {
  return z.optional(
    z.pipe(
      z.transform((value: unknown) => (value === null ? {} : value)),
      z.strictObject(shape),
    ),
  );
}

/** A feature that is off unless it is asked for: `true` asks for it as it is, a mapping says how. */
function feature<S extends z.core.$ZodLooseShape>(shape: S) {
  return z.optional(
    z.pipe(
      z.transform((value: unknown) => {
        if (value === true) return {};
        return value === false || value === null ? undefined : value;
      }),
      z.optional(z.strictObject(shape)),
    ),
  );
}

const schema = z.strictObject({
  model: section(SECTIONS.model),
  /** The first section of the system prompt: who the agent is. */
  persona: z.optional(text),
  tools: section(SECTIONS.tools),
  retry: section(SECTIONS.retry),
  sessions: section(SECTIONS.sessions),
  hooks: section(SECTIONS.hooks),
  /** Whether tools ask the client first. `ask` refuses where no client can answer. */
  permissions: z.optional(z.enum(['never', 'ask'])),
  /** Asks the model once, after the first answer, for a title of the session. */
  title: z.optional(z.boolean()),
  /** Lets the agent start others. */
  subagents: feature(SECTIONS.subagents),
  /** Lets the agent pursue a goal over several turns. */
  goal: z.optional(z.boolean()),
});

/** A checked configuration: durations in milliseconds, nothing filled in. */
export type AgentConfig = z.output<typeof schema>;

const TOP_LEVEL: readonly string[] = Object.keys(schema._zod.def.shape);

/** Where a fault lies: the keys that lead to it, and whether the key or its value is meant. */
export interface Fault {
  readonly path: readonly (string | number)[];
  readonly at: 'key' | 'value';
  readonly message: string;
}

/** Checks `value` against the schema. Pure; never throws. */
export function checkConfig(
  value: unknown,
):
  | { readonly config: AgentConfig; readonly faults: readonly [] }
  | { readonly config: null; readonly faults: readonly Fault[] } {
  const result = schema.safeParse(value ?? {}, { reportInput: true });
  if (result.success) return { config: result.data, faults: [] };
  return { config: null, faults: result.error.issues.flatMap(faultsOf) };
}

/** A configuration given as a value. Throws `ConfigError` with the path of each fault. */
export function agentConfig(value: unknown): AgentConfig {
  const { config, faults } = checkConfig(value);
  if (config !== null) return config;
  throw new ConfigError(
    faults.map((fault): ConfigProblem => ({
      file: 'agent configuration',
      line: null,
      column: null,
      source: null,
      message: fault.path.length === 0 ? fault.message : `${fault.path.join('.')}: ${fault.message}`,
    })),
  );
}

function faultsOf(issue: z.core.$ZodIssue): readonly Fault[] {
  const path = issue.path.filter((part) => typeof part !== 'symbol');
  if (isSecret(path)) return [{ path, at: 'value', message: 'expected some text; put it in quotes' }];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({ path: [...path, key], at: 'key', message: unknownKey(path, key) }));
    case 'invalid_type':
      return [
        {
          path,
          at: 'value',
          message: `expected ${expectedAt(path, issue.expected)}, found ${found(issue.input)}`,
        },
      ];
    case 'invalid_value':
      return [
        {
          path,
          at: 'value',
          message: `expected ${issue.values.map(String).join(' or ')}, found ${found(issue.input)}`,
        },
      ];
    case 'too_small':
      return [{ path, at: 'value', message: tooSmall(issue) }];
    case 'too_big':
      return [
        {
          path,
          at: 'value',
          message: `expected ${String(issue.maximum)} at most, found ${found(issue.input)}`,
        },
      ];
    default:
      return [{ path, at: 'value', message: `${issue.message}, found ${found(issue.input)}` }];
  }
}

/** Is this the value of a credential, which no error may show? */
export function isSecret(path: readonly (string | number)[]): boolean {
  return path.at(-1) === 'apiKey';
}

function tooSmall(issue: z.core.$ZodIssueTooSmall): string {
  if (issue.origin === 'string') return 'expected some text, found an empty one';
  return `expected ${String(issue.minimum)} or more, found ${found(issue.input)}`;
}

function unknownKey(parents: readonly (string | number)[], key: string): string {
  const where = parents.length === 0 ? 'at the top level' : `under ${parents.join('.')}`;
  const known = knownKeys(parents);
  const home = parents.length === 0 ? homeOf(key) : null;
  if (home !== null) return `unknown key "${key}" ${where}: it belongs under "${home}".`;
  if (parents.length > 0 && TOP_LEVEL.includes(key))
    return `unknown key "${key}" ${where}: it belongs at the top level.`;
  return `unknown key "${key}" ${where}.${nearest(key, known)} Known here: ${known.join(', ')}.`;
}

function knownKeys(parents: readonly (string | number)[]): readonly string[] {
  const [parent] = parents;
  const shapes: Readonly<Record<string, object>> = SECTIONS;
  return parent === undefined ? TOP_LEVEL : Object.keys(shapes[parent] ?? {});
}

/** The one section that has this key, for a key that stands a level too high. */
function homeOf(key: string): string | null {
  const homes = Object.entries(SECTIONS).filter(([, shape]) => Object.hasOwn(shape, key));
  return homes.length === 1 ? (homes[0]?.[0] ?? null) : null;
}

function nearest(key: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const best = closest(key.toLowerCase(), known);
  const near = distance(key.toLowerCase(), best.toLowerCase()) <= Math.max(2, Math.floor(key.length / 3));
  return near ? ` Did you mean "${best}"?` : '';
}

function expectedAt(path: readonly (string | number)[], expected: string): string {
  const isFeature = path.length === 1 && path[0] === 'subagents';
  return isFeature ? 'true, false or a mapping of keys' : typeName(expected);
}

function typeName(expected: string): string {
  switch (expected) {
    case 'object':
      return 'a mapping of keys';
    case 'array':
      return 'a list';
    case 'string':
      return 'text';
    case 'boolean':
      return 'true or false';
    case 'int':
    case 'number':
      return 'a whole number';
    default:
      return expected;
  }
}

function found(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  if (typeof value === 'string')
    return `the text ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`;
  return String(value);
}
