/** Lossless JSON snapshots (core.md, "Session log": NaN, cycles, `undefined` and class instances are errors). */

/** A value that would not survive being written as JSON and read again. `path` says where, as in `$.content[0].text`. */
export class NotJsonError extends Error {
  readonly code = 'NOT_JSON';
  readonly path: string;
  constructor(path: string, found: string) {
    super(`Expected a value that JSON can carry without loss, found ${found} at ${path}.`);
    this.name = 'NotJsonError';
    this.path = path;
  }
}

const MAX_DEPTH = 500;

/**
 * A detached, deeply frozen copy of `value`.
 * @throws {NotJsonError} for anything that is not lossless JSON.
 */
export function snapshotJson<T>(value: T): T {
  return copy(value, { keys: [], above: [] }) as T;
}

/** Freezes what `JSON.parse` has just made, which is lossless and nobody else's. */
export function freezeParsed<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const item of Object.values(value)) freezeParsed<unknown>(item);
  return Object.freeze(value);
}

/** The way down to the value that is being copied: keys for the message, objects to see a cycle. */
interface Trail {
  readonly keys: (string | number)[];
  readonly above: object[];
}

function copy(value: unknown, trail: Trail): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw notJson(trail, String(value));
      if (Object.is(value, -0)) throw notJson(trail, 'negative zero');
      return value;
    case 'object':
      return value === null ? null : copyObject(value, trail);
    default:
      throw notJson(trail, typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`);
  }
}

function copyObject(value: object, trail: Trail): object {
  if (trail.above.includes(value)) throw notJson(trail, 'a cycle');
  if (trail.above.length >= MAX_DEPTH) throw notJson(trail, `nesting deeper than ${MAX_DEPTH} levels`);
  trail.above.push(value);
  const made = Array.isArray(value) ? copyArray(value, trail) : copyRecord(value, trail);
  trail.above.pop();
  return Object.freeze(made);
}

function copyArray(value: readonly unknown[], trail: Trail): unknown[] {
  const made: unknown[] = [];
  for (let index = 0; index < value.length; index += 1) {
    trail.keys.push(index);
    made.push(copy(value[index], trail));
    trail.keys.pop();
  }
  return made;
}

function copyRecord(value: object, trail: Trail): object {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw notJson(trail, className(value));
  if (Object.getOwnPropertySymbols(value).length > 0) throw notJson(trail, 'a symbol key');
  const made: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    trail.keys.push(key);
    const copied = copy(item, trail);
    trail.keys.pop();
    if (key === '__proto__') {
      // A plain assignment would set the prototype and lose the key.
      Object.defineProperty(made, key, {
        value: copied,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    } else made[key] = copied;
  }
  return made;
}

function notJson(trail: Trail, found: string): NotJsonError {
  const path = trail.keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
  return new NotJsonError(`$${path}`, found);
}

function className(value: object): string {
  const name: unknown = value.constructor?.name;
  return `an instance of ${typeof name === 'string' && name !== '' ? name : 'a class'}`;
}
