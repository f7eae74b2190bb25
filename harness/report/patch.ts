/** `turnpin.patch`: what `git apply` turns into the accepted state (pins.md, rule 6). Pure. */
import { structuredPatch } from 'diff';

/** A file before and after; null: not there. What is there afterwards is never empty. */
export interface FileChange {
  /** Relative to the project, with `/`. */
  readonly file: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Beyond this the whole file is replaced: a patch need not be small, but it has to be made in bounded time. */
const DIFF_TIMEOUT_MS = 300;

/**
 * A patch of all changes, sorted by file; empty where nothing changes. It has no `diff --git` lines: with them git takes the paths
 * from the repository's root, and passes over all of a project that lies below it.
 */
export function renderPatch(changes: readonly FileChange[]): string {
  return [...changes]
    .filter((change) => change.before !== change.after)
    .sort((a, b) => (a.file < b.file ? -1 : 1))
    .map(section)
    .join('');
}

function section({ file, before, after }: FileChange): string {
  const head = [
    `--- ${before === null ? '/dev/null' : `a/${file}`}`,
    `+++ ${after === null ? '/dev/null' : `b/${file}`}`,
  ];
  return `${[...head, ...hunks(before ?? '', after ?? '')].join('\n')}\n`;
}

function hunks(before: string, after: string): string[] {
  const patch = structuredPatch('a', 'b', before, after, undefined, undefined, {
    context: 3,
    timeout: DIFF_TIMEOUT_MS,
  });
  if (patch === undefined) return replacement(before, after);
  return patch.hunks.flatMap((hunk) => {
    // Where one side has no lines, git counts from 0.
    const oldStart = hunk.oldLines === 0 ? hunk.oldStart - 1 : hunk.oldStart;
    const newStart = hunk.newLines === 0 ? hunk.newStart - 1 : hunk.newStart;
    return [
      `@@ -${Math.max(0, oldStart)},${hunk.oldLines} +${Math.max(0, newStart)},${hunk.newLines} @@`,
      ...hunk.lines,
    ];
  });
}

/** Every old line out, every new line in. */
function replacement(before: string, after: string): string[] {
  const old = linesOf(before);
  const fresh = linesOf(after);
  return [
    `@@ -${old.lines.length === 0 ? 0 : 1},${old.lines.length} +${fresh.lines.length === 0 ? 0 : 1},${fresh.lines.length} @@`,
    ...old.lines.map((line) => `-${line}`),
    ...(old.open ? ['\\ No newline at end of file'] : []),
    ...fresh.lines.map((line) => `+${line}`),
    ...(fresh.open ? ['\\ No newline at end of file'] : []),
  ];
}

function linesOf(text: string): { lines: string[]; open: boolean } {
  if (text === '') return { lines: [], open: false };
  const open = !text.endsWith('\n');
  return { lines: (open ? text : text.slice(0, -1)).split('\n'), open };
}
