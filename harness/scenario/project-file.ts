/** Text of turnpin.yaml -> where a project keeps its parts (architecture.md). Pure. */
import type { Mistake } from '../document/position.ts';
import { checkShape } from '../document/shape.ts';
import { readYaml } from '../document/yaml.ts';
import { projectFile } from './schema/project.ts';
import type { ProjectPaths } from './suite.ts';

export const PROJECT_FILE = 'turnpin.yaml';

export interface ReadProject {
  readonly paths: ProjectPaths;
  readonly mistakes: readonly Mistake[];
}

/** `root` is absolute. A missing or empty file means all defaults. */
export function readProject(root: string, text: string | null): ReadProject {
  const usual: ProjectPaths = Object.freeze({
    root,
    scenarios: 'scenarios',
    snapshots: 'snapshots',
    pending: '.turnpin/pending',
  });
  if (text === null || /^(?:\s*(?:#.*)?\n?)*$/u.test(text)) return { paths: usual, mistakes: [] };
  const read = readYaml(text);
  if ('mistakes' in read) return { paths: usual, mistakes: read.mistakes };
  const shaped = checkShape(projectFile, read.document);
  if ('mistakes' in shaped) return { paths: usual, mistakes: shaped.mistakes };
  const { document } = read;
  const mistakes: Mistake[] = [];
  const folder = (key: 'scenarios' | 'snapshots'): string => {
    const given = shaped.value[key];
    if (given === undefined) return usual[key];
    const clean = given.replace(/^\.\//u, '').replace(/\/+$/u, '');
    if (
      clean === '' ||
      clean.startsWith('/') ||
      clean.includes('\\') ||
      /^[A-Za-z]:/u.test(clean) ||
      clean.split('/').some((part) => part === '..' || part === '.' || part === '')
    ) {
      mistakes.push({
        position: document.valueAt([key]),
        message: `"${given}" is no folder below the project; write it relative to this file, with /`,
        path: key,
      });
      return usual[key];
    }
    return clean;
  };
  const paths = Object.freeze({ ...usual, scenarios: folder('scenarios'), snapshots: folder('snapshots') });
  if (paths.scenarios === paths.snapshots) {
    mistakes.push({
      position: document.keyAt(['snapshots']),
      message: 'scenarios and snapshots need a folder each',
      path: 'snapshots',
    });
  }
  return { paths, mistakes };
}
