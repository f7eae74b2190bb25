/** Which placeholder should have covered a value that two runs show differently (pins.md, rules 5 and 7). Pure. */
import { commonHead, commonTail } from '../diff/edits.ts';
import { volatileValues } from '../pins/volatile.ts';

/** One line as a run shows it, and with its raw values in the places of the placeholders. */
export interface ShownLine {
  readonly shown: string;
  readonly raw: string;
}

/** Forms that are too common in texts to be told by themselves, and telling where two runs differ in them. */
const FORMS: readonly (readonly [RegExp, string])[] = [
  [/^\d{4}-\d\d-\d\d$/u, '{{date}}'],
  [/^\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/u, '{{time}}'],
  [/^1[5-9]\d{8}(?:\d{3})?$/u, '{{time}}'],
  [/^\d+(?:\.\d+)?m?s$/u, '{{ms}}'],
  [/^v?\d+\.\d+\.\d+(?:[-+][\w.-]+)?$/u, '{{version}}'],
  [/^(?=.*\d)[0-9a-f-]{8,}$/iu, '{{session:n}}, {{message:n}} or {{call:n}}'],
  [/^[a-z]+[-_](?=.*\d)[\w-]{6,}$/iu, '{{session:n}}, {{message:n}} or {{call:n}}'],
];

/** A sentence: the rule, and why it did not cover the value. */
export function placeholderRule(first: ShownLine, second: ShownLine): string {
  const [one, other] = differing(first.shown, second.shown);
  const [before, after] = [placeholderIn(one), placeholderIn(other)];
  if (before !== null && after !== null)
    return `${before} and ${after} cover both values: they came in another order, which only luck decides.`;
  if (before !== null || after !== null)
    return `${before ?? after ?? ''} covers the value in the ${before === null ? 'second' : 'first'} run alone.`;
  const values = differing(first.raw, second.raw).map((value) => value.replace(/[.:]+$/u, ''));
  const rule =
    formOf(first.raw, second.raw) ?? FORMS.find(([form]) => values.some((value) => form.test(value)))?.[1];
  return rule === undefined
    ? 'no placeholder has this form; a port covers the value under "volatile" of its manifest.'
    : `${rule} stands for such a value, but the run does not know this one for its own.`;
}

/** The first volatile value of one line that the other has not. */
function formOf(first: string, second: string): string | undefined {
  return volatileValues(first, (value) => second.includes(value))[0]?.placeholder;
}

function placeholderIn(text: string): string | null {
  return /(?<!\{\{)\{\{[a-zA-Z]+(?::[^{}]+)?\}\}/u.exec(text)?.[0] ?? null;
}

/** What is between the same head and the same tail, up to the ends of the words. */
function differing(first: string, second: string): [string, string] {
  let head = commonHead(first, second);
  let tail = commonTail(first, second, Math.min(first.length, second.length) - head);
  while (head > 0 && /[\w.:/+{}-]/u.test(first[head - 1] ?? '')) head -= 1;
  while (tail > 0 && /[\w.:/+{}-]/u.test(first[first.length - tail] ?? '')) tail -= 1;
  return [first.slice(head, first.length - tail), second.slice(head, second.length - tail)];
}
