/** A whole agent from one configuration (core.md, "Prompt, tools, composition"). */
import { createAgent } from '../agent/agent.ts';
import type { AgentOptions } from '../agent/agent.ts';
import type { Agent, Listener, Policies } from '../agent/contract.ts';
import { createChatCompletions } from '../model/chat-completions.ts';
import type { Fetch } from '../model/chat-completions.ts';
import { ModelError } from '../model/model.ts';
import type { Model } from '../model/model.ts';
import {
  isGuidedTool,
  personaSection,
  toolSection,
  toolsSection,
  workspaceSection,
} from '../prompt/first-party.ts';
import { SystemPrompt } from '../prompt/sections.ts';
import type { SessionId } from '../session/events.ts';
import {
  createMemorySession,
  createSession,
  newSessionId,
  openSession,
  sessionExists,
} from '../session/session.ts';
import type { Session, SessionParts } from '../session/session.ts';
import { ListenerError } from '../session/publication.ts';
import type { SessionStore } from '../session/store.ts';
import { asError, messageOf } from '../session/thrown.ts';
import type { ChildNews, MakeAgent } from '../subagent/family.ts';
import { whenQuiescent } from '../subagent/quiescence.ts';
import type { Scope } from '../subagent/scope.ts';
import { createFirstPartyTools } from '../tools/first-party.ts';
import { ToolRegistry } from '../tools/registry.ts';
import { createToolRunner } from '../tools/scheduler.ts';
import { agentConfig } from './config.ts';
import { configError } from './config-error.ts';
import { withChildren } from './delegation.ts';
import { pursue } from './pursuit.ts';
import type { GoalControl } from './pursuit.ts';
import { guarded } from './permission.ts';
import type { AskPermission } from './permission.ts';
import { promptHook } from './prompt-hook.ts';
import { settingsOf } from './settings.ts';
import type { Environment, Settings } from './settings.ts';
import { titleJob } from './title.ts';
import { version } from './version.ts';

/** Which session the agent drives. */
export type SessionChoice =
  /** A new one on disk. An id that exists already is refused. */
  | { readonly mode: 'new'; readonly id?: string }
  /** One whose log exists; `SESSION_NOT_FOUND` otherwise. */
  | { readonly mode: 'resume'; readonly id: string }
  /** Resumed where its log exists, new otherwise. */
  | { readonly mode: 'open'; readonly id: string }
  /** Without a file. */
  | { readonly mode: 'memory'; readonly id?: string };

export interface AssembleOptions {
  /** Absolute path of the workspace. */
  readonly cwd: string;
  /** Fills in what the configuration leaves open, and is the environment of tools and hooks. `process.env` by default. */
  readonly env?: Environment;
  /** A new session on disk by default. */
  readonly session?: SessionChoice;
  /** Carries the model's requests; the global one by default. */
  readonly fetch?: Fetch;
  /** The configuration's prompt hook is asked first, then `admitPrompt` of these. */
  readonly policies?: Policies;
  /** Answers `permissions: ask`. */
  readonly askPermission?: AskPermission;
  /** Wraps the session's store, for example to hold or to fail a checkpoint. */
  readonly wrapStore?: (store: SessionStore) => SessionStore;
  /** Subscribed before anything is published; is told first of what recovery recorded. */
  readonly listener?: Listener;
  /** Told of children: that an epoch begins, everything that it records, and its end. */
  readonly onChild?: (news: ChildNews) => void;
}

/** An agent and what was assembled around it. */
export interface Assembled {
  readonly agent: Agent;
  readonly sessionId: SessionId;
  /** Path of the session's log; null for one in memory. */
  readonly sessionFile: string | null;
  /** Resolves at the first whole-agent idle at which no continuable child of the agent's own lives (CLI-1). */
  whenQuiescent(): Promise<void>;
  /** Null where the configuration has no goals. */
  readonly goal: GoalControl | null;
  /** Settles when all is flushed and let go; idempotent. Rejects with the store's error when the last flush failed. */
  dispose(): Promise<void>;
}

