/** What is wrong with the gates of a run, as the scripted model says it of its holds (linear use, pins.md rule 4). */
import type { ModelFinding } from '../model/exchange.ts';
import type { Gates } from '../subject/gate.ts';

/** Gates that still block, and releases that nobody waited for. Asked before the gates are closed. */
export function gateFindings(gates: Gates | null): readonly ModelFinding[] {
  if (gates === null) return [];
  const held = gates.held().map((name): ModelFinding => ({
    kind: 'UNRELEASED_HOLD',
    key: `gate.${name}`,
    message: `gate "${name}" still blocks at the end; add the step "release: ${name}"`,
    diff: null,
  }));
  const idle = gates.neverReached().map((name): ModelFinding => ({
    kind: 'EXPECTATION_FAILED',
    key: `gate.${name}`,
    message: `"release: ${name}" opened nothing: no process came to gate "${name}", and no reply holds under that name`,
    diff: null,
  }));
  return [...held, ...idle];
}
