/** What a client of the protocol may say about its agent, over configuration and environment. Pure. */
import type { AgentConfig } from '../assembly/config.ts';
import type { InitializeParams } from '../sdk/protocol.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The client's model and token ceiling beat the configuration's. */
export function clientConfig(config: AgentConfig, client: InitializeParams): AgentConfig {
  if (client.model === undefined && client.maxTokens === undefined) return config;
  return {
    ...config,
    model: {
      ...config.model,
      ...(client.model === undefined ? {} : { name: client.model }),
      ...(client.maxTokens === undefined ? {} : { maxTokens: client.maxTokens }),
    },
  };
}

/** Without the other provider's variables, where the client has named one. */
export function clientEnvironment(env: Environment, client: InitializeParams): Environment {
  if (client.provider === undefined) return env;
  const other = client.provider === 'openai' ? 'DEEPSEEK_' : 'OPENAI_';
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith(other)));
}
