/** Reading response bodies with bounds, and never waiting past an abort. */
import { untilAborted } from './abort.ts';

export interface ReadBounds {
  readonly bytes: number;
  readonly ms: number;
  readonly signal: AbortSignal;
}

/** The text of a body, as far as the bounds let it come; what breaks on the way ends it. Rejects on abort alone. */
export async function readBounded(response: Response, bounds: ReadBounds): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const timeout = AbortSignal.any([bounds.signal, AbortSignal.timeout(bounds.ms)]);
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    while (bytes < bounds.bytes) {
      const { done, value } = await untilAborted(reader.read(), timeout);
      if (done) return text + decoder.decode();
      bytes += value.byteLength;
      text += decoder.decode(value.subarray(0, value.byteLength - Math.max(0, bytes - bounds.bytes)), {
        stream: true,
      });
    }
  } catch {
    bounds.signal.throwIfAborted();
  }
  cancelQuietly(reader);
  return text;
}

const DRAIN_MS = 500;

/**
 * Lets a body that is as good as over come to its end, in the background and for half a second at most, so that the
 * connection can serve the next request. A server that does not end its side loses the connection.
 */
export function drainBriefly(reader: ReadableStreamDefaultReader<Uint8Array>): void {
  const timer = setTimeout(() => {
    cancelQuietly(reader);
  }, DRAIN_MS);
  const drain = async (): Promise<void> => {
    while (!(await reader.read()).done);
  };
  drain()
    .catch(() => undefined)
    .finally(() => {
      clearTimeout(timer);
    });
}

/** Not awaited: some bodies never settle a cancel. */
function cancelQuietly(reader: ReadableStreamDefaultReader<Uint8Array>): void {
  reader.cancel().catch(() => undefined);
}
