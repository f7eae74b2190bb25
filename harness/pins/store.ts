/** The only writer of the snapshots folder: pending values, `accept`, `prune` (pins.md, rules 3 and 6). */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ProjectPaths, Suite } from '../scenario/suite.ts';
import { problem, type Problem } from '../verdict/problem.ts';
import { decide, planAcceptance, type AcceptanceFacts, type Decision } from './acceptance.ts';
import type { FileChange } from './batch.ts';
import type { Claim, Pending, PinJudgement, StoreResult } from './contract.ts';
import { Disk } from './disk.ts';
import { digestOf } from './expected-file.ts';
import { recover, writeBatch, type JournalPlace } from './journal.ts';
import { asOnlyWriter, LockedError } from './lock.ts';
import { REFERENCE_SUBJECT } from './names.ts';
import { planMove } from './move-plan.ts';
import { mergePending, type StoredPending } from './pending.ts';
import { loadPending, savePending } from './pending-files.ts';
import { planPrune, type PrunePlan } from './prune-plan.ts';
import { redundancies } from './redundancy.ts';
import { editChild } from './scenario-edit.ts';
import { chosenBy, unknownKey, type Selection } from './selection.ts';
import { readSnapshots } from './snapshot-files.ts';

export interface StoreFacts {
  readonly suite: Suite;
  readonly claims: readonly Claim[];
  readonly subject?: string;
  /** As the process was given it; only `CI` matters. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly beforeStep?: JournalPlace['beforeStep'];
}

export interface AcceptChoice {
  /** Keys, or what stands before a slash in keys: `base`, `turns/x`. */
  readonly keys: readonly string[] | 'all';
  /** With `all`: how many values the caller means. */
  readonly expect: number | null;
}

/** Is this a continuous integration run? `CI` is set, and neither empty nor `false` nor `0`. */
export function isContinuousIntegration(env: Readonly<Record<string, string | undefined>>): boolean {
  return !['', 'false', '0'].includes((env['CI'] ?? '').trim().toLowerCase());
}

/**
 * Finishes what a killed `accept`, `prune` or `move` began; resolves to the files that it wrote. Call it before anything reads
 * scenarios or snapshots. Costs one look at the disk where nothing was left behind.
 */
export async function recoverSnapshots(paths: ProjectPaths): Promise<string[]> {
  if (!existsSync(join(paths.root, journalPlace(paths).journal))) return [];
  return asOnlyWriter(lockFile(paths), () => recover(journalPlace(paths)));
}

/** Leaves what a run showed for `accept`; what an earlier run left for the pins that this one judged goes. */
export async function writePending(
  suite: Suite,
  judgement: Pick<PinJudgement, 'pins' | 'pending'>,
): Promise<Pending[]> {
  return asOnlyWriter(lockFile(suite.paths), () => {
    const merged = mergePending(loadPending(suite.paths), judgement);
    savePending(suite.paths, merged);
    return merged;
  });
}

/** What is pending, for `review` and for the patch; a null text was lost or edited. */
export function readPending(suite: Suite): StoredPending[] {
  return loadPending(suite.paths);
}

/** Writes pending values. What has gone stale is refused by name; the rest is written in one batch. */
export async function accept(facts: StoreFacts, choice: AcceptChoice): Promise<StoreResult> {
  if (isContinuousIntegration(facts.env)) return nothing([refusedInCi('accept')]);
  return locked(facts, 'accept', () => acceptNow(facts, choice));
}

/** Deletes redundant files and their declarations; all of them, or those that are chosen by key. */
export async function prune(facts: StoreFacts, keys: readonly string[] | 'all'): Promise<StoreResult> {
  if (isContinuousIntegration(facts.env)) return nothing([refusedInCi('prune')]);
  return locked(facts, 'prune', () => pruneNow(facts, keys));
}

