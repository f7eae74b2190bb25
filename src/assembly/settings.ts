/** Configuration + environment -> what an agent is assembled from, every default filled in. Pure. */
import { homedir } from 'node:os';
import path from 'node:path';
import type { AgentConfig } from './config.ts';
import { CONFIGURABLE_TOOLS } from './config.ts';
import { absolute } from './directory.ts';
import { configError } from './config-error.ts';
import type { DelegationSettings } from '../subagent/family.ts';
import { DEFAULT_HOOK_TIMEOUT } from './prompt-hook.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Endpoint and name of the model where neither file nor environment say anything. */
export const DEFAULT_BASE_URL = 'https://api.deepseek.com';
export const DEFAULT_MODEL = 'deepseek-v4-flash';

/** Where an OpenAI key belongs when no endpoint is named: it is never sent to another vendor's. */
const OPENAI_BASE_URL = 'https://api.openai.com/v1';

export interface Settings {
  readonly model: {
    readonly name: string;
    readonly baseUrl: string;
    /** Null: none was given; only a request needs one. */
    readonly apiKey: string | null;
    readonly maxTokens: number | null;
    readonly thinking: 'enabled' | 'disabled' | null;
  };
  readonly persona: string | null;
  /** Names of the tools that are on. */
  readonly tools: ReadonlySet<string>;
  readonly outsideWorkspace: boolean;
  readonly retry: { readonly retries: number; readonly firstDelayMs: number };
  /** Absolute. */
  readonly sessionsDir: string;
  readonly promptHook: { readonly command: string; readonly timeout: number } | null;
  readonly permissions: 'never' | 'ask';
  readonly title: boolean;
  /** Null: the agent works alone. */
  readonly subagents: DelegationSettings | null;
  readonly goal: boolean;
}

/** Deepest nesting of agents where the configuration says nothing. */
const DEFAULT_DEPTH_LIMIT = 3;

/** `file` beats `DEEPSEEK_…`, which beats `OPENAI_…`. Throws `ConfigError` for a variable that is no URL. */
export function settingsOf(
  config: AgentConfig,
  place: { readonly cwd: string; readonly env: Environment },
): Settings {
  const { env, cwd } = place;
  const { model = {}, tools = {}, retry = {}, hooks = {} } = config;
  return {
    model: {
      name: model.name ?? variable(env, 'DEEPSEEK_MODEL') ?? variable(env, 'OPENAI_MODEL') ?? DEFAULT_MODEL,
      baseUrl: model.baseUrl ?? baseUrlFrom(env, model.apiKey !== undefined),
      apiKey: model.apiKey ?? variable(env, 'DEEPSEEK_API_KEY') ?? variable(env, 'OPENAI_API_KEY') ?? null,
      maxTokens: model.maxTokens ?? null,
      thinking: model.thinking ?? null,
    },
    persona: config.persona ?? null,
    tools: new Set(CONFIGURABLE_TOOLS.filter((name) => tools[name] ?? true)),
    outsideWorkspace: tools.outsideWorkspace ?? false,
    retry: { retries: retry.retries ?? 2, firstDelayMs: retry.firstDelay ?? 500 },
    sessionsDir: absolute(config.sessions?.dir ?? defaultSessionsDir(env), cwd),
    promptHook:
      hooks.userPromptSubmit === undefined
        ? null
        : { command: hooks.userPromptSubmit, timeout: hooks.timeout ?? DEFAULT_HOOK_TIMEOUT },
    permissions: config.permissions ?? 'never',
    title: config.title ?? false,
    subagents: delegationOf(config.subagents),
    goal: config.goal ?? false,
  };
}

function delegationOf(subagents: AgentConfig['subagents']): DelegationSettings | null {
  if (subagents === undefined) return null;
  const { reportDelivery, depthLimit, continuable, persona, tools } = subagents;
  return {
    reportDelivery: reportDelivery ?? 'next-step',
    depthLimit: depthLimit ?? DEFAULT_DEPTH_LIMIT,
    continuable: continuable ?? true,
    child: { persona, tools },
  };
}

function baseUrlFrom(env: Environment, keyInFile: boolean): string {
  for (const name of ['DEEPSEEK_BASE_URL', 'OPENAI_BASE_URL']) {
    const value = variable(env, name);
    if (value === undefined) continue;
    if (!/^https?:\/\//.test(value) || !URL.canParse(value)) {
      throw configError(
        `environment variable ${name}`,
        'expected a URL that starts with http:// or https://.',
      );
    }
    return value;
  }
  const openAiKey =
    !keyInFile &&
    variable(env, 'DEEPSEEK_API_KEY') === undefined &&
    variable(env, 'OPENAI_API_KEY') !== undefined;
  return openAiKey ? OPENAI_BASE_URL : DEFAULT_BASE_URL;
}

/** An empty or blank variable counts as not set. */
function variable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

/** `$XDG_STATE_HOME/turnpin/sessions`, else below `~/.local/state`; a relative `XDG_STATE_HOME` is ignored, as its standard says. */
function defaultSessionsDir(env: Environment): string {
  const state = variable(env, 'XDG_STATE_HOME');
  const base =
    state !== undefined && path.isAbsolute(state)
      ? state
      : path.join(env['HOME'] ?? homedir(), '.local', 'state');
  return path.join(base, 'turnpin', 'sessions');
}
