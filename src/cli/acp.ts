/** `turnpin-agent acp`: the Agent Client Protocol on standard input and output (core.md, "The ways in"; ACP-1..7). */
import { AcpBridge } from '../acp/bridge.ts';
import { version } from '../assembly/version.ts';
import { readConfig } from './configuration.ts';
import type { CommandEdge } from './edge.ts';
import { pacedFetch } from './paced-fetch.ts';
import { serveStdio } from './stdio-service.ts';

export interface AcpOptions {
  readonly config?: string;
}

/**
 * Serves until the end of input, a signal, or a client that reads no more; resolves to the exit code. The agent itself is
 * loaded when the first session is: an editor's first question needs none.
 */
export async function acp(options: AcpOptions, edge: CommandEdge): Promise<number> {
  const config = await readConfig(options.config, edge.cwd);
  const output = edge.framesOnly();
  const { env } = edge;
  const fetch = pacedFetch(output);
  const bridge = new AcpBridge({
    open: async ({ choice, ...opening }) => {
      const { assemble } = await import('../assembly/assemble.ts');
      return assemble(config, { ...opening, env, fetch, session: choice });
    },
    list: async (cwd, cursor) => {
      const [{ listPage }, { settingsOf }] = await Promise.all([
        import('../acp/session-list.ts'),
        import('../assembly/settings.ts'),
      ]);
      const { sessionsDir } = settingsOf(config, { cwd: cwd ?? edge.cwd, env });
      return listPage({ dir: sessionsDir, cwd, cursor });
    },
    send: (line) => output.write(line),
    report: (message) => edge.complain(message),
    version: version(),
  });
  return serveStdio(bridge, output, edge);
}