/** Moves a scenario with its snapshots, or a sidecar to another owner (`planMove`). */
export async function move(facts: StoreFacts, from: string, to: string): Promise<StoreResult> {
  if (isContinuousIntegration(facts.env)) return nothing([refusedInCi('move')]);
  return locked(facts, 'move', () => {
    const { suite } = facts;
    const textOf = (file: string): string | null => {
      const path = join(suite.paths.root, file);
      return existsSync(path) ? readFileSync(path, 'utf8') : null;
    };
    const snapshots = readSnapshots(suite.paths).map(({ file }) => file);
    const plan = planMove(from, to, {
      suite,
      snapshots,
      textOf,
      subject: facts.subject ?? REFERENCE_SUBJECT,
    });
    writeBatch(journalPlace(suite.paths, facts.beforeStep), plan.changes);
    const keys = plan.problems.length > 0 ? [] : [from];
    return { problems: plan.problems, written: plan.changes.map(({ file }) => file).sort(), keys };
  });
}

async function locked(facts: StoreFacts, verb: string, work: () => StoreResult): Promise<StoreResult> {
  try {
    return await asOnlyWriter(lockFile(facts.suite.paths), () => {
      const recovered = recover(journalPlace(facts.suite.paths));
      return recovered.length > 0 ? nothing([refusal(verb, null, whatWasRecovered(recovered))]) : work();
    });
  } catch (error) {
    if (error instanceof LockedError) return nothing([refusal(verb, null, error.message)]);
    throw error;
  }
}

function stateFolder(paths: ProjectPaths): string {
  return dirname(paths.pending);
}

function lockFile(paths: ProjectPaths): string {
  return join(paths.root, stateFolder(paths), 'lock');
}

function journalPlace(paths: ProjectPaths, beforeStep?: JournalPlace['beforeStep']): JournalPlace {
  const place = { root: paths.root, journal: `${stateFolder(paths)}/accept.journal` };
  return beforeStep === undefined ? place : { ...place, beforeStep };
}

function nothing(problems: readonly Problem[]): StoreResult {
  return { problems, written: [], keys: [] };
}

function refusal(key: string, file: string | null, message: string): Problem {
  return problem({ kind: 'ACCEPT_REFUSED', key, file, message });
}

/** The caller has read declarations that have changed by this. */
function whatWasRecovered(files: readonly string[]): string {
  return `An earlier command was killed while it wrote; that is finished now (${files.join(', ')}). Look at it, then try again.`;
}

function refusedInCi(verb: string): Problem {
  return refusal(
    verb,
    null,
    `CI is set: a continuous integration run changes no expected file. Apply turnpin.patch, or run turnpin ${verb} where you work.`,
  );
}

function acceptNow(facts: StoreFacts, choice: AcceptChoice): StoreResult {
  const { suite, claims } = facts;
  const disk = new Disk(readSnapshots(suite.paths));
  const known: AcceptanceFacts = { suite, claims, disk, subject: facts.subject ?? REFERENCE_SUBJECT };
  const pending = loadPending(suite.paths);
  if (choice.keys === 'all' && choice.expect !== pending.length)
    return nothing([wrongCount(pending.length, choice.expect)]);
  const selection = chosenBy(choice.keys, { pending, claims, disk });
  const decisions = selection.pending.map((one) => decide(one, known));
  const { changes, pruned } = consequences(decisions, selection.reformat, known);
  writeBatch(journalPlace(suite.paths, facts.beforeStep), changes);
  const settled = new Set(decisions.flatMap((one) => (one.kind === 'refuse' ? [] : [one.pending.key])));
  savePending(suite.paths, withTexts(pending.filter(({ key }) => !settled.has(key))));
  return {
    problems: [
      ...decisions.flatMap(refused),
      ...selection.unknown.map((key) => refusal(key, null, unknownKey(key, { pending, claims, disk }))),
    ],
    written: changes.map(({ file }) => file).sort(),
    keys: [...new Set([...settled, ...selection.reformat.map(({ key }) => key), ...pruned])].sort(),
  };
}

