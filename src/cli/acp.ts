/** `turnpin-agent acp`: the Agent Client Protocol on standard input and output (core.md, "The ways in"; ACP-1..7). */
import { EarlyAnswer } from '../acp/early-answer.ts';
import { version } from '../assembly/version.ts';
import { readConfig } from './configuration.ts';
import type { CommandEdge } from './edge.ts';
import { pacedFetch } from './paced-fetch.ts';
import { serveStdio } from './stdio-service.ts';

export interface AcpOptions {
  readonly config?: string;
}

/**
 * Serves until the end of input, a signal, or a client that reads no more; resolves to the exit code. An editor's first question
 * needs neither the protocol's package nor the agent: the one is loaded behind the answer, the other when the first session is.
 */
export async function acp(options: AcpOptions, edge: CommandEdge): Promise<number> {
  const config = await readConfig(options.config, edge.cwd);
  const output = edge.framesOnly();
  const { env } = edge;
  const fetch = pacedFetch(output);
  const report = (message: string): void => edge.complain(message);
  const service = new EarlyAnswer({
    load: async (send) => {
      const { AcpBridge } = await import('../acp/bridge.ts');
      return new AcpBridge({
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
        send,
        report,
        version: version(),
      });
    },
    send: (line) => output.write(line),
    report,
    version: version(),
  });
  return serveStdio(service, output, edge);
}
