/** Kinds of problem by what a reader would call them in one word, for the count in the last line. */
import type { Kind } from '../verdict/vocabulary.ts';

export type Group =
  | 'pin'
  | 'layout'
  | 'expectation'
  | 'model'
  | 'run'
  | 'scenario'
  | 'coverage'
  | 'baseline'
  | 'mutant'
  | 'usage'
  | 'harness';

export const GROUP_OF: Readonly<Record<Kind, Group>> = {
  INTERRUPTED: 'usage',
  HARNESS_ERROR: 'harness',
  USAGE: 'usage',
  UNWRITABLE: 'usage',
  INVALID_SCENARIO: 'scenario',
  INVALID_MANIFEST: 'scenario',
  INVALID_CONFIG: 'scenario',
  PIN_CHANGED: 'pin',
  PIN_NOT_UNIFORM: 'pin',
  TRANSCRIPT_CHANGED: 'pin',
  DRIVERS_DIFFER: 'pin',
  EXPECTATION_FAILED: 'expectation',
  MISSING_PIN: 'pin',
  MISSING_SIDECAR: 'pin',
  UNEXPECTED_REQUEST: 'model',
  UNUSED_REPLY: 'model',
  UNRELEASED_HOLD: 'model',
  STEP_TIMEOUT: 'run',
  SUBJECT_CRASHED: 'run',
  SUBJECT_PROTOCOL: 'run',
  NOT_DETERMINISTIC: 'run',
  PREFIX_BROKEN: 'model',
  UNEXPECTED_PASS: 'baseline',
  SETUP_FAILED: 'run',
  CAPABILITY_REFUSED: 'run',
  CREDENTIAL_SEEN: 'model',
  ACCEPT_REFUSED: 'usage',
  ORPHAN_FILE: 'layout',
  MISNAMED_FILE: 'layout',
  REDUNDANT_SIDECAR: 'layout',
  NON_CANONICAL: 'layout',
  VOLATILE_VALUE: 'layout',
  TWO_OWNERS: 'layout',
  UNUSED_RULE: 'layout',
  STALE_BASELINE: 'baseline',
  UNCOVERED_REQUIREMENT: 'coverage',
  MUTANT_SURVIVED: 'mutant',
  MUTANT_MISATTRIBUTED: 'mutant',
  MUTANT_MISSING: 'mutant',
};
