import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AssistantChunk } from '../session/events.ts';
import { DONE, USAGE, chunk } from './fixtures/raw-endpoint.ts';
import { ModelError, type ModelAnswer } from './model.ts';
import { StreamDecoder } from './stream.ts';

/** Decodes the bytes, fed in pieces that end at the given offsets. */
function decode(
  bytes: Uint8Array,
  cuts: readonly number[],
): { chunks: AssistantChunk[]; answer: ModelAnswer | string } {
  const chunks: AssistantChunk[] = [];
  const decoder = new StreamDecoder(
    (piece) => chunks.push(piece),
    (text) => text,
  );
  const offsets = [
    0,
    ...[...new Set(cuts)].filter((cut) => cut > 0 && cut < bytes.length).sort((a, b) => a - b),
    bytes.length,
  ];
  try {
    for (const [index, start] of offsets.slice(0, -1).entries())
      decoder.feed(bytes.subarray(start, offsets[index + 1]));
    return { chunks, answer: decoder.end() };
  } catch (error) {
    if (error instanceof ModelError) return { chunks, answer: error.code };
    throw error;
  }
}

const text = fc.string({
  unit: fc.constantFrom('a', '\n', '\r', '"', '\\', 'é', '那', '😀', ':', ' ', '\u2028'),
});
const furniture = fc.constantFrom(
  '',
  ': keep-alive\n\n',
  ':\n',
  'id: 3\n',
  'event: message\n',
  'retry: 5\n',
  'data: {"choices":[]}\n\n',
  '\n',
);
const delta = fc.oneof(
  text.map((content) => ({ content })),
  text.map((reasoning_content) => ({ content: null, reasoning_content })),
  fc.tuple(fc.nat(2), text).map(([index, args]) => ({
    tool_calls: [{ index, id: `id${String(index)}`, function: { name: 'f', arguments: args } }],
  })),
);

describe('StreamDecoder', () => {
  it('finds the same pieces and the same answer wherever the bytes are cut, with either line end', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(furniture, delta), { maxLength: 12, size: 'max' }),
        fc.boolean(),
        fc.array(fc.nat(4_000), { maxLength: 40, size: 'max' }),
        (events, crlf, cuts) => {
          const plain =
            events.map(([before, piece]) => before + chunk(piece)).join('') +
            chunk({}, { finish: 'stop', usage: USAGE }) +
            DONE;
          const bytes = Buffer.from(crlf ? plain.replaceAll('\n', '\r\n') : plain);
          const whole = decode(bytes, []);
          expect(decode(bytes, cuts)).toEqual(whole);
          expect(decode(bytes, Array.from(bytes.keys()))).toEqual(whole);
          const said = events.map(([, piece]) => ('content' in piece ? (piece.content ?? '') : '')).join('');
          expect(whole.answer).toMatchObject({ message: { text: said }, usage: { input: 11, output: 7 } });
        },
      ),
      { numRuns: 150 },
    );
  });

  it('never takes a stream that is cut before its finish reason for an answer (TURN-11)', () => {
    const bytes = Buffer.from(`: hi\n\n${chunk({ content: 'a那' })}${chunk({ content: 'b' })}`);
    const rest = Buffer.from(chunk({}, { finish: 'stop' }) + DONE);
    const all = Buffer.concat([bytes, rest]);
    const finish = all.lastIndexOf('"usage":null}');
    for (let length = 0; length <= all.length; length += 1) {
      const { answer } = decode(all.subarray(0, length), []);
      if (length < finish + '"usage":null}'.length) expect(answer).toMatch(/^STREAM_(?:ENDED|MALFORMED)$/);
      else expect(answer).toMatchObject({ message: { text: 'a那b' }, finish: 'stop' });
    }
  });

  it('emits balanced blocks whose deltas are the answer', () => {
    fc.assert(
      fc.property(fc.array(delta, { maxLength: 20, size: 'max' }), (deltas) => {
        const bytes = Buffer.from(
          deltas.map((piece) => chunk(piece)).join('') + chunk({}, { finish: 'stop' }) + DONE,
        );
        const { chunks, answer } = decode(bytes, []);
        const open = new Set<number>();
        const calls: string[] = [];
        for (const piece of chunks) {
          if (piece.kind === 'block-start') {
            expect(open.has(piece.index)).toBe(false);
            open.add(piece.index);
            if (piece.block === 'tool-call') calls[piece.index] = '';
          } else if (piece.kind === 'block-end') {
            expect(open.delete(piece.index)).toBe(true);
          } else if (piece.kind !== 'finish' && piece.kind !== 'usage') {
            expect(open.has(piece.index)).toBe(true);
            if (piece.kind === 'tool-call-delta') calls[piece.index] += piece.arguments;
          }
        }
        expect(open.size).toBe(0);
        if (typeof answer === 'string') throw new Error(answer);
        expect(answer.message.toolCalls.map((call) => call.arguments).sort()).toEqual(
          Object.values(calls).sort(),
        );
      }),
      { numRuns: 200 },
    );
  });
});
