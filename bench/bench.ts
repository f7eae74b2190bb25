/** `npm run bench`: every figure that ARCHITECTURE.md names, measured in one run of the build. Prints; asserts nothing. */
import { benchCorpus } from './corpus.ts';
import { benchPins } from './pins.ts';
import { benchScenario } from './scenario.ts';
import { benchScriptedModel } from './scripted-model.ts';
import { benchSession } from './session.ts';
import { benchWaysIn } from './ways-in.ts';

interface Row {
  readonly what: string;
  readonly value: string;
  readonly goal: string;
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;
const times = (value: number): string => `${value.toFixed(2)} x`;

async function rows(): Promise<Row[]> {
  // First, while this process is small: a large one takes long to start another, whatever that is.
  const waysIn = await benchWaysIn();
  const pins = await benchPins();
  const scenario = await benchScenario();
  const model = await benchScriptedModel();
  const session = await benchSession();
  const corpus = await benchCorpus();
  return [
    { what: 'a scenario in process, median', value: ms(scenario.inProcessMs), goal: 'under 10 ms' },
    { what: 'cold check of one scenario', value: ms(scenario.coldCheckMs), goal: 'under 500 ms' },
    { what: 'the same, through `node -e 0`', value: times(scenario.coldCheckRatio), goal: '' },
    { what: 'first audit of 500 expected files', value: ms(pins.firstAuditMs), goal: 'at most 100 ms' },
    { what: 'a later one, through reading them', value: times(pins.auditRatio), goal: '' },
    { what: 'diff of unrelated texts of 5,000 lines', value: ms(pins.diffMs), goal: 'under 500 ms' },
    { what: 'patch of one', value: ms(pins.patchMs), goal: 'under 500 ms' },
    {
      what: 'model over loopback, 1 client that reads by `fetch`, through a bare server',
      value: times(model.rateRatio.oneClient),
      goal: 'at least 0.8 x',
    },
    {
      what: '32 such clients',
      value: times(model.rateRatio.thirtyTwoClients),
      goal: 'at least 0.8 x',
    },
    {
      what: '1 client that throws the answer away',
      value: times(model.unreadRateRatio.oneClient),
      goal: 'at least 0.8 x',
    },
    {
      what: '32 such clients',
      value: times(model.unreadRateRatio.thirtyTwoClients),
      goal: 'at least 0.8 x',
    },
    { what: 'model start, through a bare server', value: times(model.startRatio), goal: 'at most 1.3 x' },
    {
      what: 'model in process, beyond a stub',
      value: `${model.inProcessMicros.toFixed(0)} µs`,
      goal: 'at most 250 µs',
    },
    {
      what: 'append at 100,000 events, through one at 20,000',
      value: times(session.appendRatio),
      goal: 'about 1 x',
    },
    { what: 'turn 10,000, through turn 1,000', value: times(session.turnRatio), goal: 'about 1 x' },
    { what: 'serve, start to first answer', value: ms(waysIn.serve.ms), goal: 'under 150 ms' },
    {
      what: `the same, through \`node -e 0\` (${ms(waysIn.serve.bareMs)})`,
      value: times(waysIn.serve.ratio),
      goal: '',
    },
    { what: 'acp, start to first answer', value: ms(waysIn.acp.ms), goal: 'under 150 ms' },
    {
      what: `the same, through \`node -e 0\` (${ms(waysIn.acp.bareMs)})`,
      value: times(waysIn.acp.ratio),
      goal: '',
    },
    { what: "a prompt's receipt, median", value: ms(waysIn.receiptMs), goal: 'under 2 ms' },
    { what: 'the same, through an echo over a pipe', value: times(waysIn.receiptRatio), goal: '' },
    { what: 'opening 100,000 events', value: ms(session.openMs), goal: 'a second or two' },
    {
      what: 'a scenario more of 800, through one of 200',
      value: times(corpus.timeRatio),
      goal: 'about 1 x',
    },
    {
      what: 'memory with 800 scenarios, through 50',
      value: times(corpus.memoryRatio),
      goal: 'flat: the scenarios alone',
    },
  ];
}

for (const { what, value, goal } of await rows()) {
  console.log(`${what.padEnd(54)} ${value.padStart(12)}   ${goal}`);
}
