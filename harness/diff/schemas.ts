/** Tool schemas compared by tool name and JSON pointer (pins.md, Diffs). Pure. */
import type { JsonValue } from '../scenario/scenario.ts';
import { isList, isMap, jsonChanges, renames, type JsonChange } from './json.ts';

export type ToolChange =
  | { readonly verb: 'added' | 'removed'; readonly tool: string }
  | { readonly verb: 'renamed'; readonly tool: string; readonly to: string }
  | { readonly verb: 'reordered'; readonly before: readonly string[]; readonly after: readonly string[] }
  | { readonly verb: 'changed'; readonly tool: string; readonly changes: readonly JsonChange[] };

/** Null where one of the two is no list of tools with names of their own. */
export function toolChanges(before: JsonValue, after: JsonValue): ToolChange[] | null {
  const [old, now] = [byName(before), byName(after)];
  if (old === null || now === null) return null;
  const gone = [...old.keys()].filter((name) => !now.has(name));
  const fresh = [...now.keys()].filter((name) => !old.has(name));
  const renamed = renames(
    gone.map((name) => [name, nameless(old.get(name) ?? null)]),
    fresh.map((name) => [name, nameless(now.get(name) ?? null)]),
  );
  const targets = new Set(renamed.values());
  const changed = [...now].flatMap(([tool, schema]): ToolChange[] => {
    const was = old.get(tool);
    const changes = was === undefined ? [] : jsonChanges(was, schema);
    return changes.length === 0 ? [] : [{ verb: 'changed', tool, changes }];
  });
  const common = [
    [...old.keys()].filter((name) => now.has(name)),
    [...now.keys()].filter((name) => old.has(name)),
  ] as const;
  const moved: ToolChange[] =
    common[0].join('\n') === common[1].join('\n')
      ? []
      : [{ verb: 'reordered', before: common[0], after: common[1] }];
  return [
    ...[...renamed].map(([tool, to]): ToolChange => ({ verb: 'renamed', tool, to })),
    ...gone.filter((tool) => !renamed.has(tool)).map((tool): ToolChange => ({ verb: 'removed', tool })),
    ...fresh.filter((tool) => !targets.has(tool)).map((tool): ToolChange => ({ verb: 'added', tool })),
    ...changed,
    ...moved,
  ];
}

/** The schemas by the name that the model sees, on whichever wire. */
function byName(value: JsonValue): Map<string, JsonValue> | null {
  if (!isList(value)) return null;
  const named = value.map((schema) => [nameOf(schema), schema] as const);
  const tools = new Map(named.flatMap(([name, schema]) => (name === null ? [] : [[name, schema] as const])));
  return tools.size === value.length ? tools : null;
}

function nameOf(schema: JsonValue): string | null {
  if (!isMap(schema)) return null;
  const inner = schema['function'];
  const name = schema['name'] ?? (inner !== undefined && isMap(inner) ? inner['name'] : undefined);
  return typeof name === 'string' ? name : null;
}

function nameless(schema: JsonValue): JsonValue {
  if (!isMap(schema)) return schema;
  const { name: _name, function: inner, ...rest } = schema;
  return { ...rest, inner: inner === undefined ? null : nameless(inner) };
}
