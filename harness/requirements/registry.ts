/** Text of requirements.yaml -> the rules by which every subject is judged. Pure. */
import { z } from 'zod';
import { suggestion } from '../document/nearest.ts';
import { pathText, type Mistake, type Path } from '../document/position.ts';
import { checkShape } from '../document/shape.ts';
import { readYaml, type YamlDocument } from '../document/yaml.ts';
import { CAPABILITIES } from '../verdict/capability.ts';
import type { Requirement } from './requirement.ts';

const entry = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Z]+-[1-9][0-9]*$/u, 'an id is a group and a number, such as SEND-1')
    .describe('Permanent; never reused.'),
  level: z.enum(['MUST', 'SHOULD', 'MAY']).describe('How much a failure weighs.'),
  needs: z.array(z.enum(CAPABILITIES)).describe('What a subject must claim before the rule applies to it.'),
  from: z.string().min(1).describe('Where the rule comes from.'),
  rule: z.string().min(1).describe('What can be observed from outside.'),
  held: z.boolean().optional().describe('True once something fails when the rule is broken.'),
  test: z.string().min(1).optional().describe('The unit test that holds it, where no scenario can.'),
});

export const requirementsFile = z
  .strictObject({
    groups: z.record(z.string(), z.string()).describe('Group -> what its rules are about.'),
    requirements: z.array(entry).describe('The rules, one an entry.'),
  })
  .describe('What an agent core must do.');

export interface Registry {
  readonly requirements: readonly Requirement[];
  /** Group -> what its rules are about. */
  readonly groups: ReadonlyMap<string, string>;
  readonly mistakes: readonly Mistake[];
}

const NONE: Registry = { requirements: [], groups: new Map(), mistakes: [] };

/**
 * A project without the file has no rules. Whether the files that `test` names exist is not asked here: a suite is also run
 * where the reference's own tests are not, against a port.
 */
export function readRequirements(text: string | null): Registry {
  if (text === null) return NONE;
  const read = readYaml(text);
  if ('mistakes' in read) return { ...NONE, mistakes: read.mistakes };
  const { document } = read;
  const shaped = checkShape(requirementsFile, document);
  if ('mistakes' in shaped) return { ...NONE, mistakes: shaped.mistakes };
  const { groups, requirements } = shaped.value;
  const rules = requirements.map((raw, index): Requirement => {
    const { held, test, ...rest } = raw;
    return Object.freeze({
      ...rest,
      group: raw.id.slice(0, raw.id.lastIndexOf('-')),
      held: held ?? false,
      test: test ?? null,
      position: document.valueAt(['requirements', index]),
    });
  });
  const mistakes = rules.flatMap((requirement, index) =>
    mistakesOf({ requirement, index, all: rules, groups: Object.keys(groups), document }),
  );
  return { requirements: Object.freeze(rules), groups: new Map(Object.entries(groups)), mistakes };
}

interface Checked {
  readonly requirement: Requirement;
  readonly index: number;
  readonly all: readonly Requirement[];
  readonly groups: readonly string[];
  readonly document: YamlDocument;
}

function mistakesOf({ requirement, index, all, groups, document }: Checked): Mistake[] {
  const found: Mistake[] = [];
  const note = (key: string, message: string): void => {
    const path: Path = ['requirements', index, key];
    found.push({ position: document.valueAt(path), message, path: pathText(path) });
  };
  const first = all.findIndex((other) => other.id === requirement.id);
  if (first < index) {
    note(
      'id',
      `the id ${requirement.id} is already used on line ${String(document.valueAt(['requirements', first]).line)}; an id is never used twice`,
    );
  }
  if (!groups.includes(requirement.group)) {
    note('id', `there is no group "${requirement.group}"${suggestion(requirement.group, groups)}`);
  }
  return found;
}

/** Rules that have the word in id, group or text; for an exact id or group, those alone. In the order of the registry. */
export function searchRequirements(requirements: readonly Requirement[], word: string): Requirement[] {
  const upper = word.toUpperCase();
  const exact = requirements.filter((one) => one.id === upper || one.group === upper);
  if (exact.length > 0) return exact;
  const words = word
    .toLowerCase()
    .split(/\s+/u)
    .filter((part) => part !== '');
  return requirements.filter((one) => {
    const hay = `${one.id} ${one.group} ${one.rule} ${one.needs.join(' ')} ${one.from}`.toLowerCase();
    return words.every((part) => hay.includes(part));
  });
}
