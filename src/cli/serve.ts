/** `turnpin-agent serve`: the low-level protocol on standard input and output (core.md, "The ways in"; SDK-1..7). */
import { version } from '../assembly/version.ts';
import { Server } from '../sdk/server.ts';
import type { InitializeParams } from '../sdk/protocol.ts';
import { clientConfig, clientEnvironment } from './client-settings.ts';
import { readConfig } from './configuration.ts';
import type { CommandEdge } from './edge.ts';
import { pacedFetch } from './paced-fetch.ts';
import { serveStdio } from './stdio-service.ts';

export interface ServeOptions {
  readonly config?: string;
}

/**
 * Serves until `shutdown`, the end of input, a signal, or a client that reads no more; resolves to the exit code. The agent
 * itself is loaded when the first session is: `initialize` needs none.
 */
export async function serve(options: ServeOptions, edge: CommandEdge): Promise<number> {
  const config = await readConfig(options.config, edge.cwd);
  const output = edge.framesOnly();
  const fetch = pacedFetch(output);
  const server = new Server({
    open: async (id, client: InitializeParams, watch) => {
      const { assemble } = await import('../assembly/assemble.ts');
      return assemble(clientConfig(config, client), {
        cwd: client.cwd,
        env: clientEnvironment(edge.env, client),
        session: { id, mode: 'open' },
        fetch,
        ...watch,
      });
    },
    send: (line) => output.write(line),
    report: (message) => edge.complain(message),
    version: version(),
  });
  return serveStdio(server, output, edge);
}
