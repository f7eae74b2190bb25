/** The `agent.yaml` of a run: the category's composition with the scenario's own overlay on top. */
import type { Category, JsonValue, Scenario } from '../scenario/scenario.ts';
import { isObject, type JsonObject } from './event-view.ts';

/** Maps are merged key by key, everything else is replaced by what lies on top. */
export function composeAgent(category: Category | null, scenario: Scenario): JsonObject {
  return overlay(category?.agent ?? {}, scenario.agent);
}

/** `top` over `base`. */
export function overlay(base: JsonObject, top: JsonObject): JsonObject {
  const merged: Record<string, JsonValue> = { ...base };
  for (const [key, value] of Object.entries(top)) {
    const below = merged[key];
    merged[key] = isObject(below) && isObject(value) ? overlay(below, value) : value;
  }
  return merged;
}
