/** The library: an agent assembled in process (core.md, "The ways in"). */
export { createAgent } from './agent/agent.ts';
export type { AgentOptions } from './agent/agent.ts';
export type * from './agent/contract.ts';
export { createUserMessage } from './agent/message.ts';
export { assemble } from './assembly/assemble.ts';
export type { Assembled, AssembleOptions, SessionChoice } from './assembly/assemble.ts';
export { agentConfig } from './assembly/config.ts';
export type { AgentConfig } from './assembly/config.ts';
export { ConfigError } from './assembly/config-error.ts';
export type { ConfigProblem } from './assembly/config-error.ts';
export { parseConfig, readConfigFile } from './assembly/config-file.ts';
export type { AskPermission, PermissionRequest } from './assembly/permission.ts';
export { version } from './assembly/version.ts';
export type * from './session/events.ts';
export type { SessionStore } from './session/store.ts';
