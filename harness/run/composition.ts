/** The `agent.yaml` of a run: the category's composition with the scenario's own overlay on top. */
import type { Category, Scenario } from '../scenario/scenario.ts';
import type { JsonObject } from '../subject/event-view.ts';
import { overlay } from '../subject/overlay.ts';

export function composeAgent(category: Category | null, scenario: Scenario): JsonObject {
  return overlay(category?.agent ?? {}, scenario.agent);
}
