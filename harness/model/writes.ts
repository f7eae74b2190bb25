/** Which bytes are written together: merged, or cut at exact places. */
import type { Action } from './exchange.ts';
import { bytesOf } from './bytes.ts';

/** Joins texts that follow one another; a hold or an ending stays between. */
export function mergeWrites(actions: readonly Action[]): Action[] {
  const merged: Action[] = [];
  let run = '';
  const flush = (): void => {
    if (run !== '') merged.push({ do: 'write', what: run, apart: false });
    run = '';
  };
  for (const action of actions) {
    if (action.do === 'write' && typeof action.what === 'string') {
      run += action.what;
    } else {
      flush();
      merged.push(action);
    }
  }
  flush();
  return merged;
}

/**
 * Cuts what is written into `count` writes of equal size, each read apart, wherever the cuts fall: inside a character, an
 * escape, `data:`, or between two line ends. A hold adds a cut of its own; more than there are bytes means one byte each.
 */
export function cutWrites(actions: readonly Action[], count: number): Action[] {
  const total = actions.reduce(
    (sum, action) => sum + (action.do === 'write' ? bytesOf(action.what).length : 0),
    0,
  );
  const size = Math.max(1, Math.ceil(total / Math.max(1, count)));
  return actions.flatMap((action): Action[] =>
    action.do === 'write' ? chunks(bytesOf(action.what), size) : [action],
  );
}

function chunks(bytes: Uint8Array, size: number): Action[] {
  const writes: Action[] = [];
  for (let from = 0; from < bytes.length; from += size) {
    writes.push({ do: 'write', what: bytes.subarray(from, from + size), apart: true });
  }
  return writes;
}
