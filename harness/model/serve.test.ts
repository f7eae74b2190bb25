import { describe, expect, it } from 'vitest';
import { sampleScript } from './sample-script.ts';
import { serveScript } from './serve.ts';

const request = (...said: string[]) => ({
  method: 'POST',
  body: JSON.stringify({
    model: 'm',
    messages: said.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
  }),
});

describe('a script that is served', () => {
  it('answers on 127.0.0.1, passes holds, and is played as written', async () => {
    const hold = { name: 'first', after: null, before: null };
    const served = await serveScript(sampleScript([{ text: 'One.', hold }]), { wire: 'chat-completions' });
    expect(served.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const response = await fetch(`${served.url}/v1/chat/completions`, request('hi'));
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: 'One.' } }] });
    expect(await served.close()).toMatchObject({ findings: [], exit: 0 });
  });

  it('ends with what was wrong, and the same when closed twice', async () => {
    const served = await serveScript(sampleScript([{ text: 'One.' }, { text: 'Two.' }]), {
      wire: 'chat-completions',
    });
    await (await fetch(`${served.url}/chat/completions`, request('hi'))).text();
    const verdict = await served.close();
    expect(verdict).toMatchObject({ findings: [{ kind: 'UNUSED_REPLY', key: 'main.2' }], exit: 1 });
    expect(await served.close()).toBe(verdict);
  });
});
