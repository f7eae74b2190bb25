/** Holds and gates: each is declared once, waited for by its name, and let go. */
import { suggestion } from '../../document/nearest.ts';
import { wantsPlainOutput } from '../plan.ts';
import type { Reply, Scenario, StepKind } from '../scenario.ts';
import type { Check, Note, Surroundings } from './check.ts';
import { stringsIn } from './strings.ts';

/** After these nothing that is held needs to be released. */
const ENDS_HOLDS: readonly StepKind[] = ['cancel', 'kill', 'restart', 'dispose'];

export const lintHolds: Check = (scenario, around, note) => {
  const holds = holdsOf(scenario);
  const gates = gatesOf(scenario, around);
  lintNames(holds, gates, note);
  lintUses(scenario, [...holds.map(({ hold }) => hold.name), ...gates], note);
  lintReleases(scenario, holds, note);
  lintIdle(scenario, note);
  if (wantsPlainOutput(scenario)) lintUnseen(scenario, holds, note);
};

type Held = Reply & { readonly hold: NonNullable<Reply['hold']> };

function holdsOf({ model }: Scenario): Held[] {
  return [...model.conversations, ...model.asides].flatMap(({ replies }) =>
    replies.filter((reply): reply is Held => reply.hold !== null),
  );
}

/** Names after the word `gate` in anything that the subject may run: calls, hooks, files. */
function gatesOf(scenario: Scenario, around: Surroundings): ReadonlySet<string> {
  const scripts = [...scenario.model.conversations, ...scenario.model.asides];
  const texts = stringsIn([
    ...scripts.flatMap(({ replies }) => replies.flatMap(({ tools }) => tools.map((call) => call.arguments))),
    scenario.agent,
    around.categories.get(scenario.category)?.agent ?? {},
    scenario.workspace,
    ...scenario.steps.flatMap((step) => (step.do === 'write' ? [step.files] : [])),
  ]);
  return new Set(
    texts.flatMap((text) =>
      [...text.matchAll(/\bgate\s+["']?([\w.-]+)/gu)].flatMap(([, name]) => name ?? []),
    ),
  );
}

function lintNames(holds: readonly Held[], gates: ReadonlySet<string>, note: Note): void {
  holds.forEach((reply, index) => {
    const { name } = reply.hold;
    const where = { path: reply.key, position: reply.position };
    const first = holds.findIndex((other) => other.hold.name === name);
    if (first < index)
      note(
        where,
        `the hold "${name}" is used twice, first in ${holds[first]?.key ?? ''}; give each a name of its own`,
      );
    if (gates.has(name)) note(where, `"${name}" is the name of a gate, too; give the hold a name of its own`);
  });
}

function lintUses({ steps }: Scenario, known: readonly string[], note: Note): void {
  steps.forEach((step, index) => {
    const name =
      step.do === 'release'
        ? step.name
        : step.do === 'wait' && step.wait.for === 'held'
          ? step.wait.name
          : null;
    if (name === null || known.includes(name)) return;
    note(
      `steps.${String(index)}.${step.do}`,
      `nothing is held as "${name}": no reply has such a hold, and no command calls \`gate ${name}\`${suggestion(name, known)}`,
    );
  });
}

function lintReleases({ steps, model }: Scenario, holds: readonly Held[], note: Note): void {
  const interrupts = model.conversations.some(({ replies }) =>
    replies.some(({ tools }) => tools.some(({ name }) => name === 'interrupt_agent')),
  );
  const ended = interrupts || steps.some((step) => ENDS_HOLDS.includes(step.do));
  const repeats = new Set(model.asides.flatMap(({ replies }) => replies));
  for (const reply of holds) {
    const { name } = reply.hold;
    const releases = steps.flatMap((step, index) =>
      step.do === 'release' && step.name === name ? [index] : [],
    );
    if (releases.length === 0 && reply.ends === null && !ended) {
      note(
        { path: reply.key, position: reply.position },
        `the hold "${name}" is never released; add the step "release: ${name}", or "ends: cancelled" where the subject gives up`,
      );
    }
    const [, again] = releases;
    if (again !== undefined && !repeats.has(reply)) {
      note(`steps.${String(again)}.release`, `"${name}" is released a second time; a hold stops once`);
    }
  }
}

/** The agent cannot be idle while the reply that it waits for is known to be held. */
function lintIdle({ steps, model }: Scenario, note: Note): void {
  const main = new Set(model.conversations[0]?.replies.flatMap(({ hold }) => hold?.name ?? []));
  const held = new Set<string>();
  steps.forEach((step, index) => {
    if (step.do === 'wait' && step.wait.for === 'held' && main.has(step.wait.name)) held.add(step.wait.name);
    if (step.do === 'release') held.delete(step.name);
    if (ENDS_HOLDS.includes(step.do)) held.clear();
    const [name] = held;
    if (step.do === 'idle' && name !== undefined) {
      note(`steps.${String(index)}`, `the agent is never idle while "${name}" is held; release it before`);
    }
  });
}

/**
 * Plain output shows an answer when it is whole: what the model has sent of it may have arrived or not when the command is
 * ended, and both are right. What came before a call has arrived once its tool runs.
 */
function lintUnseen({ steps }: Scenario, holds: readonly Held[], note: Note): void {
  for (const reply of holds.filter(isHeldInMidAnswer)) {
    const { name } = reply.hold;
    const released = steps.findIndex((step) => step.do === 'release' && step.name === name);
    const waited = steps.findIndex(
      (step) => step.do === 'wait' && step.wait.for === 'held' && step.wait.name === name,
    );
    const ending = steps.find(
      (step, index) =>
        ENDS_HOLDS.includes(step.do) &&
        (released < 0 || index < released) &&
        (reply.ends === 'cancelled' || (waited >= 0 && waited < index)),
    );
    if (ending === undefined) continue;
    note(
      { path: reply.key, position: reply.position },
      `"${ending.do}" on line ${String(ending.position.line)} ends this answer in the middle, and expect.cli.stdout makes the driver leave out --json, which would show how much of it has arrived; hold a command behind its text instead (tools: [{ name: bash, arguments: { command: gate ${name} } }]), or leave out expect.cli.stdout`,
    );
  }
}

/** Has something of the answer been sent, and not all, while it is held? */
function isHeldInMidAnswer({ hold, text, reasoning }: Held): boolean {
  if (hold.after !== null) return true;
  if (hold.before === null || hold.before === 'headers') return false;
  return reasoning !== null || !text.startsWith(hold.before);
}
