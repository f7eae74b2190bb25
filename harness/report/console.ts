/** A report for people, in the form of pins.md ("A problem's text is an interface"). Pure: same report, same text. */
import picocolors from 'picocolors';
import { STATUSES, type Kind, type Status } from '../verdict/vocabulary.ts';
import type { Problem } from '../verdict/problem.ts';
import type { Report } from '../verdict/report.ts';
import { GROUP_OF, GROUPS, type Group } from './group.ts';
import { fieldsOf, linesOfDiff, type Field } from './problem-text.ts';

export interface ConsoleOptions {
  readonly colors: boolean;
  /** `-C DIR` as it was given, so that the commands shown work when pasted; null where it was not. */
  readonly chosenRoot: string | null;
}

type Paint = ReturnType<typeof picocolors.createColors>;

/** Column in which the right-hand part of the last line ends, where there is room. */
const WIDTH = 110;
/** Problems of one kind that are told one by one. */
const MOST_OF_A_KIND = 20;

/** Everything that went wrong, numbered, and one last line with the counts and the exit code. Ends in LF. */
export function renderConsole(report: Report, options: ConsoleOptions): string {
  const paint = picocolors.createColors(options.colors);
  const problems = inOrder(report.problems);
  const blocks = [
    ...fewOfAKind(problems).map((problem, index) => renderProblem(problem, index + 1, report, options)),
    ...leftOut(problems),
  ];
  const summary = [...unsupported(report), ...runs(report), lastLine(report, paint)].join('\n');
  return `${[...blocks, summary].join('\n\n')}\n`;
}

function fewOfAKind(problems: readonly Problem[]): Problem[] {
  const told = new Map<Kind, number>();
  return problems.filter(({ kind }) => {
    const number = (told.get(kind) ?? 0) + 1;
    told.set(kind, number);
    return number <= MOST_OF_A_KIND;
  });
}

/** A folder that nobody declares any more can hold thousands of files; they are counted, not told one by one. */
function leftOut(problems: readonly Problem[]): string[] {
  const counts = new Map<Kind, number>();
  for (const { kind } of problems) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].flatMap(([kind, number]) =>
    number > MOST_OF_A_KIND ? [`… ${number - MOST_OF_A_KIND} more of ${kind}; all of them with --json`] : [],
  );
}

/** Causes before what follows from them; otherwise in the order of the report. */
function inOrder(problems: readonly Problem[]): Problem[] {
  const rank = (problem: Problem): number => GROUPS.indexOf(GROUP_OF[problem.kind]);
  return [...problems].sort((a, b) => rank(a) - rank(b));
}

/** One problem with its number, without a final LF. `report` tells how many members its pin has. */
export function renderProblem(
  problem: Problem,
  number: number,
  report: Report,
  options: ConsoleOptions,
): string {
  const paint = picocolors.createColors(options.colors);
  const { facts, next } = fieldsOf(problem, report, options.chosenRoot);
  const indent = ' '.repeat(`${number}) `.length);
  const lines = [`${number}) ${paint.bold(paint.red(problem.kind))}  ${paint.bold(problem.key)}`];
  lines.push(...facts.flatMap((field) => shown(field, 13, indent, paint)));
  const diff = linesOfDiff(problem.diff);
  if (diff.length > 0) lines.push('', ...diff.map((line) => coloured(line, indent, paint)));
  if (next.length > 0) {
    const asksIntent = next.some((field) => field.label.endsWith('?'));
    if (diff.length > 0) lines.push('');
    lines.push(...next.flatMap((field) => shown(field, asksIntent ? 15 : 13, indent, paint)));
  }
  return lines.map((line) => line.trimEnd()).join('\n');
}

function shown(field: Field, width: number, indent: string, paint: Paint): string[] {
  const lines = field.text.split('\n');
  if (field.label === '') return lines.map((line) => `${indent}${line}`);
  const label = paint.dim(field.label) + ' '.repeat(Math.max(1, width - field.label.length));
  return lines.map((line, index) =>
    index === 0 ? `${indent}${label}${line}` : `${indent}${' '.repeat(width)}${line}`,
  );
}

function coloured(line: string, indent: string, paint: Paint): string {
  const text = `${indent}  ${line}`;
  const sign = /^\s*([-+])\s*\d+\s/u.exec(line)?.[1] ?? /^([-+])/u.exec(line)?.[1];
  if (sign === '-') return paint.red(text);
  if (sign === '+') return paint.green(text);
  return text;
}

/** Runs that a missing capability excused, listed by reason (ports.md). */
function unsupported(report: Report): string[] {
  const reasons = new Map<string, number>();
  for (const result of report.results) {
    if (result.status !== 'unsupported') continue;
    const reason = result.reason ?? 'no reason given';
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  return [...reasons].sort().map(([reason, number]) => `unsupported  ${runsOf(number)}: ${reason}`);
}

/** What was left out by a filter was no run; what an interruption left out was one to be made. */
function runs(report: Report): string[] {
  const made = report.results.filter(
    (result) => result.status !== 'not-run' || result.reason === 'interrupted',
  );
  if (made.length === 0) return [];
  const scenarios = new Set(made.map((result) => result.scenario)).size;
  const drivers = [...new Set(made.map((result) => result.driver))].join(', ');
  const counts = STATUSES.flatMap((status) => {
    const number = made.filter((result) => result.status === status).length;
    return number > 0 ? [`${number} ${told(status)}`] : [];
  });
  const part = report.filtered
    ? `${scenarios} of ${count(report.suite.scenarios, 'scenario')}`
    : count(scenarios, 'scenario');
  return [`${runsOf(made.length)} of ${part} through ${drivers}: ${counts.join(', ')}.`];
}

function told(status: Status): string {
  return status === 'pass' ? 'passed' : status === 'fail' ? 'failed' : status;
}

function lastLine(report: Report, paint: Paint): string {
  const left = [problemCount(report.problems), ...transcripts(report)].join(' ');
  const patch = report.written.includes('turnpin.patch') ? ['patch: turnpin.patch'] : [];
  const right = [
    ...patch,
    ...(report.verdict === 'conformant' ? ['conformant'] : []),
    `exit ${report.exit}`,
  ].join('   ');
  const gap = ' '.repeat(Math.max(3, WIDTH - left.length - right.length));
  return `${report.exit === 0 ? paint.green(left) : paint.bold(left)}${gap}${right}`;
}

function problemCount(problems: readonly Problem[]): string {
  if (problems.length === 0) return 'No problems.';
  const groups = new Map<Group, number>();
  for (const problem of inOrder(problems)) {
    const group = GROUP_OF[problem.kind];
    groups.set(group, (groups.get(group) ?? 0) + 1);
  }
  const parts = [...groups].map(([group, number]) => `${number} ${group}`);
  return `${count(problems.length, 'problem')} (${parts.join(', ')}).`;
}

function transcripts(report: Report): string[] {
  const all = report.pins.filter((pin) => pin.key.endsWith('/transcript'));
  if (all.length === 0) return [];
  const judged = all.filter((pin) => pin.state !== 'not-judged');
  const matching = judged.filter((pin) => pin.state === 'match').length;
  const rest = all.length - judged.length;
  return [`${matching} of ${judged.length} transcripts match${rest > 0 ? `, ${rest} not judged` : ''}.`];
}

function runsOf(number: number): string {
  return count(number, 'run');
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
