/** A run held against its scenario: Recording x Observations -> status and problems (architecture.md). Pure. */
import type { ModelFinding } from '../model/exchange.ts';
import type { Observations } from '../observe/observations.ts';
import type { Recording, RunFailure } from '../run/recording.ts';
import { creditsOf, weightOf } from '../scenario/credit.ts';
import type { Requirement } from '../scenario/suite.ts';
import type { Capability } from '../subject/subject.ts';
import type { Problem } from '../verdict/problem.ts';
import type { Kind, Status } from '../verdict/vocabulary.ts';
import type { Judged, Unmet } from './expectation.ts';
import { judgeLog } from './log.ts';
import { judgeFiles, judgeRefused, judgeRequests, judgeStatus } from './outcomes.ts';
import { RunProblems } from './run-problems.ts';
import { judgeNumbers } from './numbers.ts';
import { judgeTurns } from './turns.ts';
import { judgeAcp, judgeCli, judgeSdk } from './ways-in.ts';

export interface JudgeFacts {
  readonly requirements: readonly Requirement[];
  /** What the subject claims for this driver. */
  readonly capabilities: ReadonlySet<Capability>;
}

export interface RunJudgement {
  readonly status: Status;
  /** Why it is no plain pass; null where it is. */
  readonly reason: string | null;
  /** Empty where all that failed is what a subject MAY do. */
  readonly problems: readonly Problem[];
  /** Rules that this run shows to hold: judged here, and their needs claimed. */
  readonly credited: readonly string[];
  /** The same rules, where the run puts them in doubt. */
  readonly broken: readonly string[];
}

/** Judges the expectations, what the model found, and how the run itself went. Differences from pins are no matter of it. */
export function judgeRun(recording: Recording, observations: Observations, facts: JudgeFacts): RunJudgement {
  const { scenario, failures } = recording;
  const rules = creditsOf(scenario, facts.requirements, {
    driver: recording.driver,
    capabilities: facts.capabilities,
  });
  const problems = collectProblems(recording, observations);
  const [first] = problems;
  if (first === undefined) return { status: 'pass', reason: null, problems, credited: rules, broken: [] };
  const [reason = ''] = first.message.split('\n', 1);
  const isMay =
    weightOf(scenario, facts.requirements) === 'MAY' && problems.every(({ kind }) => WEIGHED.has(kind));
  if (isMay)
    return {
      status: 'pass',
      reason: `a MAY that does not hold: ${reason}`,
      problems: [],
      credited: [],
      broken: rules,
    };
  return { status: statusOf(failures), reason, problems, credited: [], broken: rules };
}

/** Kinds that say how the subject behaves, as against whether it could be run at all. */
const WEIGHED: ReadonlySet<Kind> = new Set([
  'EXPECTATION_FAILED',
  'UNEXPECTED_REQUEST',
  'UNUSED_REPLY',
  'PREFIX_BROKEN',
  'STEP_TIMEOUT',
]);

/** What follows from a failed step: the rest of the script was never asked for. */
const FOLLOWS: ReadonlySet<ModelFinding['kind']> = new Set(['UNUSED_REPLY', 'UNRELEASED_HOLD']);

function collectProblems(recording: Recording, observations: Observations): readonly Problem[] {
  const { failures, findings } = recording;
  const problems = new RunProblems(recording);
  const credentials = observations.credentials.map((place) => problems.credential(place));
  if (failures.length === 0) {
    const unmet = judgeExpectations(recording, observations);
    return [
      ...findings.map((finding) => problems.finding(finding)),
      ...credentials,
      ...unmet.map((each) => problems.unmet(each)),
    ];
  }
  const skipped = findings.filter(({ kind }) => kind === 'UNUSED_REPLY').map(({ key }) => key);
  return [
    ...failures.map((failure) => problems.failure(failure, skipped)),
    ...findings.filter(({ kind }) => !FOLLOWS.has(kind)).map((finding) => problems.finding(finding)),
    ...credentials,
  ];
}

/** Each part where this driver can observe it. */
function judgeExpectations(recording: Recording, observations: Observations): readonly Unmet[] {
  const { expect } = recording.scenario;
  const judged: readonly Judged[] = [
    judgeRefused(expect.refused, recording.refusal),
    judgeTurns(expect.turns, observations.turns),
    judgeRequests(expect.requests, observations.requests),
    judgeLog(expect.log, observations.log),
    judgeNumbers(recording),
    judgeFiles(expect.files, recording.files),
    judgeStatus(expect.status, observations.statuses),
    judgeCli(expect.cli, recording),
    judgeSdk(expect.sdk, recording),
    judgeAcp(expect.acp, recording),
  ];
  return judged.flatMap((part) => part ?? []);
}

function statusOf(failures: readonly RunFailure[]): Status {
  const kinds = new Set(failures.map(({ kind }) => kind));
  if (kinds.has('HARNESS_ERROR')) return 'harness-error';
  if (kinds.has('SETUP_FAILED')) return 'setup-error';
  if (kinds.has('SUBJECT_CRASHED')) return 'crashed';
  return kinds.has('STEP_TIMEOUT') ? 'timeout' : 'fail';
}
