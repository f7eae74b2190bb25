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

/** Every object that `snapshotJson` has made: detached and frozen already, so taken as it is. */
const snapshots = new WeakSet<object>();

/**
 * A detached, deeply frozen copy of `value`. A snapshot is returned unchanged.
 * @throws {NotJsonError} for anything that is not lossless JSON.
 */
export function snapshotJson<T>(value: T): T {
  return copy(value, '$', new Set()) as T;
}

function copy(value: unknown, path: string, above: Set<object>): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new NotJsonError(path, String(value));
      if (Object.is(value, -0)) throw new NotJsonError(path, 'negative zero');
      return value;
    case 'object':
      return value === null ? null : copyObject(value, path, above);
    default:
      throw new NotJsonError(path, typeof value === 'undefined' ? 'undefined' : `a ${typeof value}`);
  }
}

function copyObject(value: object, path: string, above: Set<object>): object {
  if (snapshots.has(value)) return value;
  if (above.has(value)) throw new NotJsonError(path, 'a cycle');
  if (above.size >= MAX_DEPTH) throw new NotJsonError(path, `nesting deeper than ${MAX_DEPTH} levels`);
  above.add(value);
  const made = Array.isArray(value) ? copyArray(value, path, above) : copyRecord(value, path, above);
  above.delete(value);
  snapshots.add(made);
  return Object.freeze(made);
}

function copyArray(value: readonly unknown[], path: string, above: Set<object>): unknown[] {
  const made: unknown[] = [];
  for (let index = 0; index < value.length; index += 1)
    made.push(copy(value[index], `${path}[${index}]`, above));
  return made;
}

function copyRecord(value: object, path: string, above: Set<object>): object {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new NotJsonError(path, className(value));
  if (Object.getOwnPropertySymbols(value).length > 0) throw new NotJsonError(path, 'a symbol key');
  const made: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const copied = copy(item, `${path}.${key}`, above);
    // A plain assignment to `__proto__` would set the prototype and lose the key.
    Object.defineProperty(made, key, { value: copied, enumerable: true, configurable: true, writable: true });
  }
  return made;
}

function className(value: object): string {
  const name: unknown = value.constructor?.name;
  return `an instance of ${typeof name === 'string' && name !== '' ? name : 'a class'}`;
}
