import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { request } from '../sample-requests.ts';
import { decodeChat, isUsual, requestBody } from './chat-request.ts';

/** Mostly what a reader expects, now and then anything else. */
const some = <T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: fc.jsonValue() });
const text = some(fc.string());
const call = some(fc.record({ id: text, function: some(fc.record({ name: text, arguments: text })) }));
const role = some(fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool'));
const message = some(
  fc.record(
    {
      role,
      content: some(fc.oneof(fc.string(), fc.constant(null))),
      reasoning_content: text,
      tool_call_id: text,
      tool_calls: some(fc.array(call, { maxLength: 2 })),
    },
    { requiredKeys: ['role'] },
  ),
);
const body = some(
  fc.record(
    {
      model: text,
      stream: some(fc.boolean()),
      messages: some(fc.array(message, { maxLength: 3 })),
      tools: some(fc.array(some(fc.record({ function: some(fc.record({ name: text })) })), { maxLength: 2 })),
      temperature: some(fc.double({ noNaN: true })),
    },
    { requiredKeys: ['model', 'messages'] },
  ),
);

describe('the quick look at a request', () => {
  it('takes nothing that the schema refuses, and changes nothing of what it takes', () => {
    let taken = 0;
    fc.assert(
      fc.property(body, (given) => {
        if (!isUsual(given)) return;
        taken += 1;
        expect(requestBody.parse(given)).toEqual(given);
      }),
      { numRuns: 500 },
    );
    expect(taken).toBeGreaterThan(50);
  });

  it('leaves what is unusual to the schema', () => {
    expect(
      isUsual({ model: 'm', messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] }),
    ).toBe(false);
    expect(isUsual({ model: 'm', messages: [{ role: 'nobody', content: 'x' }] })).toBe(false);
    expect(isUsual({ model: 'm', messages: [{ role: 'assistant', tool_calls: [{ id: 'x' }] }] })).toBe(false);
    expect(isUsual([])).toBe(false);
  });

  it('reads the same as the schema does, to the order of keys', () => {
    const more = {
      temperature: 0,
      tools: [{ type: 'function', function: { description: 'Runs.', name: 'bash', parameters: {} } }],
      stream_options: {},
    };
    const content = [{ type: 'text', text: 'hi' }];
    const usual = decodeChat(request([{ role: 'user', content: 'hi' }], more));
    const unusual = decodeChat(request([{ role: 'user', content }], more));
    expect(JSON.stringify(usual)).toBe(JSON.stringify(unusual));
    expect(JSON.stringify(usual.tools[0]?.schema)).toBe(JSON.stringify(more.tools[0]));
  });
});
