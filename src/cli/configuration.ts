/** Which configuration a command works with: `--config FILE`, else `./agent.yaml` where there is one. */
import { statSync } from 'node:fs';
import path from 'node:path';
import type { AgentConfig } from '../assembly/config.ts';

/** Throws `ConfigError`. The YAML reader is loaded only where there is a file. */
export async function readConfig(file: string | undefined, cwd: string): Promise<AgentConfig> {
  const chosen = file ?? (exists(path.join(cwd, 'agent.yaml')) ? 'agent.yaml' : null);
  if (chosen === null) return {};
  const { readConfigFile } = await import('../assembly/config-file.ts');
  return readConfigFile(path.resolve(cwd, chosen), chosen);
}

function exists(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A file that is there and cannot be reached is reported when it is read.
    return true;
  }
}
