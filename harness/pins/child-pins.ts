/** Which sidecar a declared child is held against: its own scenario's, or that of the owner that it refers to. */
import type { HeaderPart } from '../observe/observations.ts';
import type { ChildPin, Scenario } from '../scenario/scenario.ts';

/** The parts that `pinsChild…` can move out of the category, with the scenario's key for each. */
export const CHILD_PARTS = {
  'system-prompt': 'pinsChildSystemPrompts',
  'tool-schemas': 'pinsChildToolSchemas',
} as const satisfies Partial<Record<HeaderPart, keyof Scenario>>;
export type ChildPart = keyof typeof CHILD_PARTS;

export function isChildPart(part: HeaderPart): part is ChildPart {
  return part in CHILD_PARTS;
}

/** The declared children of a scenario for one part; none for the request header, which no child can move. */
export function declaredChildren(scenario: Scenario, part: HeaderPart): readonly ChildPin[] {
  return isChildPart(part) ? scenario[CHILD_PARTS[part]] : [];
}

/** The scenario that owns the file, and the child's number there. */
export interface Sidecar {
  readonly scenario: string;
  readonly child: number;
}

/**
 * Follows a declaration to the file's owner. A reference means the owner's child of the same number, or else its only one;
 * null where the owner does not exist, owns nothing of that part, or owns several and none of that number.
 */
export function sidecarOf(
  pin: ChildPin,
  facts: {
    readonly scenario: Scenario;
    readonly part: ChildPart;
    readonly byId: ReadonlyMap<string, Scenario>;
  },
): Sidecar | null {
  if (pin.owner === null) return { scenario: facts.scenario.id, child: pin.child };
  const owner = facts.byId.get(pin.owner);
  const owned =
    owner === undefined ? [] : declaredChildren(owner, facts.part).filter((other) => other.owner === null);
  const [only] = owned;
  const meant = owned.find((other) => other.child === pin.child) ?? (owned.length === 1 ? only : undefined);
  return meant === undefined ? null : { scenario: pin.owner, child: meant.child };
}