/**
 * Assembles an agent. `config` is what `agent.yaml` may say, as a value; it is checked here.
 * Rejects with `ConfigError`, or with `SessionFileError` for a session that cannot be opened.
 */
export async function assemble(config: unknown, options: AssembleOptions): Promise<Assembled> {
  const env = options.env ?? process.env;
  const settings = settingsOf(agentConfig(config), { cwd: options.cwd, env });
  const model = modelOf(settings, options.fetch ?? defaultFetch());
  const flushes = new FlushRecord();
  const session = openChosen(settings, options, flushes);
  if (options.listener !== undefined) listen(session, options.listener);
  const tools = toolsOf(settings, options, session);
  const composition: Scope = { tools, prompt: promptOf(settings, options.cwd, tools) };
  const { cwd } = options;
  const common = { model, cwd, env: withoutKeys(env), retry: settings.retry };
  const pursuit = settings.goal ? pursue(session) : null;
  const admitted = policiesOf(settings, { session, cwd, env: common.env, policies: options.policies ?? {} });
  const makeRoot: MakeAgent = ({ scope, ...parts }) =>
    createAgent({
      ...common,
      ...parts,
      ...offered(scope),
      policies: pursuit === null ? admitted : pursuit.policies(admitted),
      maintenance: settings.title ? [titleJob(session.log, model)] : [],
    });
  const { agent, children } = withChildren(settings, {
    root: { session, composition, depth: session.header.delegationDepth ?? 0 },
    add: (scope) => pursuit?.offer(scope),
    makeRoot,
    makeChild: ({ scope, ...parts }) => createAgent({ ...common, ...parts, ...offered(scope) }),
    wrapStore: (store) => flushes.watch(store),
    tell: contained(session, options.onChild),
  });
  pursuit?.attach(agent, children);
  return {
    agent,
    sessionId: session.id,
    sessionFile: session.file,
    whenQuiescent: () => (children === null ? agent.whenIdle() : whenQuiescent(agent, children)),
    goal: pursuit?.control ?? null,
    dispose: async () => {
      await agent.dispose();
      const [failure] = flushes.failures();
      if (failure !== undefined) throw failure;
    },
  };
}

/** What a request offers is asked of the scope each time: it can change (REQ-4). */
function offered({ tools, prompt }: Scope): Pick<AgentOptions, 'tools' | 'systemPrompt'> {
  return { tools: createToolRunner(tools), systemPrompt: () => prompt.render() };
}

/** A watcher that throws is reported and changes nothing. */
function contained(session: Session, watch: AssembleOptions['onChild']): (news: ChildNews) => void {
  return (news) => {
    try {
      watch?.(news);
    } catch (error) {
      session.log.notify({ type: 'agent/error', error: new ListenerError(`subagent ${news.kind}`, error) });
    }
  };
}

/** How the latest flush of each store ended. */
class FlushRecord {
  readonly #latest: { failure: Error | null }[] = [];

  failures(): readonly Error[] {
    return this.#latest.flatMap(({ failure }) => failure ?? []);
  }

  watch(store: SessionStore): SessionStore {
    const latest: { failure: Error | null } = { failure: null };
    this.#latest.push(latest);
    return {
      append: (line) => store.append(line),
      close: () => store.close(),
      flush: async () => {
        try {
          await store.flush();
          latest.failure = null;
        } catch (error) {
          latest.failure = asError(error);
          throw error;
        }
      },
    };
  }
}

function openChosen(settings: Settings, options: AssembleOptions, flushes: FlushRecord): Session {
  const parts: SessionParts = {
    wrapStore: (store) => flushes.watch(options.wrapStore === undefined ? store : options.wrapStore(store)),
  };
  const dir = settings.sessionsDir;
  const facts = { cwd: options.cwd };
  const choice: SessionChoice = options.session ?? { mode: 'new' };
  const id = (choice.id ?? newSessionId()) as SessionId;
  switch (choice.mode) {
    case 'new':
      return createSession({ ...parts, dir, id, facts });
    case 'resume':
      return openSession({ ...parts, dir, id });
    case 'open':
      return sessionExists(dir, id)
        ? openSession({ ...parts, dir, id })
        : createSession({ ...parts, dir, id, facts });
    case 'memory':
      return createMemorySession({ ...parts, id, facts });
  }
}

