/** Changes of JSON values as lines of text: the verb, the pointer, and what stood and stands there. Pure. */
import type { JsonValue } from '../scenario/scenario.ts';
import type { JsonChange } from './json.ts';
import { renderRows } from './render.ts';
import { textDiff } from './text.ts';
import { around, cut, markWords } from './words.ts';

/** Lines without indentation. */
export function changeLines(change: JsonChange): string[] {
  const place = change.pointer === '' ? 'the whole value' : change.pointer;
  switch (change.verb) {
    case 'added':
      return [`added      ${place}`, `  + ${shown(change.value)}`];
    case 'removed':
      return [`removed    ${place}`, `  - ${shown(change.value)}`];
    case 'renamed':
      return [`renamed    ${place} to ${change.to}`];
    case 'reordered':
      return [
        `reordered  ${place}`,
        `  - ${cut(change.before.join(', '))}`,
        `  + ${cut(change.after.join(', '))}`,
      ];
    case 'changed':
      return [`changed    ${place}`, ...pair(change.before, change.after).map((line) => `  ${line}`)];
  }
}

/** `1 changed, 2 added`. */
export function countVerbs(changes: readonly JsonChange[]): string {
  const verbs = ['changed', 'added', 'removed', 'renamed', 'reordered'] as const;
  return verbs
    .map((verb) => ({ verb, count: changes.filter((change) => change.verb === verb).length }))
    .filter(({ count }) => count > 0)
    .map(({ verb, count }) => `${count} ${verb}`)
    .join(', ');
}

function shown(value: JsonValue): string {
  return cut(JSON.stringify(value));
}

function pair(before: JsonValue, after: JsonValue): string[] {
  if (typeof before !== 'string' || typeof after !== 'string')
    return [`- ${shown(before)}`, `+ ${shown(after)}`];
  if (!before.includes('\n') && !after.includes('\n')) {
    const marked = markWords(before, after);
    const both = marked === null ? { removed: cut(before), added: cut(after) } : around(marked);
    return [`- ${both.removed}`, `+ ${both.added}`];
  }
  return renderRows(textDiff(before, after)?.rows ?? []).split('\n');
}
