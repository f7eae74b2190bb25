/** A model's answers, read no faster than the reader of the output takes in what becomes of them. */
import type { Fetch } from '../model/chat-completions.ts';
import type { Output } from './output.ts';

/**
 * The global `fetch`, whose bodies wait while the output is crowded: what an agent makes of them would only pile up in
 * memory. The endpoint is held up by its own connection then, and gives up when it wants to, as for any slow reader.
 */
export function pacedFetch(output: Pick<Output, 'roomy'>): Fetch {
  return async (url, init) => {
    const response = await globalThis.fetch(url, init);
    // What an endpoint says of a failure is short, and is read against a clock.
    if (response.body === null || !response.ok) return response;
    const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
    const body = new ReadableStream<Uint8Array>(
      {
        pull: async (to) => {
          await output.roomy();
          const { done, value } = await reader.read();
          if (done) to.close();
          else to.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}
