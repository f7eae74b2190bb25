import { benchScriptedModel } from '/work/main/bench/scripted-model.ts';
console.log(await benchScriptedModel());
