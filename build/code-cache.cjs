// `node code-cache.cjs turnpin-agent.js …` runs a command of the build, and keeps beside each pack what V8 compiled of it.
'use strict';
const { writeFileSync } = require('node:fs');
const vm = require('node:vm');

const scripts = new Map();
vm.Script = class extends vm.Script {
  constructor(code, options) {
    super(code, options);
    scripts.set(options.filename, this);
  }
};
process.on('exit', () => {
  for (const [filename, script] of scripts)
    writeFileSync(filename.replace(/\.js$/, '.cache'), script.createCachedData());
});
process.argv.splice(1, 1);
require(process.argv[1]);
