/** What a subject can do, in a closed vocabulary, and where each word can be seen or caused (ports.md). */
import type { Driver } from './vocabulary.ts';

/** The closed vocabulary of ports.md. */
export const CAPABILITIES = [
  'followup',
  'tools',
  'steer',
  'inject',
  'cancel',
  'admission',
  'policies',
  'maintenance',
  'status',
  'dispose',
  'events',
  'session-file',
  'checkpoint-faults',
  'in-process',
  'sdk',
  'sdk-client',
  'sdk-client-python',
  'cli',
  'acp',
  'goal',
  'subagent',
  'subagent-continuable',
  'subagent-report',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/**
 * `expresses`: a scenario can cause it through this driver. `observes`: it cannot, but sees what comes of it.
 * `no`: neither, so that no rule which needs the word is credited there.
 */
export type Reach = 'expresses' | 'observes' | 'no';

const everywhere = (reach: Reach): Record<Driver, Reach> => ({
  inproc: reach,
  cli: reach,
  sdk: reach,
  acp: reach,
});

/** Word × driver: the one table, printed in the documentation and used for planning and for coverage. */
export const REACH: Readonly<Record<Capability, Readonly<Record<Driver, Reach>>>> = {
  followup: everywhere('expresses'),
  tools: everywhere('expresses'),
  steer: { inproc: 'expresses', cli: 'no', sdk: 'expresses', acp: 'no' },
  inject: { inproc: 'expresses', cli: 'no', sdk: 'expresses', acp: 'no' },
  cancel: everywhere('expresses'),
  admission: everywhere('expresses'),
  policies: { inproc: 'observes', cli: 'no', sdk: 'no', acp: 'no' },
  maintenance: { inproc: 'expresses', cli: 'observes', sdk: 'observes', acp: 'observes' },
  status: everywhere('observes'),
  dispose: { inproc: 'expresses', cli: 'no', sdk: 'expresses', acp: 'expresses' },
  events: everywhere('observes'),
  'session-file': everywhere('observes'),
  'checkpoint-faults': { inproc: 'expresses', cli: 'no', sdk: 'no', acp: 'no' },
  'in-process': { inproc: 'expresses', cli: 'no', sdk: 'no', acp: 'no' },
  sdk: { inproc: 'no', cli: 'no', sdk: 'expresses', acp: 'no' },
  'sdk-client': everywhere('no'),
  'sdk-client-python': everywhere('no'),
  cli: { inproc: 'no', cli: 'expresses', sdk: 'no', acp: 'no' },
  acp: { inproc: 'no', cli: 'no', sdk: 'no', acp: 'expresses' },
  goal: everywhere('observes'),
  subagent: everywhere('observes'),
  'subagent-continuable': everywhere('observes'),
  'subagent-report': everywhere('observes'),
};

/** The word that a subject claims to be driven in this way. */
export const DRIVER_WORD: Readonly<Record<Driver, Capability>> = {
  inproc: 'in-process',
  cli: 'cli',
  sdk: 'sdk',
  acp: 'acp',
};
