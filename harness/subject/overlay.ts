/** One `agent.yaml` over another. */
import type { JsonValue } from '../scenario/scenario.ts';
import { isObject, type JsonObject } from './event-view.ts';

/** Maps are merged key by key, everything else is replaced by what lies on top. */
export function overlay(base: JsonObject, top: JsonObject): JsonObject {
  const merged: Record<string, JsonValue> = { ...base };
  for (const [key, value] of Object.entries(top)) {
    const below = merged[key];
    merged[key] = isObject(below) && isObject(value) ? overlay(below, value) : value;
  }
  return merged;
}
