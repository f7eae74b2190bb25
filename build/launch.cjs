#!/usr/bin/env node
// Becomes `turnpin-agent.js` in the build (command.mjs says why). A pack is an object of modules by name: one for each way in,
// with all that its first answer needs, and one for each module that is loaded later, with all that comes with it.
'use strict';
const { readFileSync } = require('node:fs');
const { pathToFileURL } = require('node:url');
const { Script } = require('node:vm');

const moduleUrl = pathToFileURL(__filename).href;
const modules = {};
const loaded = new Map();

const [wayIn] = process.argv.slice(2);
unpack(['acp', 'exec'].includes(wayIn) ? wayIn : 'serve');
load('./turnpin-agent.js');

/** Loads a module of a pack, once, or one of Node's own. */
function load(name) {
  if (!name.startsWith('./')) return require(name);
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  if (!(name in modules)) unpack(name.slice('./'.length, -'.js'.length));
  const module = { exports: {} };
  loaded.set(name, module);
  modules[name](load, module, module.exports, moduleUrl);
  return module.exports;
}

/** Packs are ASCII. Another V8 than the one that built them rejects what is kept, and compiles them anew. */
function unpack(pack) {
  const filename = `${__dirname}/${pack}.pack.js`;
  const script = new Script(readFileSync(filename, 'latin1'), { filename, cachedData: kept(pack) });
  for (const [name, run] of Object.entries(script.runInThisContext())) modules[name] ??= run;
}

function kept(pack) {
  try {
    return readFileSync(`${__dirname}/${pack}.pack.cache`);
  } catch {
    return undefined;
  }
}
