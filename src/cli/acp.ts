/** `turnpin-agent acp`: the Agent Client Protocol on standard input and output (core.md, "The ways in"; ACP-1..7). */
import { AcpBridge } from '../acp/bridge.ts';
import { assemble } from '../assembly/assemble.ts';
import { agentConfig } from '../assembly/config.ts';
import { settingsOf } from '../assembly/settings.ts';
import { version } from '../assembly/version.ts';
import { readConfig } from './configuration.ts';
import type { CommandEdge } from './edge.ts';
import { serveStdio } from './stdio-service.ts';

export interface AcpOptions {
  readonly config?: string;
}

/** Serves until the end of input, a signal, or a client that reads no more; resolves to the exit code. */
export async function acp(options: AcpOptions, edge: CommandEdge): Promise<number> {
  const config = await readConfig(options.config, edge.cwd);
  const checked = agentConfig(config);
  const output = edge.framesOnly();
  const { env } = edge;
  const bridge = new AcpBridge({
    open: ({ choice, cwd, listener, askPermission }) =>
      assemble(config, { cwd, env, session: choice, listener, askPermission }),
    sessionsDir: (cwd) => settingsOf(checked, { cwd: cwd ?? edge.cwd, env }).sessionsDir,
    send: (line) => output.write(line),
    report: (message) => edge.complain(message),
    version: version(),
  });
  return serveStdio(bridge, output, edge);
}
