/** `turnpin move`: a scenario takes its snapshots along, or a sidecar gets another owner; references follow. Pure. */
import type { Scenario } from '../scenario/scenario.ts';
import type { Suite } from '../scenario/suite.ts';
import { problem, type Problem } from '../verdict/problem.ts';
import type { FileChange } from './batch.ts';
import { CHILD_PARTS, declaredChildren, type ChildPart } from './child-pins.ts';
import { digestOf } from './expected-file.ts';
import { CATEGORIES_TOPIC, headerFileName, REFERENCE_SUBJECT } from './names.ts';
import { editChild, type ChildEdit } from './scenario-edit.ts';

export interface MoveFacts {
  readonly suite: Suite;
  /** Every file below the snapshots folder. */
  readonly snapshots: readonly string[];
  /** Text of a file of the project; null where there is none. */
  readonly textOf: (file: string) => string | null;
  readonly subject?: string;
}

export interface MovePlan {
  readonly changes: readonly FileChange[];
  readonly problems: readonly Problem[];
}

const ID = /^[a-z0-9][a-z0-9-]*(?:\/[a-z0-9][a-z0-9-]*)+$/u;
const SIDECAR = /^(?<scenario>.+)\/(?<part>system-prompt|tool-schemas)\.(?<child>[1-9]\d*)$/u;

/**
 * `from` is a scenario's id or a sidecar's key, `to` the new id or the scenario that owns the sidecar from now on. A scenario
 * file that was renamed by hand already is fine: its snapshots and the references to it follow.
 */
export function planMove(from: string, to: string, facts: MoveFacts): MovePlan {
  const sidecar = SIDECAR.exec(from)?.groups;
  const part = (Object.keys(CHILD_PARTS) as ChildPart[]).find((known) => known === sidecar?.['part']);
  if (sidecar === undefined || part === undefined) return moveScenario(from, to, facts);
  return moveSidecar(
    { scenario: sidecar['scenario'] ?? '', part, child: Number(sidecar['child']) },
    to,
    facts,
  );
}

function refused(key: string, message: string): MovePlan {
  return { changes: [], problems: [problem({ kind: 'USAGE', key, message })] };
}

function moveScenario(from: string, to: string, facts: MoveFacts): MovePlan {
  const { suite } = facts;
  if (!ID.test(to) || to.startsWith(`${CATEGORIES_TOPIC}/`)) {
    return refused(
      to,
      `"${to}" cannot be a scenario's id: topic/name, in small letters, digits and hyphens.`,
    );
  }
  const [oldFile, newFile] = [from, to].map((id) => `${suite.paths.scenarios}/${id}.yaml`) as [
    string,
    string,
  ];
  const [old, fresh] = [facts.textOf(oldFile), facts.textOf(newFile)];
  if (old !== null && fresh !== null) return refused(to, `${newFile} exists already; choose another id.`);
  if (old === null && fresh === null)
    return refused(from, `There is no scenario "${from}", and none "${to}" that it was renamed to.`);
  const renames = facts.snapshots.flatMap((file): (readonly [string, string])[] => {
    const rest = file.slice(suite.paths.snapshots.length + 1);
    const subject = rest.slice(0, rest.indexOf('/'));
    const folder = `${suite.paths.snapshots}/${subject}/${from}/`;
    return file.startsWith(folder) && !file.slice(folder.length).includes('/')
      ? [[file, `${suite.paths.snapshots}/${subject}/${to}/${file.slice(folder.length)}`]]
      : [];
  });
  const taken = renames.find(([, target]) => facts.textOf(target) !== null);
  if (taken !== undefined) return refused(to, `${taken[1]} exists already; remove it or choose another id.`);
  const moves = old === null ? renames : [[oldFile, newFile] as const, ...renames];
  const edits = referring(suite, from).map(({ scenario, part, child }) => ({
    scenario,
    edit: { do: 'refer', part, child, owner: to } satisfies ChildEdit,
  }));
  return { changes: [...moves.flatMap((move) => moved(move, facts)), ...edited(edits, facts)], problems: [] };
}

function moved([file, target]: readonly [string, string], { textOf }: MoveFacts): FileChange[] {
  const text = textOf(file);
  if (text === null) return [];
  return [
    { file: target, before: null, after: text },
    { file, before: digestOf(text), after: null },
  ];
}

interface Reference {
  readonly scenario: Scenario;
  readonly part: ChildPart;
  readonly child: number;
}

/** Every declaration that names this scenario as the owner. */
function referring(suite: Suite, owner: string): Reference[] {
  return suite.scenarios.flatMap((scenario) =>
    (Object.keys(CHILD_PARTS) as ChildPart[]).flatMap((part) =>
      declaredChildren(scenario, part).flatMap((pin) =>
        pin.owner === owner ? [{ scenario, part, child: pin.child }] : [],
      ),
    ),
  );
}

function edited(
  edits: readonly { readonly scenario: Scenario; readonly edit: ChildEdit }[],
  { textOf }: MoveFacts,
): FileChange[] {
  const texts = new Map<string, string>();
  for (const { scenario, edit } of edits) {
    const text = texts.get(scenario.file) ?? textOf(scenario.file);
    if (text !== null) texts.set(scenario.file, editChild(text, edit));
  }
  return [...texts].map(([file, after]) => ({ file, before: digestOf(textOf(file) ?? ''), after }));
}

/** The new owner has to refer to it, or have the same child undeclared under the same number. */
function moveSidecar(
  {
    scenario: from,
    part,
    child,
  }: { readonly scenario: string; readonly part: ChildPart; readonly child: number },
  to: string,
  facts: MoveFacts,
): MovePlan {
  const { suite } = facts;
  const folder = `${suite.paths.snapshots}/${facts.subject ?? REFERENCE_SUBJECT}`;
  const owner = suite.scenarios.find(({ id }) => id === to);
  if (owner === undefined) return refused(to, `There is no scenario "${to}" to own the file.`);
  const references = referring(suite, from).filter((one) => one.part === part);
  const own = references.find(({ scenario }) => scenario.id === to)?.child ?? child;
  const source = `${folder}/${from}/${headerFileName(part, child)}`;
  const target = `${folder}/${to}/${headerFileName(part, own)}`;
  if (facts.textOf(source) === null) return refused(from, `There is no file ${source}.`);
  if (facts.textOf(target) !== null) return refused(to, `${target} exists already.`);
  const mixed = declaredChildren(owner, part).filter((pin) => pin.owner !== null && pin.child !== own);
  const before = suite.scenarios.find(({ id }) => id === from);
  const others =
    before === undefined ? [] : declaredChildren(before, part).filter((pin) => pin.child !== child);
  if (mixed.length > 0 || others.length > 0) {
    return refused(
      to,
      `${CHILD_PARTS[part]} is a list of own children or a map of references, not both: ${(mixed.length > 0 ? owner : before)?.file ?? ''} would need both.`,
    );
  }
  const edits = [
    { scenario: owner, edit: { do: 'own', part, child: own } satisfies ChildEdit },
    ...(before === undefined
      ? []
      : [{ scenario: before, edit: { do: 'refer', part, child, owner: to } satisfies ChildEdit }]),
    ...references
      .filter(({ scenario }) => scenario.id !== to)
      .map((one) => ({
        scenario: one.scenario,
        edit: { do: 'refer', part, child: one.child, owner: to } satisfies ChildEdit,
      })),
  ];
  return { changes: [...moved([source, target], facts), ...edited(edits, facts)], problems: [] };
}