/** What `accept --all` would change, for the patch: what it would refuse is left out. Reads scenario files, writes nothing. */
export function acceptableChanges(pending: readonly StoredPending[], facts: AcceptanceFacts): FileChange[] {
  const decisions = pending.map((one) => decide(one, facts));
  return consequences(decisions, [], facts).changes;
}

/** Every file that changes with these decisions, the declarations of what is pruned with them included. */
function consequences(
  decisions: readonly Decision[],
  reformat: Selection['reformat'],
  facts: AcceptanceFacts,
): { readonly changes: FileChange[]; readonly pruned: readonly string[] } {
  const writes = new Map([
    ...reformat.map(({ file, text }) => [file, text] as const),
    ...decisions.flatMap((one) =>
      one.kind === 'write' ? [[one.pending.file, one.pending.text] as const] : [],
    ),
  ]);
  const plan = planAcceptance(writes, facts);
  return {
    changes: [...plan.changes, ...declarationChanges(facts.suite, plan.prune)],
    pruned: plan.prune.pruned,
  };
}

function wrongCount(count: number, expected: number | null): Problem {
  const now = `${count} ${count === 1 ? 'value is' : 'values are'} pending`;
  return problem({
    kind: 'ACCEPT_REFUSED',
    key: 'accept --all',
    message:
      expected === null
        ? `accept --all wants to know how many values you mean: ${now}. Look at them with turnpin review.`
        : `accept --all --expect ${expected}: ${now}. Look at them with turnpin review.`,
    fix:
      count === 0
        ? null
        : { command: ['turnpin', 'accept', '--all', '--expect', String(count)], writes: count },
  });
}

function refused(decision: Decision): Problem[] {
  if (decision.kind !== 'refuse') return [];
  return [refusal(decision.pending.key, decision.pending.file, decision.reason)];
}

function withTexts(pending: readonly StoredPending[]): Pending[] {
  return pending.flatMap((one) => (one.text === null ? [] : [{ ...one, text: one.text }]));
}

function pruneNow(facts: StoreFacts, keys: readonly string[] | 'all'): StoreResult {
  const { suite, claims } = facts;
  const disk = new Disk(readSnapshots(suite.paths));
  const subject = facts.subject ?? REFERENCE_SUBJECT;
  const found = redundancies(suite, { claims, subject, textOf: (file) => disk.expected(file) });
  const chosen = keys === 'all' ? found : found.filter(({ key }) => keys.includes(key));
  const plan = planPrune(suite, chosen);
  const deletes = plan.deletes.map((file): FileChange => ({ file, before: disk.digest(file), after: null }));
  const changes = [...deletes, ...declarationChanges(suite, plan)];
  writeBatch(journalPlace(suite.paths, facts.beforeStep), changes);
  const unknown = keys === 'all' ? [] : keys.filter((key) => !found.some((one) => one.key === key));
  const blocked =
    keys === 'all'
      ? []
      : chosen.flatMap((one) => (one.blocked === null ? [] : [refusal(one.key, one.file, one.blocked)]));
  return {
    problems: [
      ...unknown.map((key) =>
        refusal(key, null, 'Nothing redundant has this key; turnpin check lists what is.'),
      ),
      ...blocked,
    ],
    written: changes.map(({ file }) => file).sort(),
    keys: plan.pruned,
  };
}

/** The scenario files of a plan, edited. */
function declarationChanges(suite: Suite, plan: PrunePlan): FileChange[] {
  const byId = new Map(suite.scenarios.map((scenario) => [scenario.id, scenario]));
  return [...plan.edits].flatMap(([id, edits]) => {
    const file = byId.get(id)?.file;
    if (file === undefined) return [];
    const bytes = readFileSync(join(suite.paths.root, file));
    const before = bytes.toString('utf8');
    const after = edits.reduce(editChild, before);
    return after === before ? [] : [{ file, before: digestOf(bytes), after }];
  });
}
