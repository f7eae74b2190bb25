/** Rules, category and child pins: what a scenario says about itself must exist. */
import { suggestion } from '../../document/nearest.ts';
import type { ChildPin, Scenario } from '../scenario.ts';
import type { Check, Note, Surroundings } from './check.ts';

export const lintHead: Check = (scenario, around, note) => {
  lintCovers(scenario, around, note);
  if (!around.categories.has(scenario.category)) {
    note(
      'category',
      `there is no category "${scenario.category}" in categories.yaml${suggestion(scenario.category, around.categories.keys())}`,
    );
  }
  lintChildPins(scenario, 'pinsChildSystemPrompts', around, note);
  lintChildPins(scenario, 'pinsChildToolSchemas', around, note);
  const names = scenario.model.conversations.map(({ name }) => name);
  scenario.rewrites.forEach((name, index) => {
    if (!names.includes(name)) {
      note(`rewrites.${String(index)}`, `there is no conversation "${name}"${suggestion(name, names)}`);
    }
  });
};

function lintCovers(scenario: Scenario, around: Surroundings, note: Note): void {
  const known = around.requirements.map(({ id }) => id);
  if (scenario.covers.length === 0) {
    note('covers', 'this scenario covers no rule; name at least one (`turnpin rules WORD` finds them)');
  }
  scenario.covers.forEach((id, index) => {
    const path = `covers.${String(index)}`;
    if (!known.includes(id)) {
      note(
        path,
        `there is no rule "${id}" in requirements.yaml${suggestion(id, known)}; \`turnpin rules WORD\` finds rules`,
      );
    } else if (scenario.covers.indexOf(id) < index) {
      note(path, `${id} is listed twice`);
    }
  });
}

function lintChildPins(
  scenario: Scenario,
  key: 'pinsChildSystemPrompts' | 'pinsChildToolSchemas',
  around: Surroundings,
  note: Note,
): void {
  const children = scenario.model.conversations.length - 1;
  for (const pin of scenario[key]) {
    const where = { path: `${key}.${String(pin.child)}`, position: pin.position };
    if (pin.child > children) {
      note(
        where,
        `there is no child ${String(pin.child)}: ${children === 0 ? 'this scenario has no conversation after "main"' : `the conversations after "main" are numbered 1 to ${String(children)}`}`,
      );
    }
    const wrong = pin.owner === null ? null : wrongOwner(scenario, key, pin.owner, around);
    if (wrong !== null) note(where, wrong);
  }
}

/** An owner must own a file of that kind itself, and be another scenario. */
function wrongOwner(
  scenario: Scenario,
  key: 'pinsChildSystemPrompts' | 'pinsChildToolSchemas',
  owner: string,
  around: Surroundings,
): string | null {
  if (owner === scenario.id)
    return 'a scenario refers to another one here; to own the file itself it writes a list: [1]';
  const other = around.byId.get(owner);
  // An owner that is gone or was renamed is the audit's: it sees the file left behind, and has the command that moves it.
  if (other === undefined) return null;
  const own: readonly ChildPin[] = other[key].filter((pin) => pin.owner === null);
  if (own.length > 0) return null;
  const [reference] = other[key];
  return reference?.owner === null || reference === undefined
    ? `"${owner}" declares no ${key} of its own`
    : `"${owner}" only refers to "${reference.owner ?? ''}" itself; name that scenario here`;
}
