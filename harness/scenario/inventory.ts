/** File names below the scenarios folder -> scenarios by id, and files that are in the wrong place. Pure. */
import { problem, type Problem } from '../verdict/problem.ts';
import { RESERVED_TOPIC } from './categories.ts';

export interface Inventory {
  /** Sorted by id. */
  readonly scenarios: readonly { readonly id: string; readonly file: string }[];
  readonly problems: readonly Problem[];
}

/** At the top of the folder; everything else there must be a topic. */
const OWN_FILES = ['categories.yaml', 'requirements.yaml'];
const IGNORED = /(?:^|\/)(?:\.[^/]+|[^/]+~|Thumbs\.db|README\.md)$|\.schema\.json$/u;
const PART = /^[a-z0-9][a-z0-9-]*$/u;

/** `files` are relative to the project, below `folder`. */
export function inventory({
  folder,
  files,
}: {
  readonly folder: string;
  readonly files: readonly string[];
}): Inventory {
  const scenarios: { id: string; file: string }[] = [];
  const problems: Problem[] = [];
  for (const file of files) {
    const path = file.slice(folder.length + 1);
    if (OWN_FILES.includes(path) || IGNORED.test(path)) continue;
    const wrong = misplaced(path);
    if (wrong === null) scenarios.push({ id: path.slice(0, -'.yaml'.length), file });
    else
      problems.push(
        problem({ kind: 'INVALID_SCENARIO', key: path, file, line: 1, column: 1, message: wrong }),
      );
  }
  scenarios.sort((a, b) => (a.id < b.id ? -1 : 1));
  problems.push(...alsoFolders(scenarios));
  return { scenarios, problems };
}

/** `turns/a` beside `turns/a/b`: a selector, a key and a folder of snapshots would each mean two things. */
function alsoFolders(scenarios: readonly { readonly id: string; readonly file: string }[]): Problem[] {
  const folders = new Map(scenarios.map(({ id, file }) => [id.slice(0, id.lastIndexOf('/')), file]));
  return scenarios.flatMap(({ id, file }) => {
    const inside = folders.get(id);
    if (inside === undefined) return [];
    const message = `"${id}" is also the folder of ${inside}; rename one of the two`;
    return [problem({ kind: 'INVALID_SCENARIO', key: id, file, line: 1, column: 1, message })];
  });
}

/** Why a file cannot be a scenario, or null. */
function misplaced(path: string): string | null {
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  if (/\.(?:yml|ya?ml\.txt|YAML|YML)$/u.test(name)) {
    return `scenario files end in .yaml; rename this one to ${name.replace(/\.[^.]*(?:\.txt)?$/u, '')}.yaml`;
  }
  if (!name.endsWith('.yaml'))
    return 'this is no scenario; files beside the scenarios end in .yaml, so move it elsewhere';
  if (parts.length === 1) {
    return `a scenario lies in the folder of its topic, such as turns/${name}; only ${OWN_FILES.join(' and ')} stand here`;
  }
  if (parts[0] === RESERVED_TOPIC) return `a topic may not be called "${RESERVED_TOPIC}"; rename the folder`;
  const odd = [...parts.slice(0, -1), name.slice(0, -'.yaml'.length)].find((part) => !PART.test(part));
  return odd === undefined
    ? null
    : `"${odd}" cannot be part of an id; folders and files are named in small letters, digits and hyphens`;
}
