/** The closed lists of `report.md`: drivers, statuses, sections, kinds of problem, and whose fault each kind is. */

export const DRIVERS = ['inproc', 'cli', 'sdk', 'acp'] as const;
export type Driver = (typeof DRIVERS)[number];

export const STATUSES = [
  'pass',
  'fail',
  'known-fail',
  'unexpected-pass',
  'unsupported',
  'not-run',
  'crashed',
  'timeout',
  'setup-error',
  'harness-error',
] as const;
export type Status = (typeof STATUSES)[number];

/** Statuses that make a run fail (exit code 1). */
export const FAILING_STATUSES: readonly Status[] = [
  'fail',
  'crashed',
  'timeout',
  'setup-error',
  'unexpected-pass',
];

export const SECTIONS = ['conversations', 'turns', 'log', 'wire'] as const;
export type Section = (typeof SECTIONS)[number];

export const BLAMES = ['subject', 'suite', 'hygiene', 'usage', 'harness'] as const;
export type Blame = (typeof BLAMES)[number];

type ExitCode = 1 | 2 | 3 | 70 | 130;

/** Every kind of problem with its exit code and its blame. The table of `report.md`, and the only one. */
export const KINDS = {
  INTERRUPTED: { exit: 130, blame: 'usage' },
  HARNESS_ERROR: { exit: 70, blame: 'harness' },
  USAGE: { exit: 2, blame: 'usage' },
  UNWRITABLE: { exit: 2, blame: 'usage' },
  INVALID_SCENARIO: { exit: 2, blame: 'usage' },
  INVALID_MANIFEST: { exit: 2, blame: 'usage' },
  INVALID_CONFIG: { exit: 2, blame: 'usage' },
  PIN_CHANGED: { exit: 1, blame: 'subject' },
  PIN_NOT_UNIFORM: { exit: 1, blame: 'subject' },
  TRANSCRIPT_CHANGED: { exit: 1, blame: 'subject' },
  DRIVERS_DIFFER: { exit: 1, blame: 'subject' },
  EXPECTATION_FAILED: { exit: 1, blame: 'subject' },
  MISSING_PIN: { exit: 1, blame: 'subject' },
  MISSING_SIDECAR: { exit: 1, blame: 'subject' },
  UNEXPECTED_REQUEST: { exit: 1, blame: 'subject' },
  UNUSED_REPLY: { exit: 1, blame: 'subject' },
  UNRELEASED_HOLD: { exit: 1, blame: 'suite' },
  STEP_TIMEOUT: { exit: 1, blame: 'subject' },
  SUBJECT_CRASHED: { exit: 1, blame: 'subject' },
  SUBJECT_PROTOCOL: { exit: 1, blame: 'subject' },
  NOT_DETERMINISTIC: { exit: 1, blame: 'suite' },
  PREFIX_BROKEN: { exit: 1, blame: 'subject' },
  UNEXPECTED_PASS: { exit: 1, blame: 'subject' },
  SETUP_FAILED: { exit: 1, blame: 'subject' },
  CAPABILITY_REFUSED: { exit: 1, blame: 'subject' },
  CREDENTIAL_SEEN: { exit: 1, blame: 'subject' },
  ACCEPT_REFUSED: { exit: 1, blame: 'usage' },
  ORPHAN_FILE: { exit: 3, blame: 'hygiene' },
  MISNAMED_FILE: { exit: 3, blame: 'hygiene' },
  REDUNDANT_SIDECAR: { exit: 3, blame: 'hygiene' },
  NON_CANONICAL: { exit: 3, blame: 'hygiene' },
  VOLATILE_VALUE: { exit: 3, blame: 'hygiene' },
  TWO_OWNERS: { exit: 3, blame: 'hygiene' },
  UNUSED_RULE: { exit: 3, blame: 'hygiene' },
  STALE_BASELINE: { exit: 3, blame: 'hygiene' },
  UNCOVERED_REQUIREMENT: { exit: 3, blame: 'hygiene' },
  MUTANT_SURVIVED: { exit: 3, blame: 'hygiene' },
  MUTANT_MISATTRIBUTED: { exit: 3, blame: 'hygiene' },
  MUTANT_MISSING: { exit: 3, blame: 'hygiene' },
} as const satisfies Record<string, { exit: ExitCode; blame: Blame }>;

export type Kind = keyof typeof KINDS;
