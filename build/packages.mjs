// Makes the build start fast: bundles each third-party package that a command loads at its start into one file below
// dist/vendor, and points the compiled files there. Our own files stay one by one, as they are written.
import { build } from 'esbuild';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Packages of many files, by what must share its modules. `zod/mini` stands apart from `zod`, whose size it would
 * otherwise take over. What is loaded later, or is small, is left where it is.
 */
const GROUPS = [
  ['zod'],
  ['zod/mini', 'zod/v4/locales/en.js'],
  ['yaml'],
  ['commander'],
  ['diff'],
  ['msw'],
  ['@agentclientprotocol/sdk'],
];

/** How everything is bundled. Names stay: some packages show those of their classes. */
export const BUNDLED = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'inline',
  logLevel: 'error',
};

/** `dist` is the absolute path of the compiled project. */
export async function vendor(dist) {
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js'))
    .map((name) => path.join(dist, name));
  const sources = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
  const wanted = GROUPS.map((group) =>
    group.filter((name) => [...sources.values()].some((text) => imports(text, name))),
  );
  await Promise.all(wanted.map((group) => bundle(group, sources, dist)));
  for (const [file, text] of sources) {
    const pointed = wanted.flat().reduce((now, name) => redirect(now, name, file, dist), text);
    if (pointed !== text) writeFileSync(file, pointed);
  }
}

async function bundle(group, sources, dist) {
  await build({
    entryPoints: group.map((name) => ({ in: `vendor:${name}`, out: fileName(name).slice(0, -3) })),
    ...BUNDLED,
    plugins: [entries(sources), lateChildProcess, lateSchemas],
    outdir: path.join(dist, 'vendor'),
    splitting: true,
    format: 'esm',
    banner: {
      js: "import { createRequire as vendorRequire } from 'node:module';\nconst require = vendorRequire(import.meta.url);",
    },
  });
}

/** One module a package, which exports what the compiled files use of it, so that the rest is left out. */
function entries(sources) {
  return {
    name: 'vendor',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^vendor:/ }, (args) => ({
        path: args.path.slice('vendor:'.length),
        namespace: 'vendor',
      }));
      onLoad({ filter: /.*/, namespace: 'vendor' }, async ({ path: name }) => {
        const importers = [...sources.values()].filter((text) => imports(text, name));
        const used = Object.keys(await import(name)).filter((key) =>
          importers.some((text) => mentions(text, key)),
        );
        return { contents: `export { ${used.join(', ')} } from '${name}';`, resolveDir: root };
      });
    },
  };
}

/** commander loads what starts processes, and with it the network, for commands that are programs of their own; there are none here. */
const lateChildProcess = {
  name: 'late-child-process',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]commander[\\/]lib[\\/]command\.js$/ }, (args) => {
      const eager = "const childProcess = require('node:child_process');";
      const late = "const childProcess = { get spawn() { return require('node:child_process').spawn; } };";
      const text = readFileSync(args.path, 'utf8');
      if (!text.includes(eager)) throw new Error(`${args.path} no longer says: ${eager}`);
      return { contents: text.replace(eager, late) };
    });
  },
};

/** The Agent Client Protocol's package builds the schemas of all its methods at its start; each is built here when it is first used. */
const lateSchemas = {
  name: 'late-schemas',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]@agentclientprotocol[\\/]sdk[\\/].*\.gen\.js$/ }, (args) => {
      const text = readFileSync(args.path, 'utf8');
      const eager = /^((?:export )?const z\w+ = )(.*?);(?=\n\S)/gms;
      const contents = text.replace(eager, '$1/* @__PURE__ */ late(() => $2);');
      if (/^(export )?const z\w+ = (?!\/\* @__PURE__)/m.test(contents) || contents === text)
        throw new Error(`${args.path} has a schema in a form that is not known.`);
      return { contents: `${contents}\n${late.toString()}` };
    });
  },
};

/** Stands for the object that `make` makes when it is first looked at. */
function late(make) {
  let made;
  const it = () => (made ??= make());
  return new Proxy(
    {},
    {
      get: (_, key) => it()[key],
      has: (_, key) => key in it(),
      getPrototypeOf: () => Object.getPrototypeOf(it()),
    },
  );
}

/** `import … from 'name'`, `export … from 'name'` or `import('name')`. */
function specifier(name) {
  return new RegExp(`(\\bfrom |\\bimport\\()'${name.replaceAll('.', '\\.')}'`, 'g');
}

function imports(text, name) {
  return specifier(name).test(text);
}

/** May the text use this export, in braces or behind `z.`? Too many only cost size. */
function mentions(text, key) {
  return (
    key === 'default' || new RegExp(`(?:[{,]\\s*|\\bz\\.)${key.replaceAll('$', '\\$')}(?![\\w$.])`).test(text)
  );
}

function redirect(text, name, file, dist) {
  const target = path.relative(path.dirname(file), path.join(dist, 'vendor', fileName(name)));
  const relative = target.startsWith('.') ? target : `./${target}`;
  return text.replace(specifier(name), `$1'${relative.split(path.sep).join('/')}'`);
}

function fileName(name) {
  return `${name.replace(/^@|\.js$/g, '').replaceAll('/', '-')}.js`;
}
