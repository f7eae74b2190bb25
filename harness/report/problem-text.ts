/** The fixed fields of one problem: where, who is affected, what is wrong, and the command that comes next. */
import type { Affected, Problem } from '../verdict/problem.ts';
import type { PinState, Report } from '../verdict/report.ts';
import type { Kind } from '../verdict/vocabulary.ts';
import { pasteable } from './pasteable.ts';

/** An empty label stands for lines of text without one. */
export interface Field {
  readonly label: string;
  readonly text: string;
}

const MOST_DIFF_LINES = 40;
const MOST_NAMES = 3;

/** `facts` stand above the diff, `next` below it. The last field of `next` is a command, wherever there is one. */
export function fieldsOf(
  problem: Problem,
  report: Report,
  chosenRoot: string | null,
): { readonly facts: readonly Field[]; readonly next: readonly Field[] } {
  const facts = [...place(problem), ...affected(problem, report), ...said(problem.message)];
  return { facts, next: commands(problem, chosenRoot) };
}

/** The diff as lines, cut to what a screen bears; the report has all of it (pins.md, Diffs). */
export function linesOfDiff(diff: string | null): string[] {
  if (diff === null || diff === '') return [];
  const lines = diff.replace(/\n$/u, '').split('\n');
  if (lines.length <= MOST_DIFF_LINES) return lines;
  const kept = MOST_DIFF_LINES - 1;
  return [...lines.slice(0, kept), `… ${lines.length - kept} more lines; all of them with --json`];
}

function place(problem: Problem): Field[] {
  if (problem.file === null) return [];
  const position =
    problem.line === null ? '' : `:${problem.line}${problem.column === null ? '' : `:${problem.column}`}`;
  return [{ label: placeLabel(problem.kind), text: `${problem.file}${position}` }];
}

function placeLabel(kind: Kind): string {
  switch (kind) {
    case 'PIN_CHANGED':
    case 'PIN_NOT_UNIFORM':
    case 'TRANSCRIPT_CHANGED':
      return 'pinned in';
    case 'MISSING_PIN':
    case 'MISSING_SIDECAR':
      return 'belongs in';
    default:
      return 'file';
  }
}

function affected(problem: Problem, report: Report): Field[] {
  if (problem.affected.length === 0 || problem.message.startsWith('seen by ')) return [];
  const pin = report.pins.find((state) => state.key === problem.key);
  return [{ label: 'seen by', text: members(problem.affected, pin) }];
}

/** A pin with one member is a scenario's own; one with more is a category's, and its key says which. */
function members(runs: readonly Affected[], pin: PinState | undefined): string {
  const scenarios = [...new Set(runs.map((run) => run.scenario))];
  if (pin === undefined || pin.members < 2) return names(runs, scenarios);
  const category = pin.key.slice(pin.key.indexOf(':') + 1, pin.key.lastIndexOf('/'));
  const ran = pin.ran < pin.members ? ` (${pin.ran} ran)` : '';
  const few = scenarios.length < pin.ran && scenarios.length <= MOST_NAMES ? `: ${scenarios.join(', ')}` : '';
  return `${scenarios.length} of ${pin.members} scenarios in category "${category}"${ran}${few}`;
}

function names(runs: readonly Affected[], scenarios: readonly string[]): string {
  const drivers = [...new Set(runs.map((run) => run.driver))].join(', ');
  const shown = scenarios.slice(0, MOST_NAMES).join(', ');
  const rest = scenarios.length - MOST_NAMES;
  return `${shown}${rest > 0 ? ` and ${rest} more` : ''} (${drivers})`;
}

/** A line such as `equal to     snapshots/…` is a field already; everything else is prose. */
function said(message: string): Field[] {
  return message
    .trimEnd()
    .split('\n')
    .map((line) => {
      const field = /^([a-z][a-z ]{1,11}?) {2,}(\S.*)$/u.exec(line);
      return { label: field?.[1] ?? '', text: field?.[2] ?? line };
    });
}

function commands(problem: Problem, chosenRoot: string | null): Field[] {
  const look = lookCloser(problem, chosenRoot);
  if (problem.fix === null) {
    const next = look ?? elsewhere(problem, chosenRoot);
    return next === null ? [] : [{ label: look === null ? 'next' : 'look closer', text: next }];
  }
  const fix = pasteable(problem.fix.command, chosenRoot);
  const accepts = problem.fix.command[1] === 'accept';
  if (!accepts) return [{ label: problem.fix.command[1] === 'check' ? 'look closer' : 'fix', text: fix }];
  const writes = `(writes ${problem.fix.writes} file${problem.fix.writes === 1 ? '' : 's'})`;
  const intended = { label: 'intended?', text: `${fix}${' '.repeat(Math.max(2, 43 - fix.length))}${writes}` };
  return look === null ? [intended] : [intended, { label: 'not intended?', text: look }];
}

function lookCloser(problem: Problem, chosenRoot: string | null): string | null {
  const [first] = problem.affected;
  return first === undefined ? null : pasteable(['turnpin', 'check', first.scenario, '--keep'], chosenRoot);
}

/** Where nothing was run and nothing mends it by itself: the command that shows more. */
function elsewhere({ kind, key }: Problem, chosenRoot: string | null): string | null {
  switch (kind) {
    case 'INVALID_SCENARIO':
    case 'INVALID_CONFIG':
      return pasteable(['turnpin', 'lint'], chosenRoot);
    case 'UNCOVERED_REQUIREMENT':
      return pasteable(['turnpin', 'rules', key], chosenRoot);
    case 'NON_CANONICAL':
    case 'VOLATILE_VALUE':
    case 'MISSING_SIDECAR':
      return pasteable(['turnpin', 'check', key.slice(0, Math.max(0, key.lastIndexOf('/')))], chosenRoot);
    default:
      return null;
  }
}
