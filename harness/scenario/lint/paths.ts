/** Files of the workspace stay in the workspace. */
import type { Check, Note } from './check.ts';

export const lintPaths: Check = (scenario, _around, note) => {
  lintFiles('workspace', Object.keys(scenario.workspace), note);
  lintFiles('expect.files', Object.keys(scenario.expect.files ?? {}), note);
  scenario.steps.forEach((step, index) => {
    if (step.do === 'write') lintFiles(`steps.${String(index)}.write`, Object.keys(step.files), note);
  });
};

function lintFiles(path: string, files: readonly string[], note: Note): void {
  for (const file of files) {
    const wrong = wrongPath(file);
    if (wrong !== null) note(`${path}.${file}`, wrong);
    else if (path === 'workspace' && files.some((other) => other.startsWith(`${file}/`))) {
      note(`${path}.${file}`, `"${file}" cannot be a file and a folder with files in it`);
    }
  }
}

function wrongPath(file: string): string | null {
  if (file.includes('\\')) return `write "${file}" with / between folders`;
  if (file.startsWith('/') || /^[A-Za-z]:/u.test(file) || file.startsWith('~')) {
    return `"${file}" is no path in the workspace; write it relative to the workspace`;
  }
  const parts = file.split('/');
  if (parts.includes('..')) return `"${file}" leaves the workspace`;
  return parts.some((part) => part === '' || part === '.')
    ? `"${file}" is no plain path of a file, such as notes/today.md`
    : null;
}
