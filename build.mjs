// Builds dist/: compiles both houses, copies what is no TypeScript, and makes the two commands executable.
import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));
rmSync(`${root}dist`, { recursive: true, force: true });
const tsc = fileURLToPath(new URL('./node_modules/typescript/bin/tsc', import.meta.url));
const built = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
if (built.status !== 0) process.exit(built.status ?? 1);
for (const command of ['harness/cli/turnpin.js', 'src/cli/turnpin-agent.js']) chmodSync(`${root}dist/${command}`, 0o755);
