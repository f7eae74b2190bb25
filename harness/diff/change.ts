/** What changed between an expected text and an actual one, said in the way that suits the kind of file. Pure. */
import type { JsonValue } from '../scenario/scenario.ts';
import { jsonChanges } from './json.ts';
import { changeLines, countVerbs } from './json-text.ts';
import { renderRows } from './render.ts';
import { toolChanges, type ToolChange } from './schemas.ts';
import { textDiff } from './text.ts';
import { laneDiffs } from './transcript.ts';

export interface Change {
  /** One line: `1 line of 221, 3 words`. */
  readonly summary: string;
  /** Many lines, folded; cut with a notice where it would be endless. No final newline. */
  readonly diff: string;
}

/** Larger files are compared as plain lines: reading their structure would take longer than anybody waits. */
const LARGEST_STRUCTURE = 512 * 1024;
const MOST_LINES = 2_000;

/** `file` is the expected file's name: it decides how the two are compared. */
export function changeOf(file: string, before: string, after: string): Change {
  if (before === after) return { summary: 'nothing', diff: '' };
  const small = before.length + after.length <= LARGEST_STRUCTURE;
  return (small ? structured(file, before, after) : null) ?? byLines(before, after);
}

function byLines(before: string, after: string): Change {
  const found = textDiff(before, after);
  return { summary: found?.summary ?? 'nothing', diff: bounded(renderRows(found?.rows ?? [])) };
}

function bounded(diff: string): string {
  const lines = diff.split('\n');
  if (lines.length <= MOST_LINES) return diff;
  return [...lines.slice(0, MOST_LINES), `… cut here: ${lines.length - MOST_LINES} more lines`].join('\n');
}

function structured(file: string, before: string, after: string): Change | null {
  const name = file.slice(file.lastIndexOf('/') + 1);
  if (name.startsWith('transcript.')) return byLanes(before, after);
  if (!name.endsWith('.json')) return null;
  const [old, now] = [parsed(before), parsed(after)];
  if (old === null || now === null) return null;
  const change = name.startsWith('tool-schemas.') ? byTools(old.value, now.value) : null;
  return change ?? byPointers(old.value, now.value);
}

function parsed(text: string): { readonly value: JsonValue } | null {
  try {
    return { value: JSON.parse(text) as JsonValue };
  } catch {
    return null;
  }
}

function byPointers(before: JsonValue, after: JsonValue): Change | null {
  const changes = jsonChanges(before, after);
  if (changes.length === 0) return null;
  return { summary: countVerbs(changes), diff: bounded(changes.flatMap(changeLines).join('\n')) };
}

function byTools(before: JsonValue, after: JsonValue): Change | null {
  const changes = toolChanges(before, after);
  if (changes === null || changes.length === 0) return null;
  return {
    summary: changes.map(toolSummary).join('; '),
    diff: bounded(changes.flatMap(toolLines).join('\n')),
  };
}

function toolSummary(change: ToolChange): string {
  switch (change.verb) {
    case 'added':
    case 'removed':
      return `tool ${change.tool} ${change.verb}`;
    case 'renamed':
      return `tool ${change.tool} renamed to ${change.to}`;
    case 'reordered':
      return 'tools reordered';
    case 'changed':
      return `tool ${change.tool}: ${countVerbs(change.changes)}`;
  }
}

function toolLines(change: ToolChange): string[] {
  switch (change.verb) {
    case 'added':
    case 'removed':
    case 'renamed':
      return [toolSummary(change)];
    case 'reordered':
      return ['tools reordered', `  - ${change.before.join(', ')}`, `  + ${change.after.join(', ')}`];
    case 'changed':
      return [`tool ${change.tool}`, ...change.changes.flatMap(changeLines).map((line) => `  ${line}`)];
  }
}

function byLanes(before: string, after: string): Change | null {
  const lanes = laneDiffs(before, after);
  if (lanes.length === 0) return null;
  return {
    summary: lanes.map(({ lane, summary }) => `${lane}: ${summary}`).join('; '),
    diff: bounded(lanes.map(({ lane, rows }) => `${lane}:\n${renderRows(rows)}`).join('\n')),
  };
}
