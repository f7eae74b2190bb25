/** Files that nobody claims, that two claim, or whose name is almost a claimed one (pins.md, rule 2). Pure. */
import { distance } from 'fastest-levenshtein';
import type { Suite } from '../scenario/suite.ts';
import { problem, type Problem } from '../verdict/problem.ts';
import { CHILD_PARTS, isChildPart } from './child-pins.ts';
import type { Claim } from './contract.ts';
import { CATEGORIES_TOPIC, meantFileName, REFERENCE_SUBJECT } from './names.ts';
import { HEADER_PARTS } from '../observe/observations.ts';

/** TWO_OWNERS: two declarations claim one file, or two that are one where upper and lower case are the same. */
export function twoOwners(claims: readonly Claim[]): Problem[] {
  const first = new Map<string, Claim>();
  return claims.flatMap((claim) => {
    const other = first.get(claim.file.toLowerCase());
    if (other === undefined) {
      first.set(claim.file.toLowerCase(), claim);
      return [];
    }
    const message =
      other.file === claim.file
        ? `${ownerText(other)} and ${ownerText(claim)} both claim this file.`
        : `${ownerText(other)} claims ${other.file}, ${ownerText(claim)} claims ${claim.file}: one file where upper and lower case are the same. Rename one.`;
    return [problem({ kind: 'TWO_OWNERS', key: claim.key, file: claim.file, message })];
  });
}

function ownerText({ owner }: Claim): string {
  switch (owner.kind) {
    case 'category':
      return `Category "${owner.category}"`;
    case 'child':
      return `scenario "${owner.scenario}" (child ${owner.child})`;
    case 'transcript':
    case 'wire':
      return `scenario "${owner.scenario}"`;
  }
}

/** ORPHAN_FILE and MISNAMED_FILE for every file without a claim. */
export function unclaimed(facts: {
  readonly suite: Suite;
  readonly claims: readonly Claim[];
  readonly files: readonly string[];
  readonly subject: string;
}): Problem[] {
  const claimed = new Set(facts.claims.map(({ file }) => file));
  const strays = facts.files.filter((file) => !claimed.has(file));
  if (strays.length === 0) return [];
  const present = new Set(facts.files);
  const look: Look = {
    ...facts,
    present,
    folded: new Map(facts.claims.map((claim) => [claim.file.toLowerCase(), claim])),
    byFolder: byFolder(facts.claims),
    claimed,
  };
  return strays.map((file) => stray(file, look));
}

interface Look {
  readonly suite: Suite;
  readonly subject: string;
  readonly present: ReadonlySet<string>;
  readonly claimed: ReadonlySet<string>;
  readonly folded: ReadonlyMap<string, Claim>;
  readonly byFolder: ReadonlyMap<string, readonly Claim[]>;
}

function byFolder(claims: readonly Claim[]): Map<string, Claim[]> {
  const folders = new Map<string, Claim[]>();
  for (const claim of claims) {
    const folder = folderOf(claim.file).toLowerCase();
    const there = folders.get(folder);
    if (there === undefined) folders.set(folder, [claim]);
    else there.push(claim);
  }
  return folders;
}

function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf('/'));
}

function nameOf(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1);
}

function stray(file: string, look: Look): Problem {
  const right = rightName(file, look);
  return right === null ? orphan(file, look) : misnamed(file, right, look);
}

/** The claimed or well-formed name that this one is nearly: wrong case, a leading zero, a slip of the keyboard. */
function rightName(file: string, look: Look): string | null {
  const folded = look.folded.get(file.toLowerCase());
  if (folded !== undefined) return folded.file;
  const folder = folderOf(file);
  const here = look.byFolder.get(folder.toLowerCase()) ?? [];
  const inPlace = here[0] === undefined ? folder : folderOf(here[0].file);
  const meant = meantFileName(nameOf(file));
  if (meant !== null && here.length > 0) return `${inPlace}/${meant}`;
  const near = here
    .map((claim) => ({ file: claim.file, slips: distance(nameOf(claim.file), nameOf(file)) }))
    .filter(
      ({ file: other, slips }) =>
        slips <= 3 && !look.present.has(other) && digits(nameOf(other)) === digits(nameOf(file)),
    )
    .sort((a, b) => a.slips - b.slips);
  return near[0]?.file ?? null;
}

/** `system-prompt.2` is no slip for `system-prompt.1`: it names another child. */
function digits(name: string): string {
  return name.replace(/\D/gu, '');
}

function misnamed(file: string, right: string, look: Look): Problem {
  const claim = look.folded.get(right.toLowerCase());
  const taken = look.present.has(right);
  const message = taken
    ? `Did you mean ${nameOf(right)}? That file exists as well; keep one of them.`
    : `${wrongWith(file, right)}: did you mean ${right}?${claim === undefined ? ' Nothing declares that file either.' : ''}`;
  return problem({
    kind: 'MISNAMED_FILE',
    key: claim?.key ?? file,
    file,
    message,
    seen: right,
    fix: taken ? { command: ['rm', file], writes: 1 } : { command: ['mv', file, right], writes: 1 },
  });
}

function wrongWith(file: string, right: string): string {
  return file.toLowerCase() === right.toLowerCase() ? 'Wrong case' : 'Wrong name';
}

function orphan(file: string, look: Look): Problem {
  return problem({
    kind: 'ORPHAN_FILE',
    key: file,
    file,
    message: whyNobody(file, look),
    seen: 'orphan',
    fix: { command: ['rm', file], writes: 1 },
  });
}

function whyNobody(file: string, look: Look): string {
  const own = `${look.suite.paths.snapshots}/${look.subject}/`;
  if (!file.startsWith(own)) {
    return `No declaration claims this file: it stands outside ${own}, and no other subject is known here.`;
  }
  const folder = folderOf(file).slice(own.length);
  if (folder.startsWith(`${CATEGORIES_TOPIC}/`)) return `No category claims this file.`;
  const scenario = look.suite.scenarios.find(({ id }) => id === folder);
  if (scenario === undefined) {
    const ids = look.suite.scenarios.map(({ id }) => id);
    const near = ids.filter((id) => distance(id, folder) <= 3).slice(0, 1);
    return `No declaration claims this file: there is no scenario "${folder}".${near.map((id) => ` Renamed to "${id}"? Then: turnpin move ${folder} ${id}`).join('')}`;
  }
  const child = /^(?<part>[a-z-]+)\.(?<child>\d+)\.expected\./u.exec(nameOf(file))?.groups;
  const part = HEADER_PARTS.find((known) => known === child?.['part']);
  if (part !== undefined && isChildPart(part)) {
    return `Scenario "${folder}" does not declare it. If child ${child?.['child'] ?? ''} composes something else, add ${CHILD_PARTS[part]}: [${child?.['child'] ?? ''}] to ${scenario.file}; otherwise remove the file.`;
  }
  const wire = /^wire\.(?<driver>[a-z]+)\.expected\.yaml$/u.exec(nameOf(file))?.groups?.['driver'];
  if (wire !== undefined) {
    return `Scenario "${folder}" does not ask for it. Add pinsWire: [${wire}] to ${scenario.file}, or remove the file.`;
  }
  return `No declaration claims this file. Of scenario "${folder}", only ${REFERENCE_SUBJECT === look.subject ? '' : `for ${look.subject} `}the transcript, declared child sidecars and declared wires are pinned.`;
}
