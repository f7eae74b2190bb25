// Builds dist/: compiles both houses, bundles what their commands load, and makes the two commands executable. The new
// build takes the old one's place only when it is whole, so that whoever runs the old one meanwhile never finds half of it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packCommand } from './command.mjs';
import { vendor } from './packages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const fresh = `${root}.turnpin/build-${process.pid}`;
const old = `${fresh}-old`;
mkdirSync(`${root}.turnpin`, { recursive: true });
const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
const built = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', fresh], {
  cwd: root,
  stdio: 'inherit',
});
if (built.status === 0) {
  await vendor(fresh);
  await packCommand(fresh);
  chmodSync(`${fresh}/harness/cli/turnpin.js`, 0o755);
  writeFileSync(`${fresh}/build-id`, idOf(fresh));
  if (existsSync(`${root}dist`)) renameSync(`${root}dist`, old);
  renameSync(fresh, `${root}dist`);
}
for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true });
process.exitCode = built.status ?? 1;

/** Of the code itself: what one build keeps for later, another must not take for its own. */
function idOf(folder) {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort())
    if (name.endsWith('.js'))
      hash
        .update(name)
        .update('\0')
        .update(readFileSync(`${folder}/${name}`));
  return hash.digest('hex');
}
