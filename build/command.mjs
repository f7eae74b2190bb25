// Makes `turnpin-agent` start fast. Node starts sooner without its loader of ES modules, finds a few files sooner than many,
// and runs code sooner when V8 need not compile it. So the command's modules become CommonJS, those that are loaded together
// lie in one pack, and what V8 compiled of each lies beside it. `node build/command.mjs <dist>` does this again for a build.
import { build, transform } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUNDLED } from './packages.mjs';

const COMMAND = 'turnpin-agent.js';

/**
 * Each way in, and how it is called once, in a folder of its own and without a key, for V8 to see what that takes. Nothing is
 * asked of a model.
 */
const WAYS_IN = {
  serve: (cwd) => ({
    args: [],
    requests: [['initialize', { protocolVersion: 1, cwd }]],
    status: 0,
  }),
  acp: (cwd) => ({
    args: [],
    requests: [
      ['initialize', { protocolVersion: 1 }],
      ['session/new', { cwd, mcpServers: [] }],
    ],
    status: 0,
  }),
  exec: () => ({ args: ['a task'], requests: [], status: 2 }),
};

/** Makes `bin/` in `dist`, the absolute path of the compiled project. */
export async function packCommand(dist) {
  const source = path.join(dist, 'src', 'cli');
  const { outputFiles, metafile } = await build({
    ...BUNDLED,
    entryPoints: [path.join(source, COMMAND)],
    absWorkingDir: source,
    outdir: '.',
    splitting: true,
    format: 'esm',
    plugins: [ownRequire, latePackages],
    write: false,
    metafile: true,
  });
  const { outputs } = metafile;
  const modules = new Map();
  for (const { path: file, text } of outputFiles) modules.set(path.basename(file), await commonJs(text));

  const folder = path.join(dist, 'bin');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const write = (pack, names) => {
    const parts = together(outputs, names).map((name) => method(name, modules.get(name)));
    writeFileSync(path.join(folder, `${pack}.pack.js`), `({\n${parts.join(',\n')}\n})\n`);
  };
  for (const [name, { entryPoint }] of Object.entries(outputs)) {
    const entry = entryPoint?.replace(/\.js$/, '');
    if (entry in WAYS_IN) write(entry, [COMMAND, name]);
    else if (entryPoint !== undefined && name !== COMMAND) write(name.replace(/\.js$/, ''), [name]);
  }
  const command = path.join(folder, COMMAND);
  copyFileSync(fileURLToPath(new URL('launch.cjs', import.meta.url)), command);
  chmodSync(command, 0o755);
  // The package as a whole is of ES modules.
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "commonjs" }\n');
  for (const wayIn of Object.keys(WAYS_IN)) keepCode(command, wayIn);
}

/** The bundled packages ask for a `require`; a pack has one, and Node's whole loader need not be loaded for another. */
const ownRequire = {
  name: 'own-require',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^node:module$/ }, () => ({ path: 'require', namespace: 'own' }));
    onLoad({ filter: /.*/, namespace: 'own' }, () => ({
      contents: 'export const createRequire = () => require;',
    }));
  },
};

/** A package that is loaded later is left where it is: of a CommonJS one, the bundler would keep no names. */
const latePackages = {
  name: 'late-packages',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[^./]/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { external: true } : undefined,
    );
  },
};

/** In ASCII, which is read fastest. */
async function commonJs(text) {
  const { code } = await transform(text.replace(/^#!.*/, ''), {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minifyWhitespace: true,
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'moduleUrl' },
  });
  return code.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The modules, and all that is loaded with them. */
function together(outputs, names) {
  const found = new Set(names);
  for (const name of found)
    for (const { path: imported, kind } of outputs[name].imports)
      if (kind === 'import-statement' && imported in outputs) found.add(imported);
  return [...found];
}

function method(name, code) {
  return `${JSON.stringify(`./${name}`)}(require, module, exports, moduleUrl) {\n${code}}`;
}

/** In the folder lies a configuration, so that what reads one is seen too. */
function keepCode(command, wayIn) {
  const cwd = mkdtempSync(path.join(tmpdir(), 'turnpin-build-'));
  writeFileSync(path.join(cwd, 'agent.yaml'), 'title: false\n');
  const { args, requests, status } = WAYS_IN[wayIn](cwd);
  const lines = requests.map(
    ([method, params], index) => `${JSON.stringify({ jsonrpc: '2.0', id: index, method, params })}\n`,
  );
  const keeper = fileURLToPath(new URL('code-cache.cjs', import.meta.url));
  const ran = spawnSync(process.execPath, [keeper, command, wayIn, ...args], {
    cwd,
    env: {},
    input: lines.join(''),
    encoding: 'utf8',
  });
  const answers = ran.stdout.split('\n').filter((line) => line.includes('"result"'));
  const left = readdirSync(cwd).length - 1;
  rmSync(cwd, { recursive: true });
  if (ran.status !== status || answers.length !== requests.length || left > 0)
    throw new Error(`The new build's \`${wayIn}\` went wrong (${ran.status}): ${ran.stdout}${ran.stderr}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await packCommand(path.resolve(process.argv[2]));