/** What recovery wrote was recorded before anybody could listen; it comes first. */
function listen(session: Session, listener: Listener): void {
  const repairs = session.resumed?.repairs ?? 0;
  for (const event of session.log.events.slice(session.log.events.length - repairs))
    listener({ kind: 'event', event });
  session.log.subscribe(listener);
}

function modelOf(settings: Settings, fetch: Fetch): Model {
  const { name, baseUrl, apiKey, maxTokens, thinking } = settings.model;
  const model = createModel({
    baseUrl,
    apiKey: apiKey ?? undefined,
    model: name,
    maxTokens: maxTokens ?? undefined,
    thinking: thinking ?? undefined,
    fetch,
    version: version(),
  });
  if (apiKey !== null) return model;
  // An agent without a key is whole until it has to ask.
  return { header: (request) => model.header(request), attempt: () => Promise.reject(missingKey()) };
}

/** The endpoint's address or the key can be wrong in ways that only the wire knows. */
function createModel(options: Parameters<typeof createChatCompletions>[0]): Model {
  try {
    return createChatCompletions(options);
  } catch (error) {
    throw configError('model', messageOf(error));
  }
}

function missingKey(): ModelError {
  return new ModelError(
    'No API key: set model.apiKey in agent.yaml, or the environment variable DEEPSEEK_API_KEY or OPENAI_API_KEY. An endpoint that needs none takes any text.',
    { code: 'MISSING_API_KEY', retryable: false },
  );
}

function defaultFetch(): Fetch {
  return (url, init) => globalThis.fetch(url, init);
}

/** What tools and hooks may see: the model's keys are the agent's own, and a command could print them. */
function withoutKeys({
  DEEPSEEK_API_KEY: _deepseek,
  OPENAI_API_KEY: _openai,
  ...rest
}: Environment): Environment {
  return rest;
}

function toolsOf(settings: Settings, options: AssembleOptions, { file }: Session): ToolRegistry {
  const registry = new ToolRegistry();
  const tools = createFirstPartyTools({
    confine: !settings.outsideWorkspace,
    spillDir: file === null ? undefined : file.replace(/\.jsonl$/, '.output'),
  });
  for (const tool of tools) {
    if (!settings.tools.has(tool.name)) continue;
    registry.add(settings.permissions === 'ask' ? guarded(tool, options.askPermission) : tool);
  }
  return registry;
}

function promptOf(settings: Settings, cwd: string, tools: ToolRegistry): SystemPrompt {
  const prompt = new SystemPrompt();
  prompt.add(personaSection(settings.persona ?? undefined));
  prompt.add(workspaceSection(cwd));
  const offered = tools.tools();
  if (offered.length > 0 || settings.subagents !== null || settings.goal) prompt.add(toolsSection());
  for (const { name } of offered) if (isGuidedTool(name)) prompt.add(toolSection(name));
  return prompt;
}

interface PolicyFacts {
  readonly session: Session;
  readonly cwd: string;
  readonly env: Environment;
  readonly policies: Policies;
}

function policiesOf(settings: Settings, facts: PolicyFacts): Policies {
  const { session, cwd, env, policies } = facts;
  if (settings.promptHook === null) return policies;
  const hook = promptHook({
    ...settings.promptHook,
    cwd,
    env,
    sessionId: session.id,
    report: (error) => session.log.notify({ type: 'agent/error', error }),
  });
  const { admitPrompt } = policies;
  if (admitPrompt === undefined) return { ...policies, admitPrompt: hook };
  return {
    ...policies,
    admitPrompt: async (message, signal) => {
      const first = await hook(message, signal);
      if (!first.allow) return first;
      const second = await admitPrompt(message, signal);
      return second.allow && first.context !== undefined
        ? { ...second, context: joined(first.context, second.context) }
        : second;
    },
  };
}

function joined(first: string, second: string | undefined): string {
  return second === undefined ? first : `${first}\n\n${second}`;
}
