/** Processes of a run that left its group: a shell of the `bash` tool, a daemon (ports.md, "Process hygiene"). */
import { readdir, readFile } from 'node:fs/promises';

/**
 * Kills every process whose HOME is the home of this run, which no other process has. Where the system does not tell the
 * environment of processes (anything but Linux) it kills nothing. Resolves to how many there were.
 */
export async function killStrays(home: string): Promise<number> {
  const found = await Promise.all(
    (await processes()).map(async (pid) => ((await hasHome(pid, home)) ? pid : null)),
  );
  const strays = found.filter((pid) => pid !== null).filter((pid) => pid !== process.pid);
  for (const pid of strays) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended meanwhile.
    }
  }
  return strays.length;
}

async function processes(): Promise<readonly number[]> {
  if (process.platform !== 'linux') return [];
  const names = await readdir('/proc').catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

async function hasHome(pid: number, home: string): Promise<boolean> {
  try {
    return (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').includes(`HOME=${home}`);
  } catch {
    return false;
  }
}
